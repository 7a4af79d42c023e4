import type { Role } from '@signalbox/contract/roles.ts'
import {
  Activity,
  BarChart3,
  Inbox,
  type LucideIcon,
  PlayCircle,
  ScrollText,
  Server,
  Settings,
  Siren,
  SquareKanban,
  Sunrise,
} from 'lucide-react'

export interface Destination {
  to:
    | '/$ws/inbox'
    | '/$ws/intake'
    | '/$ws/teams'
    | '/$ws/runs'
    | '/$ws/report'
    | '/$ws/incidents'
    | '/$ws/services'
    | '/$ws/insights'
    | '/$ws/audit'
    | '/$ws/settings'
  name: string
  icon: LucideIcon
  /** Pressed after `g`. */
  key: string
  least?: Role
  /** Said to those who may not go there. */
  reason?: string
  group: 'work' | 'on call' | 'administration'
}

/** Where one can go within a workspace, in the order of the sidebar. */
export const destinations: Destination[] = [
  { to: '/$ws/inbox', name: 'Inbox', icon: Inbox, key: 'i', group: 'work' },
  { to: '/$ws/intake', name: 'Requirements', icon: ScrollText, key: 'q', group: 'work' },
  { to: '/$ws/teams', name: 'Teams', icon: SquareKanban, key: 'b', group: 'work' },
  { to: '/$ws/runs', name: 'Runs', icon: PlayCircle, key: 'r', group: 'work' },
  { to: '/$ws/report', name: 'Night shift', icon: Sunrise, key: 'm', group: 'work' },
  { to: '/$ws/incidents', name: 'Incidents', icon: Siren, key: 'n', group: 'on call' },
  { to: '/$ws/services', name: 'Services', icon: Server, key: 'e', group: 'on call' },
  { to: '/$ws/insights', name: 'Insights', icon: BarChart3, key: 't', group: 'administration' },
  {
    to: '/$ws/audit',
    name: 'Audit',
    icon: Activity,
    key: 'a',
    least: 'admin',
    reason: 'Only owners and admins can see the audit log',
    group: 'administration',
  },
  { to: '/$ws/settings', name: 'Settings', icon: Settings, key: 's', group: 'administration' },
]

/** What the bar of a phone has room for; the rest is behind “More”. */
export const firstOnPhones = ['/$ws/inbox', '/$ws/teams', '/$ws/runs', '/$ws/incidents']
