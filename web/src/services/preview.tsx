import type { Severity } from '@signalbox/contract/signal.ts'
import { CircleCheck, CircleSlash, GitMerge } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Field, Input } from '../ui/field.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Card, Loaded, Section } from '../ui/page.tsx'
import { severityWords } from '../words/incidents.tsx'

const icons = { opens: CircleCheck, joins: GitMerge, nothing: CircleSlash }
const tones = { opens: 'text-ok', joins: 'text-info', nothing: 'text-muted' }

/** Asks the rules themselves what would happen to an alert: now, or at a moment. */
export function AlertPreview({ service }: { service: string }) {
  const [severity, setSeverity] = useState<Severity>('high')
  const [moment, setMoment] = useState('')
  const at = moment && !Number.isNaN(Date.parse(moment)) ? new Date(moment).toISOString() : undefined
  const preview = useRead('services.preview', { service, severity, ...(at ? { at } : {}) }, { keep: true })
  return (
    <Section
      title="Would an alert open an incident?"
      hint="Uses your saved settings and the same rules as real alerts."
    >
      <Card className="flex flex-col gap-4 p-4">
        <div className="grid items-start gap-3 sm:grid-cols-2">
          <ChoiceField
            label="Alert severity"
            value={severity}
            onChange={(chosen) => setSeverity(chosen as Severity)}
            of={severityWords}
          />
          <Field label="Time" hint={moment ? 'In your time zone.' : 'Empty means the current time.'}>
            {(ids) => (
              <span className="flex gap-2">
                <Input
                  {...ids}
                  type="datetime-local"
                  value={moment}
                  onChange={({ target }) => setMoment(target.value)}
                />
                {moment && <Button onClick={() => setMoment('')}>Now</Button>}
              </span>
            )}
          </Field>
        </div>
        <div role="status">
          <Loaded of={preview} lines={1}>
            {({ fate, sentence, incident, at: asked }) => {
              const Icon = icons[fate]
              return (
                <p className="flex items-start gap-2 text-sm">
                  <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${tones[fate]}`} />
                  <span className="min-w-0 break-words">
                    {sentence}
                    {at && <span className="text-muted"> At {dateOf(asked)}.</span>}{' '}
                    {incident && (
                      <KeyLink to="incident" of={incident} className="text-accent underline">
                        Open {incident}
                      </KeyLink>
                    )}
                  </span>
                </p>
              )
            }}
          </Loaded>
        </div>
      </Card>
    </Section>
  )
}
