import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { Ticks } from '../ui/ticks.tsx'

interface Props {
  value: string[]
  onChange: (next: string[]) => void
  disabled?: boolean
}

/** Which services a source feeds. With several, each alert has to name its own. */
export function ServicesField({ value, onChange, disabled = false }: Props) {
  const services = useRead('services.list', {})
  // Those that were chosen come first, or they would stand out of sight in a long list.
  const [first] = useState(value)
  const all = services.data?.data ?? []
  const names = all.flatMap(({ id, name }) => (value.includes(id) ? [name] : []))
  if (disabled)
    return (
      <div>
        <h3 className="mb-1 text-sm font-medium">Services</h3>
        <p className="text-sm wrap-anywhere">{names.join(', ') || 'None'}</p>
      </div>
    )
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Services</legend>
      <div className="flex max-h-48 flex-col gap-0.5 overflow-y-auto rounded-md border bg-surface p-2">
        <Ticks
          all={all.toSorted((a, b) => Number(first.includes(b.id)) - Number(first.includes(a.id)))}
          chosen={value}
          onChange={onChange}
        />
      </div>
      <p className="mt-1 text-xs wrap-anywhere text-muted">
        {value.length === 0
          ? 'No services: alerts are recorded but don’t open incidents.'
          : value.length === 1
            ? `Every alert goes to ${names[0] ?? 'this service'}.`
            : `Each alert goes to the service it names. Upper and lower case don’t matter.`}
      </p>
    </fieldset>
  )
}
