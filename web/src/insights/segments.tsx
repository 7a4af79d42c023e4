import { Link } from '../ui/link.ts'

/** A few choices side by side, each an address; the rest of the search is as it was. */
export function Segments({
  label,
  name,
  of,
  value,
}: {
  label: string
  /** Of the search parameter. */
  name: string
  of: readonly (readonly [value: string, name: string])[]
  value: string
}) {
  return (
    <nav aria-label={label} className="flex flex-wrap rounded-md border bg-surface p-0.5">
      {of.map(([choice, shown]) => (
        <Link
          key={choice}
          to="."
          search={((before: object) => ({ ...before, [name]: choice })) as never}
          replace
          aria-current={choice === value ? 'page' : undefined}
          className={`flex h-7 pointer-coarse:h-[44px] items-center rounded px-2.5 text-sm ${choice === value ? 'bg-selected font-medium text-accent' : 'text-muted hover:text-text'}`}
        >
          {shown}
        </Link>
      ))}
    </nav>
  )
}
