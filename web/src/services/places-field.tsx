import type { Place } from '@signalbox/contract/app/services.ts'
import { useId } from 'react'

/** Every channel of the team, or some of them. Where there is none, that is said. */
export function PlacesField({
  value,
  places,
  chat,
  disabled,
  onChange,
}: {
  value: string[] | null
  places: Place[]
  chat: boolean
  disabled: boolean
  onChange: (next: string[] | null) => void
}) {
  const name = useId()
  if (places.length === 0)
    return (
      <p className="text-[13px]">
        Every channel of the team.{' '}
        <span className="text-muted">
          {chat
            ? 'The team has no channel yet, so incidents are posted nowhere.'
            : 'No chat tool is connected, so incidents are posted nowhere.'}
        </span>
      </p>
    )
  return (
    <div className="flex flex-col gap-2">
      {!chat && <p className="text-xs text-muted">No chat tool is connected: posts wait until one is.</p>}
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1" disabled={disabled}>
        <legend className="sr-only">Incident places</legend>
        {[true, false].map((all) => (
          <label key={String(all)} className="flex min-h-7 items-center gap-2 text-[13px]">
            <input
              type="radio"
              name={name}
              className="size-4 accent-(--accent-fill)"
              checked={(value === null) === all}
              onChange={() => onChange(all ? null : places.map(({ id }) => id))}
            />
            {all ? 'Every channel of the team' : 'These places'}
          </label>
        ))}
      </fieldset>
      {value && (
        <fieldset className="flex flex-wrap gap-x-5 gap-y-1" disabled={disabled}>
          <legend className="sr-only">Places</legend>
          {places.map((place) => (
            <label key={place.id} className="flex min-h-7 items-center gap-2 text-[13px]">
              <input
                type="checkbox"
                className="size-4 accent-(--accent-fill)"
                checked={value.includes(place.id)}
                onChange={({ target }) =>
                  onChange(
                    target.checked
                      ? [...value, place.id].toSorted()
                      : value.filter((one) => one !== place.id),
                  )
                }
              />
              {place.name}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}
