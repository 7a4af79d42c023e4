import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useUnkept } from '../api/unkept.ts'
import { Back } from '../ui/back.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Form } from '../ui/form.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Card, Page } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { EndpointFields, everyEvent, isComplete, type Settings } from './fields.tsx'

/** Adds an endpoint, and shows its secret, this once: it is kept in this component and nowhere else. */
export function NewWebhook() {
  const [added, setAdded] = useState<{ id: string; secret: string } | null>(null)
  return (
    <Page title={added ? 'Endpoint added' : 'Add endpoint'} above={<Back to="/$ws/settings/webhooks" />}>
      <div className="max-w-2xl">{added ? <Added endpoint={added} /> : <NewForm onAdded={setAdded} />}</div>
    </Page>
  )
}

function NewForm({ onAdded }: { onAdded: (endpoint: { id: string; secret: string }) => void }) {
  const forbidden = useForbidden('manage webhooks')
  const add = useUnkept('webhooks.add')
  const [settings, setSettings] = useState<Settings>({
    url: '',
    description: '',
    events: everyEvent,
    teams: null,
  })
  return (
    <Form
      onSend={() => {
        if (isComplete(settings)) void add.send(settings, onAdded)
      }}
    >
      <EndpointFields value={settings} onChange={setSettings} />
      <Refused error={add.error} />
      <div className="flex justify-end gap-2">
        <Link to="/$ws/settings/webhooks" className={buttonClass()}>
          Cancel
        </Link>
        <Button type="submit" look="primary" busy={add.isPending} forbidden={forbidden}>
          Add endpoint
        </Button>
      </div>
    </Form>
  )
}

function Added({ endpoint: { id, secret } }: { endpoint: { id: string; secret: string } }) {
  const navigate = useGo()
  return (
    <Card className="flex flex-col gap-4 p-4">
      <p role="status" className="text-sm">
        Copy the signing secret now. You won’t see it again. Your receiver needs it to verify that a message
        comes from here.
      </p>
      <Copyable text={secret} label="Copy secret" />
      <p className="text-sm text-muted">
        Messages follow Standard Webhooks. Libraries for most languages check the headers{' '}
        <code className="font-mono text-xs">webhook-id</code>,{' '}
        <code className="font-mono text-xs">webhook-timestamp</code> and{' '}
        <code className="font-mono text-xs">webhook-signature</code> for you.
      </p>
      <div className="flex justify-end">
        <Button
          look="primary"
          onClick={() => void navigate({ to: '/$ws/settings/webhooks/$webhook', params: { webhook: id } })}
        >
          I’ve copied it
        </Button>
      </div>
    </Card>
  )
}
