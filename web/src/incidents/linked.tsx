import type { IncidentNotification, IncidentPage } from '@signalbox/contract/app/incidents.ts'
import {
  Bell,
  CheckCircle2,
  CircleSlash,
  Clock,
  type LucideIcon,
  Mail,
  MessageSquare,
  Smartphone,
  XCircle,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Card } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { statuses } from '../words/decisions.ts'
import { eventWords } from './steps.ts'

const wordOf = (status: string) => `${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`

/** Decisions, stories and runs that came from the incident. Decisions that still wait stand at the top of the page. */
export function Linked({ incident: { decisions: all, stories, runs } }: { incident: IncidentPage }) {
  const decisions = all.filter(({ status }) => status !== 'pending')
  if (decisions.length + stories.length + runs.length === 0) return null
  return (
    <Card className="flex flex-col gap-3 p-4 text-sm">
      <Group title="Decisions" count={decisions.length}>
        {decisions.map(({ key, title, status, answer, by }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-2">
            <KeyLink to="decision" of={key} className={linkClass} />
            <Badge {...statuses[status]} />
            <span dir="auto" className="basis-full wrap-anywhere">
              <Coded text={title} />
            </span>
            {answer && (
              <span className="basis-full wrap-anywhere text-muted">
                Answer: <bdi>{answer}</bdi>
                {by && `, by ${by}`}
              </span>
            )}
          </li>
        ))}
      </Group>
      <Group title="Stories" count={stories.length}>
        {stories.map(({ key, title, column }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-2">
            <KeyLink to="story" of={key} className={linkClass} />
            <Badge word={column} />
            <span dir="auto" className="basis-full wrap-anywhere">
              <Coded text={title} />
            </span>
          </li>
        ))}
      </Group>
      <Group title="Runs" count={runs.length}>
        {runs.map(({ key, story, phase }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-2">
            <KeyLink to="run" of={key} className={linkClass} />
            <Badge word={wordOf(phase)} />
            <span className="text-muted">for {story}</span>
          </li>
        ))}
      </Group>
    </Card>
  )
}

const linkClass = 'inline-flex min-h-7 items-center font-mono text-xs text-accent hover:underline'

function Group({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null
  return (
    <div>
      <h2 className="mb-1 text-xs font-medium text-muted">{title}</h2>
      <ul className="flex flex-col gap-1.5">{children}</ul>
    </div>
  )
}

const channelIcons: Record<IncidentNotification['by'], LucideIcon> = {
  app: Bell,
  mail: Mail,
  push: Smartphone,
  post: MessageSquare,
}

/** Who was notified and where it was posted, with how far that got. */
export function IncidentNotifications({ notifications }: { notifications: IncidentNotification[] }) {
  return (
    <Card className="p-4 text-sm">
      <h2 className="mb-2 text-xs font-medium text-muted">Notifications</h2>
      {notifications.length === 0 ? (
        <p className="text-muted">
          No one was notified. Add members or incident channels in the service’s settings.
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {notifications.map((notification) => {
            const Icon = channelIcons[notification.by]
            return (
              <li
                key={`${notification.by} ${notification.to} ${notification.what} ${notification.at}`}
                className="flex flex-wrap items-center gap-x-2"
              >
                <Icon size={13} aria-hidden="true" className="shrink-0 text-muted" />
                <span className="font-medium wrap-anywhere">{notification.to}</span>
                <span className="text-muted">{eventWords[notification.what]}</span>
                <Delivered notification={notification} />
                <span className="text-xs text-muted">
                  <Time at={notification.at} />
                </span>
                {notification.error && notification.state !== 'sent' && (
                  <span className="basis-full text-xs wrap-anywhere text-muted">{notification.error}</span>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}

function Delivered({ notification: { by, state, attempts } }: { notification: IncidentNotification }) {
  switch (state) {
    case 'sent':
      return by === 'app' ? (
        <Badge icon={Clock} word="In the app, not shown yet" />
      ) : (
        <Badge tone="ok" icon={CheckCircle2} word={{ mail: 'Emailed', push: 'Pushed', post: 'Posted' }[by]} />
      )
    case 'shown':
      return <Badge tone="ok" icon={CheckCircle2} word="Shown in the app" />
    case 'refused':
      return <Badge tone="danger" icon={XCircle} word="Email rejected" />
    case 'dropped':
      return <Badge icon={CircleSlash} word="Not needed" />
    default:
      return (
        <Badge
          tone="warn"
          icon={Clock}
          word={attempts > 1 ? `Sending, tried ${attempts} times` : 'Sending'}
        />
      )
  }
}
