import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { Button } from './button.tsx'
import { Choice, type Choices } from './choice.tsx'

type Values = Record<string, string | boolean | undefined>
type SetFilter = (changed: Record<string, string | undefined>) => void

interface Props {
  /** What is filtered. */
  of: string
  value: Values
  set: SetFilter
  children: ReactNode
}

const Filtering = createContext<Pick<Props, 'value' | 'set'>>({ value: {}, set: () => {} })

/** The filters of a list: above it, in a row, each saying "Any …" while it is not set, and one button to clear them. */
export const Filters = ({ of, value, set, children }: Props) => (
  <search
    aria-label={`Filter ${of}`}
    className="mb-4 grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap sm:[&_input:not([type=checkbox])]:w-44 sm:[&_select]:w-44 sm:[&>:has([type=checkbox])]:mx-1"
  >
    <Filtering value={{ value, set }}>{children}</Filtering>
    {Object.values(value).some(Boolean) && (
      <Button
        look="quiet"
        className="max-sm:justify-self-start"
        icon={<X size={14} aria-hidden="true" />}
        onClick={() => set(Object.fromEntries(Object.keys(value).map((name) => [name, undefined])))}
      >
        Clear filters
      </Button>
    )}
  </search>
)

/** One of several of the filter with this name; nothing chosen says "Any …". */
export function FilterBy({ name, label, none, of }: { name: string; label?: string } & Choices) {
  const { value, set } = useContext(Filtering)
  return (
    <Choice
      label={label ?? name.charAt(0).toUpperCase() + name.slice(1)}
      none={none ?? `Any ${name}`}
      of={of}
      value={String(value[name] ?? '')}
      onChange={(chosen) => set({ [name]: chosen || undefined })}
    />
  )
}

/** Changes some filters of the address, and leaves the others. */
export function useSetFilter(): SetFilter {
  const navigate = useNavigate()
  return (changed) =>
    void navigate({
      to: '.',
      replace: true,
      search: ((before: object) => ({ ...before, ...changed })) as never,
    })
}
