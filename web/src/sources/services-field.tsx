import { useRead } from '../api/queries.ts'

/** Which services a source feeds. With several, each alert has to name its own. */
export function ServicesField({
  value,
  onChange,
  disabled = false,
}: {
  value: string[]
  onChange: (next: string[]) => void
  disabled?: boolean
}) {
  const services = useRead('services.list', {})
  if (disabled) {
    const fed = services.data?.data.filter(({ id }) => value.includes(id)) ?? []
    return (
      <div>
        <h3 className="mb-1 text-[13px] font-medium">Services it feeds</h3>
        <p className="text-[13px] break-words">{fed.map(({ name }) => name).join(', ') || 'None'}</p>
      </div>
    )
  }
  return (
    <fieldset>
      <legend className="mb-1 text-[13px] font-medium">Services it feeds</legend>
      <div className="flex max-h-48 flex-col gap-0.5 overflow-y-auto rounded-md border bg-surface p-2">
        {services.data?.data.map(({ id, name }) => (
          <label key={id} className="flex min-h-7 items-center gap-2 text-[13px]">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-(--accent-fill)"
              checked={value.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, id].toSorted() : value.filter((one) => one !== id))
              }
            />
            <span className="min-w-0 break-words">{name}</span>
          </label>
        ))}
      </div>
      <p className="mt-1 text-xs text-muted">
        {value.length === 0
          ? 'None: alerts are recorded and open nothing.'
          : value.length === 1
            ? 'One: everything it sends belongs there.'
            : 'Several: an alert belongs to the service that it names, whatever its case.'}
      </p>
    </fieldset>
  )
}
