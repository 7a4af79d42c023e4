import { maxUptimeTextLength, uptimeDefaults, uptimeRanges } from '@signalbox/contract/limits.ts'
import { Field, Input } from '../ui/field.tsx'
import { TextField } from '../ui/text-field.tsx'
import type { SourceSettings } from './kinds.ts'

const numbers = [
  {
    name: 'intervalSeconds',
    label: 'Every',
    hint: `Seconds, from ${uptimeRanges.intervalSeconds.least} on.`,
  },
  {
    name: 'timeoutSeconds',
    label: 'Waits at most',
    hint: `Seconds, up to ${uptimeRanges.timeoutSeconds.most}.`,
  },
  { name: 'failures', label: 'Failures in a row', hint: 'So many make it fire.' },
] as const

/** An address that is looked at, how often, and what counts as up. */
export function UptimeFields({
  value,
  onChange,
  disabled,
}: {
  value: SourceSettings
  onChange: (next: SourceSettings) => void
  disabled: boolean
}) {
  const check = { ...uptimeDefaults, ...value } as Record<string, unknown>
  const set = (name: string, next: unknown) => onChange({ ...check, [name]: next })
  return (
    <>
      <TextField
        label="Address"
        hint="Asked with GET. Failing raises a critical alert, answering again recovers it."
        type="url"
        required
        disabled={disabled}
        placeholder="https://shop.example.com/health"
        value={String(check.url ?? '')}
        onChange={(url) => set('url', url)}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        {numbers.map(({ name, label, hint }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            type="number"
            required
            min={uptimeRanges[name].least}
            max={uptimeRanges[name].most}
            disabled={disabled}
            value={Number.isNaN(check[name]) ? '' : String(check[name])}
            onChange={(typed) => set(name, typed === '' ? Number.NaN : Number(typed))}
          />
        ))}
      </div>
      <Field label="Statuses that count as up" hint="Numbers with commas between.">
        {(ids) => (
          <Input
            {...ids}
            required
            disabled={disabled}
            pattern="[1-5][0-9][0-9](, *[1-5][0-9][0-9])*"
            defaultValue={(check.statuses as number[]).join(', ')}
            onChange={({ target }) =>
              target.validity.valid &&
              set(
                'statuses',
                target.value.split(',').map((status) => Number(status)),
              )
            }
          />
        )}
      </Field>
      <TextField
        label="Text in the body"
        hint="Empty: any body is good."
        disabled={disabled}
        maxLength={maxUptimeTextLength}
        value={String(check.text ?? '')}
        onChange={(text) => set('text', text === '' ? null : text)}
      />
    </>
  )
}
