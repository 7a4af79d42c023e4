import { Outlet } from '@tanstack/react-router'
import { Blocks, HeartPulse, KeyRound, LogIn, Server, Settings2, Users, Webhook } from 'lucide-react'
import { useOwnsInstallation } from '../api/me.ts'
import { Link } from '../ui/link.ts'
import { Tabs, tabClass } from '../ui/page.tsx'

const ofWorkspace = [
  { to: '/$ws/settings/general', name: 'General', icon: Settings2 },
  { to: '/$ws/settings/members', name: 'Members', icon: Users },
  { to: '/$ws/settings/single-sign-on', name: 'Single sign-on', icon: LogIn },
  { to: '/$ws/settings/runners', name: 'Runners', icon: Server },
  { to: '/$ws/settings/api', name: 'API', icon: KeyRound },
  { to: '/$ws/settings/webhooks', name: 'Webhooks', icon: Webhook },
  { to: '/$ws/settings/connections', name: 'Connections', icon: Blocks },
] as const

const ofInstallation = [{ to: '/$ws/settings/system', name: 'System', icon: HeartPulse }] as const

/** The settings of the workspace: a list beside them on a wide screen, tabs above them on a phone. */
export function SettingsLayout() {
  const parts = useOwnsInstallation() ? [...ofWorkspace, ...ofInstallation] : ofWorkspace
  return (
    <div className="flex w-full max-w-7xl flex-col lg:flex-row">
      <nav aria-label="Settings" className="hidden w-48 shrink-0 pt-6 pl-8 lg:block">
        <ul className="sticky top-6">
          {parts.map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm font-medium whitespace-nowrap text-muted hover:bg-hover hover:text-text"
                activeProps={{ className: 'bg-selected! text-text!', 'aria-current': 'page' }}
              >
                <Icon size={16} aria-hidden="true" />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="-mb-4 px-4 pt-2 md:px-8 lg:hidden">
        <Tabs label="Settings">
          {parts.map(({ to, name }) => (
            <Link key={to} to={to} {...tabClass}>
              {name}
            </Link>
          ))}
        </Tabs>
      </div>
      <div className="min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  )
}
