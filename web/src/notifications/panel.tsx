import type { Notification } from '@signalbox/contract/app/notifications.ts'
import type { NotificationKind } from '@signalbox/contract/notifications.ts'
import { Link } from '@tanstack/react-router'
import {
  Bell,
  Check,
  CircleHelp,
  KeyRound,
  Lightbulb,
  type LucideIcon,
  PlayCircle,
  Plug,
  Server,
  Siren,
  Sunrise,
  Webhook,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import { usePages, useWorkspace } from '../api/queries.ts'
import { takeKeptKeys } from '../browser/shortcuts.ts'
import { useAction } from '../ui/action.ts'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { Coded, Keyed } from '../ui/coded.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { List } from '../ui/listed.tsx'
import { Empty } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { noteShown } from './arrivals.ts'
import { linkOf } from './link.ts'

const icons: Record<NotificationKind, LucideIcon> = {
  decision: CircleHelp,
  incident: Siren,
  run: PlayCircle,
  token: KeyRound,
  webhook: Webhook,
  runner: Server,
  connection: Plug,
  report: Sunrise,
  suggestion: Lightbulb,
}

/** From here on no key reaches what lies behind it. */
const isThere = (part: HTMLElement | null) => void (part && takeKeptKeys())

/** What one was told in this workspace, newest first. */
export default function Panel({ onClose }: { onClose: () => void }) {
  const ws = useWorkspace()
  const list = usePages('notifications.list', {})
  const readAll = useAction('notifications.readAll')
  const { data: all } = list
  const hasUnread = all?.some(({ unread }) => unread) ?? false
  const noted = useRef(new Set<string>())
  useEffect(() => {
    const shown = all?.filter(({ id, unread }) => unread && !noted.current.has(id)).slice(0, 100) ?? []
    for (const { id } of shown) noted.current.add(id)
    if (shown.length > 0) void noteShown(ws, shown)
  }, [ws, all])
  return (
    <Dialog onClose={onClose} title="Notifications">
      <div ref={isThere} className="mb-3 flex flex-wrap gap-2">
        <Button
          size="small"
          icon={<Check size={14} aria-hidden="true" />}
          forbidden={!hasUnread && 'No unread notifications'}
          {...readAll.button({})}
        >
          Mark all as read
        </Button>
        <Link to="/account" search={{ tab: 'notifications' }} className={buttonClass('quiet', 'small')}>
          Settings
        </Link>
      </div>
      <List of={list} lines={4} empty={nothing} more="Show more">
        {(rows) => (
          <ul className="-mx-2 flex flex-col">
            {rows.map((one) => (
              <Row key={one.id} notification={one} onOpen={onClose} />
            ))}
          </ul>
        )}
      </List>
    </Dialog>
  )
}

const nothing = (
  <Empty icon={Bell} title="No notifications yet">
    Decisions you can answer, incidents, runs of your stories and expiring tokens show up here.
  </Empty>
)

function Row({ notification: one, onOpen }: { notification: Notification; onOpen: () => void }) {
  const [ws, read] = [useWorkspace(), useAction('notifications.read')]
  const Icon = icons[one.kind]
  const mark = () => read.press({ id: one.id })
  return (
    <li className="flex items-start gap-1 rounded-md hover:bg-hover">
      <Link
        {...linkOf(ws, one)}
        onClick={() => {
          if (one.unread) mark()
          onOpen()
        }}
        className="flex min-w-0 flex-1 items-start gap-2.5 px-2 py-2 text-sm"
      >
        <Icon
          size={16}
          aria-hidden="true"
          className={`mt-0.5 shrink-0 ${one.unread ? 'text-accent' : 'text-muted'}`}
        />
        <span className="min-w-0 flex-1">
          <span dir="auto" className={`block wrap-anywhere ${one.unread ? 'font-medium' : 'text-muted'}`}>
            {one.unread && <span className="sr-only">Unread: </span>}
            <Coded text={one.title} />
          </span>
          <span className="block text-xs wrap-anywhere text-muted">
            <Time at={one.createdAt} plain /> · <Keyed text={one.body} />
          </span>
        </span>
      </Link>
      {one.unread && (
        <IconButton label={`Mark as read: ${one.title}`} className="mt-1 mr-1 shrink-0" onClick={mark}>
          <Check size={14} />
        </IconButton>
      )}
    </li>
  )
}
