import type { Place } from '@signalbox/contract/app/services.ts'
import { useId } from 'react'
import { Tick, Ticks } from '../ui/ticks.tsx'

interface Props {
  value: string[] | null
  places: Place[]
  chat: boolean
  disabled: boolean
  onChange: (next: string[] | null) => void
}

/** Every channel of the team, or some of them. Where there is none, that is said. */
export function PlacesField({ value, places, chat, disabled, onChange }: Props) {
  const name = useId()
  if (places.length === 0)
    return (
      <p className="text-sm">
        Every channel of the team.{' '}
        <span className="text-muted">
          {chat
            ? 'The team has no channels yet, so incidents aren’t posted.'
            : 'No chat tool is connected, so incidents aren’t posted.'}
        </span>
      </p>
    )
  return (
    <div className="flex flex-col gap-2">
      {!chat && <p className="text-xs text-muted">No chat tool is connected, so incidents aren’t posted.</p>}
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1" disabled={disabled}>
        <legend className="sr-only">Incident channels</legend>
        {[true, false].map((all) => (
          <Tick
            key={String(all)}
            type="radio"
            name={name}
            checked={(value === null) === all}
            onChange={() => onChange(all ? null : places.map(({ id }) => id))}
          >
            {all ? 'Every channel of the team' : 'Selected channels'}
          </Tick>
        ))}
      </fieldset>
      {value && (
        <fieldset className="flex flex-wrap gap-x-5 gap-y-1" disabled={disabled}>
          <legend className="sr-only">Places</legend>
          <Ticks all={places} chosen={value} onChange={onChange} />
        </fieldset>
      )}
    </div>
  )
}
