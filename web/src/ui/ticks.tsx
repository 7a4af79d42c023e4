import type { ComponentProps } from 'react'

/** A box or a circle with its words beside it; all of it can be pressed. */
export const Tick = ({ children, ...rest }: ComponentProps<'input'>) => (
  <label className="flex min-h-7 items-center gap-2 text-sm">
    <input {...rest} className="size-4 shrink-0 accent-(--accent-fill)" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </label>
)

interface Props {
  all: readonly { id: string; name: string }[]
  chosen: readonly string[]
  onChange: (next: string[]) => void
  disabled?: boolean
}

/** Some of many, by their ids. */
export function Ticks({ all, chosen, onChange, disabled }: Props) {
  return all.map(({ id, name }) => (
    <Tick
      key={id}
      type="checkbox"
      disabled={disabled}
      checked={chosen.includes(id)}
      onChange={({ target }) =>
        onChange(target.checked ? [...chosen, id].toSorted() : chosen.filter((one) => one !== id))
      }
    >
      {name}
    </Tick>
  ))
}
