import { Bell as Picture } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'
import { useUnreadCount } from './unread.ts'

/** How many notifications wait to be read, and the way to them. */
export function Bell({ onOpen }: { onOpen: () => void }) {
  const unread = useUnreadCount()
  return (
    <IconButton
      label={unread > 0 ? `Notifications, ${unread} unread` : 'Notifications'}
      className="relative shrink-0"
      onClick={onOpen}
    >
      <Picture size={16} aria-hidden="true" />
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="absolute -top-1 -right-1 rounded-full bg-accent-fill px-1.5 text-2xs leading-4 font-semibold text-white tabular-nums"
        >
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </IconButton>
  )
}
