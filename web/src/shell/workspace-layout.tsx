import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue, useState } from 'react'
import { code } from '../api/code.ts'
import { useLive } from '../api/live.ts'
import { useMay, useMe } from '../api/me.ts'
import { useWorkspace } from '../api/queries.ts'
import { useRememberVisits } from '../browser/recent.ts'
import { useIsAtLeast } from '../browser/screen-width.ts'
import { keepKeys, type Shortcuts, takeKeptKeys, useShortcuts } from '../browser/shortcuts.ts'
import { useSnoozeEnds } from '../decisions/waiting-count.ts'
import { useArrivals } from '../notifications/arrivals.ts'
import { useKeepPush } from '../notifications/keep-push.ts'
import { useGo } from '../ui/link.ts'
import { complain } from '../ui/toast.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { destinations } from './destinations.ts'
import { NotAMember, Pending } from './error-pages.tsx'
import { Sidebar } from './sidebar.tsx'
import { useStanding } from './standing.ts'

const parts = {
  palette: () => code(() => import('./palette.tsx')),
  help: () => code(() => import('./help.tsx')),
  notifications: () => code(() => import('../notifications/panel.tsx')),
}
const [Palette, Help, Notifications] = [lazy(parts.palette), lazy(parts.help), lazy(parts.notifications)]

/** A workspace, to those who are in it. */
export function WorkspaceLayout() {
  const [ws, me] = [useWorkspace(), useMe()]
  const { here, former } = useStanding(ws, me)
  return me && !here ? <NotAMember slug={ws} me={me} former={former} /> : <Around />
}

/** What stands around every screen of a workspace. */
function Around() {
  const [ws, navigate, mayAudit] = [useWorkspace(), useGo(), useMay('admin')]
  const hasSidebar = useIsAtLeast('md')
  // The screen follows what is around it, in slices: on a phone both at the same moment would take a fifth of a second.
  const isBegun = useDeferredValue(true, false)
  const [open, setOpen] = useState<keyof typeof parts | null>(null)
  // Fetched first: without the server they cannot come, and the screen behind them should not go with them.
  const show = (part: keyof typeof parts) => {
    if (open === part) return
    keepKeys()
    void parts[part]().then(
      () => setOpen(part),
      (error) => {
        takeKeptKeys()
        complain(error)
      },
    )
  }
  const showNotifications = () => show('notifications')
  const live = useLive(ws)
  useArrivals(showNotifications)
  useKeepPush()
  useSnoozeEnds()
  useRememberVisits(ws)
  const goTo: Shortcuts = Object.fromEntries(
    destinations
      .filter(({ least }) => !least || mayAudit)
      .map(({ key, name, to }) => [`g ${key}`, { what: `Go to ${name}`, run: () => void navigate({ to }) }]),
  )
  useShortcuts({
    ...goTo,
    'mod+k': { what: 'Search or go to', run: () => show('palette') },
    '?': { what: 'Show keyboard shortcuts', run: () => show('help') },
  })
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent-fill px-3 py-2 text-white focus:translate-y-0"
      >
        Skip to content
      </a>
      {hasSidebar && <Sidebar openPalette={() => show('palette')} openNotifications={showNotifications} />}
      <div className="flex min-w-0 flex-1 flex-col bg-surface pb-16 md:pb-0">
        <ConnectionBar state={live} />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {isBegun ? <Outlet /> : <Pending />}
        </main>
      </div>
      {!hasSidebar && <BottomBar openPalette={() => show('palette')} openNotifications={showNotifications} />}
      <Suspense>
        {open === 'palette' && <Palette onClose={() => setOpen(null)} onHelp={() => show('help')} />}
        {open === 'notifications' && <Notifications onClose={() => setOpen(null)} />}
        {open === 'help' && <Help onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  )
}
