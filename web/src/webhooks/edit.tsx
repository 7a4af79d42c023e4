import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { say } from '../ui/toast.tsx'
import { EndpointFields, isComplete, type Settings } from './fields.tsx'
import { onlyAdmins } from './words.ts'

const settingsOf = ({ url, description, events, teams }: WebhookRow): Settings => ({
  ...{ url, description, teams },
  events: [...events],
})

/** What was changed is kept here until it is saved. */
export function EditEndpoint({ endpoint }: { endpoint: WebhookRow }) {
  const may = useMay('admin')
  const [edited, setEdited] = useState<Settings | null>(null)
  const change = useWrite('webhooks.change')
  const settings = edited ?? settingsOf(endpoint)
  return (
    <Section title="Settings" hint="What is still waiting goes to the new URL.">
      <Form
        className="flex max-w-2xl flex-col gap-4"
        onSend={() => {
          if (!edited || !isComplete(edited)) return
          change.mutate(
            { webhook: endpoint.id, ...edited },
            {
              onSuccess: () => {
                setEdited(null)
                say('Changes saved')
              },
            },
          )
        }}
      >
        <EndpointFields value={settings} onChange={setEdited} />
        <Refused error={change.error} />
        <div className="flex gap-2">
          <Button
            type="submit"
            look="primary"
            busy={change.isPending}
            disabled={!edited}
            forbidden={!may && onlyAdmins}
          >
            Save changes
          </Button>
          {edited && <Button onClick={() => setEdited(null)}>Discard</Button>}
        </div>
      </Form>
    </Section>
  )
}
