import { ListChecks } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { Bell } from '../notifications/bell.tsx'
import { Kbd } from '../ui/badge.tsx'
import { Link } from '../ui/link.ts'
import { Tooltip } from '../ui/tooltip.tsx'
import { useChecklist } from '../workspaces/use-checklist.ts'
import { Count } from './count.tsx'
import { type Destination, destinations } from './destinations.ts'
import { AccountMenu, WorkspaceMenu } from './menus.tsx'

const groups = ['work', 'on call', 'administration'] as const
const titles = { work: 'Work', 'on call': 'On call', administration: 'Administration' }

interface Props {
  openPalette: () => void
  openNotifications: () => void
}

/** The way around, on a wide screen. */
export function Sidebar({ openPalette, openNotifications }: Props) {
  return (
    <div className="sticky top-0 flex h-dvh w-56 shrink-0 flex-col border-r bg-bg">
      <div className="flex items-center gap-1 p-2">
        <div className="min-w-0 flex-1">
          <WorkspaceMenu />
        </div>
        <Bell onOpen={openNotifications} />
      </div>
      <button
        type="button"
        onClick={openPalette}
        className="mx-2 mb-2 flex h-8 items-center justify-between rounded-md border bg-surface px-2.5 text-sm text-muted hover:bg-hover"
      >
        Search or go to…
        <Kbd>{/Mac/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</Kbd>
      </button>
      <nav aria-label="Main" className="flex-1 overflow-y-auto px-2">
        <StartLink />
        {groups.map((group) => (
          <div key={group} className="mb-3">
            <div className="px-2 py-1 text-2xs font-medium text-muted">{titles[group]}</div>
            <ul>
              {destinations
                .filter((destination) => destination.group === group)
                .map((destination) => (
                  <li key={destination.to}>
                    <DestinationLink destination={destination} />
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="border-t p-2">
        <AccountMenu />
      </div>
    </div>
  )
}

const line = 'flex h-8 items-center gap-2.5 rounded-md px-2 text-sm font-medium'

/** The first steps, as long as there are some. */
function StartLink() {
  const checklist = useChecklist()
  return (
    checklist && (
      <Link
        to="/$ws/start"
        className={`${line} mb-3 text-muted hover:bg-hover hover:text-text`}
        activeProps={{ className: 'bg-selected! text-text!', 'aria-current': 'page' }}
      >
        <ListChecks size={16} aria-hidden="true" />
        Get started
      </Link>
    )
  )
}

export function DestinationLink({ destination }: { destination: Destination }) {
  const allowed = useMay(destination.least ?? 'member')
  const Icon = destination.icon
  if (!allowed) {
    return (
      <Tooltip text={destination.reason ?? ''} onPress>
        {/* biome-ignore lint/a11y/useSemanticElements: a link that leads nowhere has no address, and its reason must be reachable */}
        <span aria-disabled="true" role="link" tabIndex={0} className={`${line} text-muted opacity-75`}>
          <Icon size={16} aria-hidden="true" />
          {destination.name}
          <span className="sr-only">({destination.reason})</span>
        </span>
      </Tooltip>
    )
  }
  return (
    <Link
      to={destination.to}
      className={`${line} text-muted hover:bg-hover hover:text-text`}
      activeProps={{ className: 'bg-selected! text-text!', 'aria-current': 'page' }}
    >
      <Icon size={16} aria-hidden="true" />
      <span className="flex-1">{destination.name}</span>
      <Count of={destination.to} />
    </Link>
  )
}
