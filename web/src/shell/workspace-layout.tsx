import { Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useLive } from '../api/live.ts'
import { useMay } from '../api/me.ts'
import { useWorkspace } from '../api/queries.ts'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { places } from './places.ts'
import { useRememberVisits } from './recent.ts'
import { type Shortcuts, useShortcuts } from './shortcuts.ts'
import { Sidebar } from './sidebar.tsx'

const Palette = lazy(() => import('./palette.tsx'))
const Help = lazy(() => import('./help.tsx'))

/** What stands around every screen of a workspace. */
export function WorkspaceLayout() {
  const [ws, navigate, mayAudit] = [useWorkspace(), useNavigate(), useMay('admin')]
  const [open, setOpen] = useState<'palette' | 'help' | null>(null)
  const live = useLive(ws)
  useRememberVisits(ws)
  const goTo: Shortcuts = Object.fromEntries(
    places
      .filter(({ least }) => !least || mayAudit)
      .map(({ key, name, to }) => [
        `g ${key}`,
        { what: `Go to ${name}`, run: () => void navigate({ to, params: { ws } }) },
      ]),
  )
  useShortcuts({
    ...goTo,
    'mod+k': { what: 'Search or go to', run: () => setOpen('palette') },
    '?': { what: 'Show the keys', run: () => setOpen('help') },
  })
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent-fill px-3 py-2 text-white focus:translate-y-0"
      >
        Skip to the content
      </a>
      <Sidebar openPalette={() => setOpen('palette')} />
      <div className="flex min-w-0 flex-1 flex-col bg-surface pb-16 md:pb-0">
        <ConnectionBar state={live} />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <Outlet />
        </main>
      </div>
      <BottomBar openPalette={() => setOpen('palette')} />
      <Suspense>
        {open === 'palette' && <Palette onClose={() => setOpen(null)} onHelp={() => setOpen('help')} />}
        {open === 'help' && <Help onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  )
}
