import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import type { NotificationKind, NotificationWays } from '@signalbox/contract/notifications.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../api/me.ts'
import { usePersonal, usePersonalWrite } from '../api/queries.ts'
import { type PushState, pushState, subscribe, subscribed, unsubscribe } from '../browser/push.ts'
import { usePersonalAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Loaded, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Tick } from '../ui/ticks.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { browserOf } from './browser.ts'
import { NightReportTime } from './night-report-time.tsx'

const kindWords: Record<NotificationKind, { name: string; hint: string }> = {
  decision: { name: 'Decisions', hint: 'A decision that you can answer is waiting.' },
  incident: { name: 'Incidents', hint: 'An incident opens or is resolved on a service that notifies you.' },
  run: { name: 'Runs', hint: 'A run of a story you filed ends, or waits for someone else to answer.' },
  webhook: { name: 'Webhooks', hint: 'An endpoint has failed for a day, or was turned off. For owners.' },
  connection: {
    name: 'Connections',
    hint: 'A connected tool rejects Signalbox, and work is waiting. For owners and admins.',
  },
  runner: {
    name: 'Runners',
    hint: 'A new runner is waiting for approval, or another machine tried to connect as one. For owners and admins.',
  },
  suggestion: {
    name: 'Policy suggestions',
    hint: 'A team’s approvals suggest a larger limit for merging without asking. For owners and admins.',
  },
  report: {
    name: 'Night shift report',
    hint: 'What was done overnight and what’s waiting for you, each morning if there’s something to report.',
  },
  token: { name: 'API tokens', hint: 'One of your tokens expires within a week, and again within a day.' },
}

const ways: { way: keyof NotificationWays; name: string }[] = [
  { way: 'inApp', name: 'In the app' },
  { way: 'byMail', name: 'By email' },
  { way: 'byPush', name: 'By push' },
]

type Kind = NotificationSettings['kinds'][number]

/** What one is told, and how. */
export function Notifications() {
  const settings = usePersonal('account.notifications', {})
  return (
    <Loaded of={settings} lines={6}>
      {(known) => (
        <>
          <Kinds settings={known} />
          <NightReportTime settings={known} />
          <Pushes settings={known} />
        </>
      )}
    </Loaded>
  )
}

function Kinds({ settings: { kinds, mail } }: { settings: NotificationSettings }) {
  const write = usePersonalWrite('account.setNotifications')
  // What was chosen shows at once, and not only when it is written.
  const [chosen, setChosen] = useState<readonly Kind[]>([])
  const shown = kinds.map((one) => chosen.findLast(({ kind }) => kind === one.kind) ?? one)
  const choose = (next: Kind) => {
    setChosen((before) => [...before, next])
    write
      .mutateAsync(next)
      .catch(complain)
      .finally(() => setChosen((before) => before.filter((one) => one !== next)))
  }
  return (
    <Section
      title="Notifications"
      hint={
        mail ? (
          'These apply to all your workspaces.'
        ) : (
          <RefusalText
            text={`These apply to all your workspaces. No email is sent. ${asksFor('SMTP_URL')}`}
          />
        )
      }
    >
      <Card className="divide-y">
        {shown.map((one) => (
          <fieldset key={one.kind} className="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3">
            <legend className="sr-only">{kindWords[one.kind].name}</legend>
            <div className="min-w-0 flex-1 basis-56">
              <div aria-hidden="true" className="text-sm font-medium">
                {kindWords[one.kind].name}
              </div>
              <div className="text-xs text-muted">{kindWords[one.kind].hint}</div>
            </div>
            <div className="flex flex-wrap gap-x-4">
              {ways.map(({ way, name }) => (
                <Tick
                  key={way}
                  type="checkbox"
                  checked={one[way]}
                  disabled={way === 'byMail' && !mail}
                  onChange={({ target }) => choose({ ...one, [way]: target.checked })}
                >
                  {name}
                </Tick>
              ))}
            </div>
          </fieldset>
        ))}
      </Card>
    </Section>
  )
}

const why: Record<Exclude<PushState, 'possible'>, string> = {
  insecure: 'Push notifications work only over https.',
  unsupported:
    'This browser doesn’t support push notifications. On an iPhone or iPad, add Signalbox to the home screen first.',
  blocked:
    'This browser blocks notifications from Signalbox. Allow them in its settings, then reload the page.',
}

function Pushes({ settings: { browsers, pushKey } }: { settings: NotificationSettings }) {
  const me = useMe()
  const turnOn = usePersonalWrite('account.turnOnPush')
  const turnOff = usePersonalAction('account.turnOffPush', { said: 'Push notifications turned off' })
  const [isAsking, setIsAsking] = useState(false)
  const mine = useQuery({
    queryKey: ['', 'push', me?.id],
    queryFn: async () => (me ? ((await subscribed(me.id))?.endpoint ?? null) : null),
  })
  const state = pushState()
  const isOn = browsers.some(({ endpoint }) => endpoint === mine.data)
  const begin = async () => {
    setIsAsking(true)
    try {
      const made = await subscribe(pushKey, me!.id)
      if (!made) say('This browser didn’t allow notifications')
      else await turnOn.mutateAsync(made).then(() => say('Push notifications turned on'))
    } catch (error) {
      complain(error)
    } finally {
      setIsAsking(false)
    }
  }
  const end = async ({ id, endpoint }: { id: string; endpoint: string }) => {
    if (endpoint === mine.data) await unsubscribe()
    turnOff.press({ id })
  }
  return (
    <Section
      title="Push notifications"
      hint="Get notified while Signalbox is closed. Notifications are encrypted, so only your browser can read them."
      aside={
        state === 'possible' &&
        !isOn && (
          <Button look="primary" busy={isAsking || !me} onClick={() => void begin()}>
            Turn on in this browser
          </Button>
        )
      }
    >
      {state !== 'possible' && <p className="mb-3 text-sm text-muted">{why[state]}</p>}
      {browsers.length === 0 ? (
        <p className="text-sm text-muted">Push notifications aren’t turned on in any browser.</p>
      ) : (
        <Card className="divide-y">
          {browsers.map((browser) => (
            <div key={browser.id} className="flex items-center gap-3 px-4 py-2.5 text-sm">
              <div className="min-w-0 flex-1">
                <div className="flex flex-wrap items-center gap-2 font-medium">
                  {browserOf(browser.userAgent)}
                  {browser.endpoint === mine.data && <Badge tone="ok" word="this one" />}
                </div>
                <div className="text-xs text-muted">
                  turned on <Time at={browser.createdAt} />
                </div>
              </div>
              <Button size="small" busy={turnOff.isPending} onClick={() => void end(browser)}>
                Turn off
              </Button>
            </div>
          ))}
        </Card>
      )}
    </Section>
  )
}
