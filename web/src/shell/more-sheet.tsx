import { Bell, Search } from 'lucide-react'
import { useUnreadCount } from '../notifications/unread.ts'
import { Dialog } from '../ui/dialog.tsx'
import { destinations, firstOnPhones } from './destinations.ts'
import { AccountMenu, WorkspaceMenu } from './menus.tsx'
import { DestinationLink } from './sidebar.tsx'

interface Props {
  onClose: () => void
  openPalette: () => void
  openNotifications: () => void
}

/** What the bar has no room for. */
export default function MoreSheet({ onClose, openPalette, openNotifications }: Props) {
  const unread = useUnreadCount()
  return (
    <Dialog onClose={onClose} title="Go to">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link may lead to where one is already */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: likewise */}
      <div onClick={(event) => (event.target as HTMLElement).closest('a') && onClose()}>
        <div className="mb-2">
          <WorkspaceMenu />
        </div>
        <button
          type="button"
          onClick={() => {
            onClose()
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
            onClose()
            openNotifications()
          }}
          className="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm font-medium text-muted hover:bg-hover hover:text-text"
        >
          <Bell size={16} aria-hidden="true" />
          <span className="flex-1 text-left">Notifications</span>
          {unread > 0 && <span className="text-xs tabular-nums">{unread} unread</span>}
        </button>
        {destinations
          .filter(({ to }) => !firstOnPhones.includes(to))
          .map((destination) => (
            <DestinationLink key={destination.to} destination={destination} />
          ))}
        <div className="mt-2 border-t pt-2">
          <AccountMenu />
        </div>
      </div>
    </Dialog>
  )
}
