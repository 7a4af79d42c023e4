import type { Found } from '@signalbox/contract/app/workspaces.ts'
import { useRouter } from '@tanstack/react-router'
import {
  ArrowRight,
  ArrowRightLeft,
  Blocks,
  BookOpen,
  FileText,
  GitBranch,
  History,
  Keyboard,
  KeyRound,
  ListChecks,
  LogOut,
  type LucideIcon,
  MessageCircleQuestion,
  Moon,
  ScrollText,
  Server,
  Siren,
  SquareKanban,
  Sun,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react'
import { useMay, useMe } from '../api/me.ts'
import { useWorkspace } from '../api/queries.ts'
import { openManual } from '../browser/manual.ts'
import { recentVisits } from '../browser/recent.ts'
import { chooseTheme } from '../browser/theme.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { useGo } from '../ui/link.ts'
import { destinations } from './destinations.ts'
import { pathOfKey } from './keyed.ts'

export interface Choice {
  id: string
  group: string
  title: string
  note?: string | undefined
  icon: LucideIcon
  /** Why it cannot be chosen. */
  forbidden?: string | undefined
  run: () => void
}

const nouns: Record<Found['noun'], { group: string; icon: LucideIcon; path: (key: string) => string }> = {
  team: { group: 'Teams', icon: SquareKanban, path: (key) => `teams/${key}/board` },
  story: { group: 'Stories', icon: FileText, path: (key) => `stories/${key}` },
  run: { group: 'Runs', icon: GitBranch, path: (key) => `runs/${key}` },
  decision: { group: 'Decisions', icon: MessageCircleQuestion, path: (key) => `decisions/${key}` },
  incident: { group: 'Incidents', icon: Siren, path: (key) => `incidents/${key}` },
  service: { group: 'Services', icon: Server, path: (key) => `services/${key}` },
  requirement: { group: 'Requirements', icon: ScrollText, path: (key) => `intake/${key}` },
}

/** What is behind a destination: found by its name, and not in the way before that. */
const parts = [
  { title: 'Settings: members', path: 'settings/members', icon: Users },
  { title: 'Settings: API tokens', path: 'settings/api', icon: KeyRound },
  { title: 'Settings: webhooks', path: 'settings/webhooks', icon: Webhook },
  { title: 'Settings: connections', path: 'settings/connections', icon: Blocks },
  { title: 'Get started', path: 'start', icon: ListChecks },
]

/** Everything the palette offers for what is typed, in the order it is shown. */
export function useChoices(typed: string, found: Found[], onHelp: () => void): Choice[] {
  const [ws, router, mayAudit, me] = [useWorkspace(), useRouter(), useMay('admin'), useMe()]
  const commands = useCommands(onHelp)
  const open = (path: string) => () => router.history.push(path)
  const words = typed.trim().toLowerCase()
  const matches = (choice: Choice) =>
    words.split(/\s+/).every((word) => choice.title.toLowerCase().includes(word))

  const goTo: Choice[] = destinations.map(({ to, name, icon, least, reason }) => ({
    id: `destination ${to}`,
    group: 'Go to',
    title: name,
    icon,
    forbidden: least && !mayAudit ? reason : undefined,
    run: open(to.replace('$ws', ws)),
  }))
  const things: Choice[] = found.map(({ noun, key, title, note }) => ({
    id: `${noun} ${key}`,
    group: nouns[noun].group,
    title,
    note: [['team', 'service', 'requirement'].includes(noun) ? null : key, note].filter(Boolean).join(', '),
    icon: nouns[noun].icon,
    run: open(`/${ws}/${nouns[noun].path(key)}`),
  }))
  if (!words) {
    const here = router.state.location.pathname
    const recent: Choice[] = recentVisits(ws)
      .filter(({ path }) => path !== here)
      .slice(0, 5)
      .map(({ path, title }) => ({
        id: `recent ${path}`,
        group: 'Recently visited',
        title,
        icon: History,
        run: open(path),
      }))
    return [...recent, ...goTo, ...things, ...commands]
  }
  const keyed = pathOfKey(ws, typed)
  const straight: Choice[] = keyed
    ? [{ id: 'key', group: 'Go to key', title: `Open ${keyed.key}`, icon: ArrowRight, run: open(keyed.path) }]
    : []
  const inner: Choice[] = parts.map(({ title, path, icon }) => ({
    id: `part ${path}`,
    group: 'Go to',
    title,
    icon,
    run: open(`/${ws}/${path}`),
  }))
  const others: Choice[] = (me?.workspaces ?? [])
    .filter(({ slug }) => slug !== ws)
    .map(({ slug, name }) => ({
      id: `workspace ${slug}`,
      group: 'Workspaces',
      title: `Switch to ${name}`,
      icon: ArrowRightLeft,
      run: open(`/${slug}/inbox`),
    }))
  const named = [...goTo, ...inner, ...others, ...commands].filter(matches)
  return [...straight, ...named, ...things]
}

function useCommands(onHelp: () => void): Choice[] {
  const navigate = useGo()
  const isDark = document.documentElement.dataset.theme === 'dark'
  const command = (title: string, icon: LucideIcon, run: () => void): Choice => ({
    id: `command ${title}`,
    group: 'Commands',
    title,
    icon,
    run,
  })
  return [
    command('Submit requirement', ScrollText, () => void navigate({ to: '/$ws/intake/new' })),
    command(
      'Create API token',
      KeyRound,
      () => void navigate({ to: '/$ws/settings/api', search: { create: 'yes' } }),
    ),
    command(isDark ? 'Switch to light theme' : 'Switch to dark theme', isDark ? Sun : Moon, () =>
      chooseTheme(isDark ? 'light' : 'dark'),
    ),
    command('Open manual', BookOpen, openManual),
    command('Show keyboard shortcuts', Keyboard, onHelp),
    command('Account', UserRound, () => void navigate({ to: '/account' })),
    command('Sign out', LogOut, () => void signOut()),
  ]
}
