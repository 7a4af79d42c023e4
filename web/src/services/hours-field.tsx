import type { OnCallHours } from '@signalbox/contract/service.ts'
import { useId } from 'react'
import { ChoiceField } from '../ui/choice.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Tick } from '../ui/ticks.tsx'
import { hoursWords, missingIn, weekdayList, weekdayWords } from './setting-words.ts'

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

interface Props {
  value: OnCallHours | null
  onChange: (next: OnCallHours | null) => void
  disabled: boolean
}

export function HoursField({ value, onChange, disabled }: Props) {
  const name = useId()
  const hours = value ?? usual
  const set = (part: Partial<OnCallHours>) => onChange({ ...hours, ...part })
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1" disabled={disabled}>
        <legend className="sr-only">On-call hours</legend>
        {(['Always', 'Specific hours'] as const).map((word) => (
          <Tick
            key={word}
            type="radio"
            name={name}
            checked={(value === null) === (word === 'Always')}
            onChange={() => onChange(word === 'Always' ? null : hours)}
          >
            {word}
          </Tick>
        ))}
      </fieldset>
      {value && (
        <div className="flex flex-col gap-3 rounded-md border bg-bg p-3">
          <fieldset disabled={disabled}>
            <legend className="mb-1 text-sm font-medium">Days</legend>
            <div className="flex flex-wrap gap-x-4 gap-y-1">
              {weekdayList.map((day) => (
                <Tick
                  key={day}
                  type="checkbox"
                  checked={hours.days.includes(day)}
                  onChange={({ target }) =>
                    set({
                      days: weekdayList.filter((one) =>
                        one === day ? target.checked : hours.days.includes(one),
                      ),
                    })
                  }
                >
                  {weekdayWords[day]}
                </Tick>
              ))}
            </div>
          </fieldset>
          <div className="grid gap-3 sm:grid-cols-[8rem_8rem_minmax(0,1fr)]">
            {(['start', 'end'] as const).map((end) => (
              <TextField
                key={end}
                label={end === 'start' ? 'Start' : 'End'}
                type="time"
                required
                disabled={disabled}
                value={hours[end]}
                onChange={(time) => set({ [end]: time })}
              />
            ))}
            <ChoiceField
              label="Time zone"
              disabled={disabled}
              value={hours.timeZone}
              onChange={(timeZone) => set({ timeZone })}
              of={zonesWith(hours.timeZone).map((zone) => [zone, zone])}
            />
          </div>
          <p className="text-xs text-muted" role="status">
            {missingIn(hours) || `On call ${hoursWords(hours)}.`}
          </p>
        </div>
      )}
    </div>
  )
}
