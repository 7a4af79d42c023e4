import { useLocation } from '@tanstack/react-router'
import { MoreHorizontal } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { code } from '../api/code.ts'
import { useUnreadCount } from '../notifications/unread.ts'
import { Link } from '../ui/link.ts'
import { complain } from '../ui/toast.tsx'
import { Count } from './count.tsx'
import { destinations, firstOnPhones as first } from './destinations.ts'

const loadMore = () => code(() => import('./more-sheet.tsx'))
const MoreSheet = lazy(loadMore)

const item =
  'relative flex h-14 flex-1 flex-col items-center justify-center gap-1 text-2xs font-medium text-muted'

const onIcon = 'absolute top-1 left-1/2 ml-2 rounded-full'

interface Props {
  openPalette: () => void
  openNotifications: () => void
}

/** The way around, on a phone. */
export function BottomBar({ openPalette, openNotifications }: Props) {
  const unread = useUnreadCount()
  const [more, setMore] = useState(false)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address changed; the sheet has done its work
  useEffect(() => setMore(false), [path])
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-surface pb-[env(safe-area-inset-bottom)]"
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
      <button
        type="button"
        className={item}
        onClick={() => void loadMore().then(() => setMore(true), complain)}
        aria-expanded={more}
      >
        <MoreHorizontal size={20} aria-hidden="true" />
        More
        {unread > 0 && (
          <span className={`bg-accent-fill px-1.5 text-2xs leading-4 font-semibold text-white ${onIcon}`}>
            {unread > 99 ? '99+' : unread}
            <span className="sr-only"> unread</span>
          </span>
        )}
      </button>
      <Suspense>
        {more && (
          <MoreSheet
            onClose={() => setMore(false)}
            openPalette={openPalette}
            openNotifications={openNotifications}
          />
        )}
      </Suspense>
    </nav>
  )
}
