import { maxUptimeTextLength, uptimeDefaults, uptimeRanges } from '@signalbox/contract/limits.ts'
import { Field, Input } from '../ui/field.tsx'
import { TextField } from '../ui/text-field.tsx'
import type { SourceSettings } from './kinds.ts'

const numbers = [
  {
    name: 'intervalSeconds',
    label: 'Check every',
    hint: `In seconds, ${uptimeRanges.intervalSeconds.least} or more.`,
  },
  {
    name: 'timeoutSeconds',
    label: 'Timeout',
    hint: `In seconds, ${uptimeRanges.timeoutSeconds.most} at most.`,
  },
  { name: 'failures', label: 'Failures in a row', hint: 'After this many, an alert is raised.' },
] as const

interface Props {
  value: SourceSettings
  onChange: (next: SourceSettings) => void
  disabled: boolean
}

/** An address that is looked at, how often, and what counts as up. */
export function UptimeFields({ value, onChange, disabled }: Props) {
  const check = { ...uptimeDefaults, ...value } as Record<string, unknown>
  const set = (name: string, next: unknown) => onChange({ ...check, [name]: next })
  return (
    <>
      <TextField
        label="URL"
        hint="Checked with GET. A failing check raises a critical alert, which recovers when the check passes again."
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
      <Field label="Expected status codes" hint="Separate them with commas.">
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
        label="Expected text"
        hint="Leave empty to accept any response body."
        disabled={disabled}
        maxLength={maxUptimeTextLength}
        value={String(check.text ?? '')}
        onChange={(text) => set('text', text === '' ? null : text)}
      />
    </>
  )
}
