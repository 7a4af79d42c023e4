import type { OnCallHours } from '@signalbox/contract/service.ts'
import { useId } from 'react'
import { Field, Input, Select } from '../ui/field.tsx'
import { hoursWords, weekdayList, weekdayWords } from './setting-words.ts'

const zones = Intl.supportedValuesOf('timeZone')
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Browsers list neither UTC nor every old name; what is set stays choosable. */
const zonesWith = (zone: string) => [...new Set([zone, 'UTC', ...zones])].toSorted()

const usual: OnCallHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '08:00',
  end: '18:00',
  timeZone: ownZone,
}

export function HoursField({
  value,
  onChange,
  disabled,
}: {
  value: OnCallHours | null
  onChange: (next: OnCallHours | null) => void
  disabled: boolean
}) {
  const name = useId()
  const hours = value ?? usual
  const set = (part: Partial<OnCallHours>) => onChange({ ...hours, ...part })
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1" disabled={disabled}>
        <legend className="sr-only">On-call hours</legend>
        {(['Always', 'At these hours'] as const).map((word) => (
          <label key={word} className="flex min-h-7 items-center gap-2 text-[13px]">
            <input
              type="radio"
              name={name}
              className="size-4 accent-(--accent-fill)"
              checked={(value === null) === (word === 'Always')}
              onChange={() => onChange(word === 'Always' ? null : hours)}
            />
            {word}
          </label>
        ))}
      </fieldset>
      {value && (
        <div className="flex flex-col gap-3 rounded-md border bg-bg p-3">
          <fieldset disabled={disabled}>
            <legend className="mb-1 text-[13px] font-medium">Days on which a window begins</legend>
            <div className="flex flex-wrap gap-x-4 gap-y-1">
              {weekdayList.map((day) => (
                <label key={day} className="flex min-h-7 items-center gap-1.5 text-[13px]">
                  <input
                    type="checkbox"
                    className="size-4 accent-(--accent-fill)"
                    checked={hours.days.includes(day)}
                    onChange={({ target }) =>
                      set({
                        days: weekdayList.filter((one) =>
                          one === day ? target.checked : hours.days.includes(one),
                        ),
                      })
                    }
                  />
                  {weekdayWords[day]}
                </label>
              ))}
            </div>
          </fieldset>
          <div className="grid gap-3 sm:grid-cols-[8rem_8rem_minmax(0,1fr)]">
            <Field label="Start">
              {(ids) => (
                <Input
                  {...ids}
                  type="time"
                  required
                  disabled={disabled}
                  value={hours.start}
                  onChange={({ target }) => set({ start: target.value })}
                />
              )}
            </Field>
            <Field label="End">
              {(ids) => (
                <Input
                  {...ids}
                  type="time"
                  required
                  disabled={disabled}
                  value={hours.end}
                  onChange={({ target }) => set({ end: target.value })}
                />
              )}
            </Field>
            <Field label="Time zone">
              {(ids) => (
                <Select
                  {...ids}
                  disabled={disabled}
                  value={hours.timeZone}
                  onChange={({ target }) => set({ timeZone: target.value })}
                >
                  {zonesWith(hours.timeZone).map((zone) => (
                    <option key={zone}>{zone}</option>
                  ))}
                </Select>
              )}
            </Field>
          </div>
          <p className="text-xs text-muted" role="status">
            {hours.days.length === 0 ? 'Choose at least one day.' : `On call ${hoursWords(hours)}.`}
            {hours.end <= hours.start && ' An end before the start is on the next day.'}
          </p>
        </div>
      )}
    </div>
  )
}
