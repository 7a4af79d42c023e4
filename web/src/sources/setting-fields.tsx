import type { SourceKind } from '@signalbox/contract/source.ts'
import { Checkbox, Field, Input, Select } from '../ui/field.tsx'
import type { SourceSettings } from './kinds.ts'
import { UptimeFields } from './uptime-fields.tsx'

interface Described {
  name: string
  label: string
  hint: string
  placeholder?: string
  options?: string[]
}

/** What can be said of a sender besides its name, by kind. Everything may be left empty. */
const described: Partial<Record<SourceKind, Described[]>> = {
  grafana: [
    {
      name: 'signatureHeader',
      label: 'Signature header',
      hint: 'Only where the contact point names one of its own.',
      placeholder: 'X-Grafana-Alerting-Signature',
    },
    {
      name: 'timestampHeader',
      label: 'Timestamp header',
      hint: 'Only where the contact point sends one: then the time is signed too.',
    },
  ],
  cloudwatch: [
    {
      name: 'topicArn',
      label: 'ARN of the topic',
      hint: 'Messages of any other topic are then refused. Amazon signs for every account, so set it.',
      placeholder: 'arn:aws:sns:eu-west-1:123456789012:alarms',
    },
  ],
  pagerduty: [
    {
      name: 'from',
      label: 'Acts as',
      hint: 'E-mail address of a user of the account; needed for acknowledging there.',
      placeholder: 'oncall@example.com',
    },
    {
      name: 'api',
      label: 'API',
      hint: 'Where alerts are acknowledged and resolved.',
      options: ['https://api.pagerduty.com', 'https://api.eu.pagerduty.com'],
    },
  ],
  opsgenie: [
    {
      name: 'api',
      label: 'API',
      hint: 'Where alerts are acknowledged and closed.',
      options: [
        'https://api.opsgenie.com',
        'https://api.eu.opsgenie.com',
        'https://api.atlassian.com/jsm/ops/integration',
      ],
    },
  ],
}

export const hasSettings = (kind: SourceKind) => kind === 'generic' || kind === 'uptime' || kind in described

export function SettingFields({
  kind,
  value,
  onChange,
  disabled = false,
}: {
  kind: SourceKind
  value: SourceSettings
  onChange: (next: SourceSettings) => void
  disabled?: boolean
}) {
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value
    onChange(next === '' || next === undefined ? rest : { ...rest, [name]: next })
  }
  if (kind === 'uptime') return <UptimeFields value={value} onChange={onChange} disabled={disabled} />
  if (kind === 'generic')
    return (
      <Checkbox
        label="Only with a timestamp"
        hint="Refuses requests without X-Service-Timestamp, which could be sent again later by whoever saw them."
        disabled={disabled}
        checked={value.timestamp === 'required'}
        onChange={({ target }) => set('timestamp', target.checked ? 'required' : undefined)}
      />
    )
  return (
    <>
      {described[kind]?.map(({ name, label, hint, placeholder, options }) => (
        <Field key={name} label={label} hint={hint}>
          {(ids) =>
            options ? (
              <Select
                {...ids}
                disabled={disabled}
                value={String(value[name] ?? options[0])}
                onChange={({ target }) => set(name, target.value)}
              >
                {options.map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </Select>
            ) : (
              <Input
                {...ids}
                disabled={disabled}
                placeholder={placeholder}
                value={String(value[name] ?? '')}
                onChange={({ target }) => set(name, target.value.trim())}
              />
            )
          }
        </Field>
      ))}
    </>
  )
}
