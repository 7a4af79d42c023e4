import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { useParams } from '@tanstack/react-router'
import { Pause, Play, Trash2 } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { ManagedBanner } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { AskButton } from '../ui/dialog.tsx'
import { useGo } from '../ui/link.ts'
import { Card, Loaded, Page, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { EditEndpoint } from './edit.tsx'
import { Messages } from './messages.tsx'
import { Secret } from './secret.tsx'
import { SendTest } from './send-test.tsx'
import { lookOf, nameOf } from './words.ts'

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
          <Back to="/$ws/settings/webhooks" />
          {endpoint.data && <Badge {...lookOf(endpoint.data)} />}
        </>
      }
      aside={endpoint.data && <Actions endpoint={endpoint.data} />}
    >
      <Loaded of={endpoint} lines={8}>
        {(known) => (
          <>
            <ManagedBanner kind="webhooks" which={{ id: known.id }} />
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
      ? `${offBecause === 'gone' ? 'The endpoint answered that it’s gone (410), so it was turned off.' : 'Nothing could be delivered for 5 days, so the endpoint was turned off.'} Resume it to send pending events. Events are kept for 30 days. ${waits}`
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
  const { id, state } = endpoint
  const [go, forbidden] = [useGo(), useForbidden('manage webhooks')]
  const pause = useAction('webhooks.pause', { said: 'Endpoint paused' })
  const resume = useAction('webhooks.resume', { said: 'Endpoint resumed' })
  const remove = useAction('webhooks.remove', {
    said: 'Endpoint removed',
    next: () => go({ to: '/$ws/settings/webhooks' }),
  })
  const isActive = state === 'active'
  return (
    <>
      <SendTest endpoint={id} />
      <Button
        icon={isActive ? <Pause size={14} /> : <Play size={14} />}
        forbidden={forbidden}
        {...(isActive ? pause : resume).button({ webhook: id })}
      >
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <AskButton
        label="Remove"
        look="quiet"
        icon={<Trash2 size={14} />}
        forbidden={forbidden}
        does={remove}
        to={{ webhook: id }}
        title={`Remove ${nameOf(endpoint)}?`}
        action="Remove endpoint"
      >
        Nothing more is sent to it, and you can no longer see what was sent. This can’t be undone.
      </AskButton>
    </>
  )
}
