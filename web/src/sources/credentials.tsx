import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { CheckCircle2, CircleSlash } from 'lucide-react'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import type { Kind } from './kinds.ts'

/** For acknowledging and resolving in the tool. They go in and never come out. */
export function Credentials({ source, kind }: { source: SourceRow; kind: Kind }) {
  const forbidden = useForbidden('manage sources')
  const [typed, setTyped] = useState('')
  const change = useAction('sources.change', {
    alsoStale: ['services', 'workspaces'],
    said: (_, { credentials }) => (credentials ? 'Credentials saved' : 'Credentials removed'),
    next: () => {
      setTyped('')
      change.reset()
    },
  })
  const { name, credentials: label } = kind
  const save = (credentials: string | null) => change.send({ source: source.id, credentials })
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
          disabled={forbidden !== false}
          value={typed}
          onChange={setTyped}
        />
        <FormEnd
          look="plain"
          of={change}
          forbidden={forbidden}
          disabled={!forbidden && typed === ''}
          aside={
            source.canUpdateAlerts && (
              <Button look="quiet" forbidden={forbidden} onClick={() => save(null)}>
                Remove
              </Button>
            )
          }
        >
          {source.canUpdateAlerts ? 'Replace' : 'Save'}
        </FormEnd>
      </Form>
    </Section>
  )
}
