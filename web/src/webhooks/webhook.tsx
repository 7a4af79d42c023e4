import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Card, Loaded, Page, Section } from '../ui/page.tsx'
import { dateOf, Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { EditEndpoint } from './edit.tsx'
import { Messages } from './messages.tsx'
import { Secret } from './secret.tsx'
import { SendTest } from './send-test.tsx'
import { Trail } from './trail.tsx'
import { lookOf, nameOf, onlyAdmins } from './words.ts'

const everyMs = 5_000

/** One endpoint: how it is, its secret, what it was sent, its settings. */
export function WebhookScreen() {
  const { webhook } = useParams({ from: '/$ws/settings/webhooks/$webhook' })
  const endpoint = useRead('webhooks.read', { webhook }, { every: everyMs })
  return (
    <Page
      title={endpoint.data ? nameOf(endpoint.data) : 'Endpoint'}
      above={
        <>
          <Trail />
          {endpoint.data && <Badge {...lookOf(endpoint.data)} />}
        </>
      }
      aside={endpoint.data && <Actions endpoint={endpoint.data} />}
    >
      <Loaded of={endpoint} lines={8}>
        {(known) => (
          <>
            <Standing endpoint={known} />
            <Section title="Address and secret">
              <Card className="grid gap-4 p-4 md:grid-cols-[minmax(0,1fr)_auto]">
                <div className="min-w-0">
                  <h3 className="mb-1 text-sm font-medium">URL</h3>
                  <Copyable text={known.url} label="Copy URL" />
                </div>
                <div>
                  <h3 className="mb-1 text-sm font-medium">Signing secret</h3>
                  <Secret endpoint={known} />
                </div>
              </Card>
            </Section>
            <Messages endpoint={known} />
            <EditEndpoint endpoint={known} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** What is not as it should be, and what to do about it. */
function Standing({ endpoint: { state, offBecause, failingSince, waiting } }: { endpoint: WebhookRow }) {
  const waits =
    waiting === 0
      ? ''
      : `${waiting > 1_000 ? 'More than 1,000 events are' : waiting === 1 ? '1 event is' : `${waiting} events are`} waiting.`
  const said =
    state === 'off'
      ? `${offBecause === 'gone' ? 'The endpoint answered that it’s gone (410), so it was turned off.' : 'Nothing could be delivered for 5 days, so the endpoint was turned off.'} Resume it to send what is waiting. Events are kept for 30 days. ${waits}`
      : state === 'paused'
        ? `Events wait while the endpoint is paused, for up to 30 days. They’re sent when you resume it. ${waits}`
        : null
  if (said) return <p className="mb-6 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">{said.trim()}</p>
  if (!failingSince) return null
  return (
    <p className="mb-6 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      Nothing has been delivered since <Time at={failingSince} plain />. After 5 days, on{' '}
      {dateOf(new Date(Date.parse(failingSince) + 5 * 86_400_000))}, the endpoint is turned off. {waits}
    </p>
  )
}

function Actions({ endpoint }: { endpoint: WebhookRow }) {
  const ws = useWorkspace()
  const navigate = useNavigate()
  const may = useMay('admin')
  const forbidden = !may && onlyAdmins
  const [asks, setAsks] = useState(false)
  const pause = useWrite('webhooks.pause')
  const resume = useWrite('webhooks.resume')
  const remove = useWrite('webhooks.remove')
  const { id, state } = endpoint
  const isActive = state === 'active'
  return (
    <>
      <SendTest endpoint={id} />
      <Button
        icon={isActive ? <Pause size={14} /> : <Play size={14} />}
        busy={pause.isPending || resume.isPending}
        forbidden={forbidden}
        onClick={() =>
          (isActive ? pause : resume).mutate(
            { webhook: id },
            {
              onSuccess: () => say(isActive ? 'Endpoint paused' : 'Endpoint resumed'),
              onError: complain,
            },
          )
        }
      >
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Button look="quiet" icon={<Trash2 size={14} />} forbidden={forbidden} onClick={() => setAsks(true)}>
        Remove
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={`Remove ${nameOf(endpoint)}?`}
        action="Remove endpoint"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { webhook: id },
            {
              onSuccess: () => {
                say('Endpoint removed')
                void navigate({ to: '/$ws/settings/webhooks', params: { ws } })
              },
              onError: complain,
            },
          )
        }
      >
        Nothing more is sent to it, and you can no longer see what was sent. This can’t be undone.
      </Confirm>
    </>
  )
}
