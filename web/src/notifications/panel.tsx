import type { Notification } from '@signalbox/contract/app/notifications.ts'
import type { NotificationKind } from '@signalbox/contract/notifications.ts'
import { Link } from '@tanstack/react-router'
import {
  Bell,
  Check,
  CircleHelp,
  KeyRound,
  type LucideIcon,
  PlayCircle,
  Plug,
  Server,
  Siren,
  Webhook,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import { usePages, useWorkspace, useWrite } from '../api/queries.ts'
import { takeKeptKeys } from '../browser/shortcuts.ts'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { More } from '../ui/more.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { complain } from '../ui/toast.tsx'
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
}

/** From here on no key reaches what lies behind it. */
const isThere = (part: HTMLElement | null) => void (part && takeKeptKeys())

/** What one was told in this workspace, newest first. */
export default function Panel({ onClose }: { onClose: () => void }) {
  const ws = useWorkspace()
  const list = usePages('notifications.list', {})
  const readAll = useWrite('notifications.readAll')
  const { all } = list
  const hasUnread = all?.some(({ unread }) => unread) ?? false
  const noted = useRef(new Set<string>())
  useEffect(() => {
    const shown = all?.filter(({ id, unread }) => unread && !noted.current.has(id)).slice(0, 100) ?? []
    for (const { id } of shown) noted.current.add(id)
    if (shown.length > 0) void noteShown(ws, shown)
  }, [ws, all])
  return (
    <Dialog open onClose={onClose} title="Notifications">
      <div ref={isThere} className="mb-3 flex flex-wrap gap-2">
        <Button
          size="small"
          icon={<Check size={14} aria-hidden="true" />}
          busy={readAll.isPending}
          forbidden={!hasUnread && 'Everything is read.'}
          onClick={() => readAll.mutate({}, { onError: complain })}
        >
          Mark all as read
        </Button>
        <Link to="/account" search={{ tab: 'notifications' }} className={buttonClass('quiet', 'small')}>
          Settings
        </Link>
      </div>
      <Loaded of={{ ...list, data: all }} lines={4}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={Bell} title="No notifications yet">
              You will find decisions you can answer, incidents, runs of your stories and expiring tokens
              here.
            </Empty>
          ) : (
            <ul className="-mx-2 flex flex-col">
              {rows.map((one) => (
                <Row key={one.id} notification={one} onOpen={onClose} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More of={list}>Show more</More>
    </Dialog>
  )
}

function Row({ notification: one, onOpen }: { notification: Notification; onOpen: () => void }) {
  const [ws, read] = [useWorkspace(), useWrite('notifications.read')]
  const Icon = icons[one.kind]
  const mark = () => read.mutate({ id: one.id }, { onError: complain })
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
          <span className={`block wrap-anywhere ${one.unread ? 'font-medium' : 'text-muted'}`}>
            {one.unread && <span className="sr-only">Unread: </span>}
            {one.title}
          </span>
          <span className="block text-xs wrap-anywhere text-muted">
            <Time at={one.createdAt} plain /> · {one.body}
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
