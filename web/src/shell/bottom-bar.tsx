import { useLocation } from '@tanstack/react-router'
import { Bell, MoreHorizontal, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useUnreadCount } from '../notifications/unread.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Link } from '../ui/link.ts'
import { AccountMenu } from './account-menu.tsx'
import { Count } from './count.tsx'
import { destinations } from './destinations.ts'
import { DestinationLink } from './sidebar.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

const first = ['/$ws/inbox', '/$ws/teams', '/$ws/runs', '/$ws/incidents']
const item =
  'relative flex h-14 flex-1 flex-col items-center justify-center gap-1 text-2xs font-medium text-muted'

const onIcon = 'absolute top-1 left-1/2 ml-1.5 rounded-full'

interface Props {
  openPalette: () => void
  openNotifications: () => void
}

/** The way around, on a phone. */
export function BottomBar({ openPalette, openNotifications }: Props) {
  const unread = useUnreadCount()
  const [more, setMore] = useState(false)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: somebody went elsewhere; the sheet has done its work
  useEffect(() => setMore(false), [path])
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {destinations
        .filter(({ to }) => first.includes(to))
        .map(({ to, name, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className={item}
            activeProps={{ className: 'text-accent!', 'aria-current': 'page' }}
          >
            <Icon size={20} aria-hidden="true" />
            {name}
            <Count of={to} className={onIcon} />
          </Link>
        ))}
      <button type="button" className={item} onClick={() => setMore(true)} aria-expanded={more}>
        <MoreHorizontal size={20} aria-hidden="true" />
        More
        {unread > 0 && (
          <span className={`bg-accent-fill px-1.5 text-2xs leading-4 font-semibold text-white ${onIcon}`}>
            {unread > 99 ? '99+' : unread}
            <span className="sr-only"> unread</span>
          </span>
        )}
      </button>
      <Dialog open={more} onClose={() => setMore(false)} title="Go to">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link may lead to where one is already */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: likewise */}
        <div onClick={(event) => (event.target as HTMLElement).closest('a') && setMore(false)}>
          <div className="mb-2">
            <WorkspaceMenu />
          </div>
          <button
            type="button"
            onClick={() => {
              setMore(false)
              openPalette()
            }}
            className="mb-2 flex h-10 w-full items-center gap-2.5 rounded-md border px-2 text-sm text-muted hover:bg-hover"
          >
            <Search size={16} aria-hidden="true" />
            Search or go to…
          </button>
          <button
            type="button"
            onClick={() => {
              setMore(false)
              openNotifications()
            }}
            className="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm font-medium text-muted hover:bg-hover hover:text-text"
          >
            <Bell size={16} aria-hidden="true" />
            <span className="flex-1 text-left">Notifications</span>
            {unread > 0 && <span className="text-xs tabular-nums">{unread} unread</span>}
          </button>
          {destinations
            .filter(({ to }) => !first.includes(to))
            .map((destination) => (
              <DestinationLink key={destination.to} destination={destination} />
            ))}
          <div className="mt-2 border-t pt-2">
            <AccountMenu />
          </div>
        </div>
      </Dialog>
    </nav>
  )
}
