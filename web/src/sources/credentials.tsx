import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { CheckCircle2, CircleSlash } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { say } from '../ui/toast.tsx'
import type { Kind } from './kinds.ts'

/** For acknowledging and resolving in the tool. They go in and never come out. */
export function Credentials({ source, kind }: { source: SourceRow; kind: Kind }) {
  const may = useMay('admin')
  const [typed, setTyped] = useState('')
  const change = useWrite('sources.change', { alsoStale: ['services', 'workspaces'] })
  const { name, credentials: label } = kind
  const forbidden = !may && 'Only owners and admins can manage sources'
  const save = (credentials: string | null) =>
    change.mutate(
      { source: source.id, credentials },
      {
        onSuccess: () => {
          setTyped('')
          change.reset()
          say(credentials ? 'Credentials saved' : 'Credentials removed')
        },
      },
    )
  return (
    <Section
      title={`Acknowledge alerts in ${name}`}
      hint="Only used for services with “Acknowledge and resolve alerts in the source” turned on."
      aside={
        source.canUpdateAlerts ? (
          <Badge tone="ok" icon={CheckCircle2} word="Credentials saved" />
        ) : (
          <Badge icon={CircleSlash} word="No credentials" />
        )
      }
    >
      <Form className="flex max-w-xl flex-col gap-3" onSend={() => save(typed)}>
        <SecretField
          label={label ?? 'Credentials'}
          hint="Stored encrypted. You won’t see it again."
          minLength={1}
          disabled={!may}
          value={typed}
          onChange={setTyped}
        />
        <Refused error={change.error} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" busy={change.isPending} forbidden={forbidden} disabled={may && typed === ''}>
            {source.canUpdateAlerts ? 'Replace' : 'Save'}
          </Button>
          {source.canUpdateAlerts && (
            <Button look="quiet" forbidden={forbidden} onClick={() => save(null)}>
              Remove
            </Button>
          )}
        </div>
      </Form>
    </Section>
  )
}
