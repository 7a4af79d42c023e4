import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { readPersonal } from './api/client.ts'
import { queryClient, readEarly } from './api/queries.ts'
import { listInput } from './decisions/inbox-lists.ts'
import { Alone, Broken, Missing, Pending } from './shell/apart.tsx'
import { WorkspaceLayout } from './shell/workspace-layout.tsx'

/** Filters live in the address: each is a string, and what is not known is dropped. */
const filters =
  <const Names extends string[]>(...names: Names) =>
  (given: Record<string, unknown>): { [Name in Names[number]]?: string } => {
    const kept = names.filter((name) => given[name] !== undefined && given[name] !== '')
    return Object.fromEntries(kept.map((name) => [name, String(given[name])])) as never
  }

const root = createRootRoute({ component: Outlet, notFoundComponent: Alone, errorComponent: Broken })

// Entry
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const me = await queryClient
      .ensureQueryData({
        queryKey: ['', 'me', 'me', {}],
        queryFn: () => readPersonal('me', {}),
      })
      .catch(() => null)
    if (!me) throw redirect({ to: '/login' })
    const last = localStorage.getItem('signalbox.workspace')
    const workspace = me.workspaces.find(({ slug }) => slug === last) ?? me.workspaces[0]
    if (!workspace) throw redirect({ to: '/new' })
    throw redirect({ to: '/$ws/inbox', params: { ws: workspace.slug } })
  },
})
const login = createRoute({
  getParentRoute: () => root,
  path: 'login',
  validateSearch: filters('next', 'error'),
  component: lazyRouteComponent(() => import('./sign-in/login.tsx'), 'Login'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: 'login/reset',
  validateSearch: filters('token', 'error'),
  component: lazyRouteComponent(() => import('./sign-in/reset.tsx'), 'Reset'),
})
const setup = createRoute({
  getParentRoute: () => root,
  path: 'setup',
  validateSearch: filters('code'),
  component: lazyRouteComponent(() => import('./sign-in/setup.tsx'), 'Setup'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: 'invite/$code',
  component: lazyRouteComponent(() => import('./sign-in/invite.tsx'), 'Invite'),
})
const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: 'new',
  component: lazyRouteComponent(() => import('./workspaces/new.tsx'), 'NewWorkspace'),
})
const account = createRoute({
  getParentRoute: () => root,
  path: 'account',
  validateSearch: filters('tab'),
  component: lazyRouteComponent(() => import('./account/account.tsx'), 'Account'),
})

const workspace = createRoute({
  getParentRoute: () => root,
  path: '$ws',
  component: WorkspaceLayout,
  notFoundComponent: Missing,
  beforeLoad: ({ params }) => localStorage.setItem('signalbox.workspace', params.ws),
})
const workspaceHome = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$ws/inbox', params: { ws: params.ws } })
  },
})

// Work
const inbox = createRoute({
  getParentRoute: () => workspace,
  path: 'inbox',
  validateSearch: filters('status', 'team', 'kind', 'key'),
  component: lazyRouteComponent(() => import('./decisions/inbox.tsx'), 'Inbox'),
})
// Set apart: within the route it would hide from the type checker what the address may hold.
inbox.options.onEnter = ({ params: { ws }, search }) => readEarly(ws, 'decisions.list', listInput(search))
const decision = createRoute({
  getParentRoute: () => workspace,
  path: 'decisions/$key',
  component: lazyRouteComponent(() => import('./decisions/decision-page.tsx'), 'DecisionPage'),
})
const requirements = createRoute({
  getParentRoute: () => workspace,
  path: 'intake',
  validateSearch: filters('team', 'status'),
  component: lazyRouteComponent(() => import('./requirements/requirements.tsx'), 'Requirements'),
})
const newRequirement = createRoute({
  getParentRoute: () => workspace,
  path: 'intake/new',
  validateSearch: filters('team'),
  component: lazyRouteComponent(() => import('./requirements/new.tsx'), 'NewRequirement'),
})
const requirement = createRoute({
  getParentRoute: () => workspace,
  path: 'intake/$slug',
  component: lazyRouteComponent(() => import('./requirements/requirement.tsx'), 'RequirementPage'),
})
const teams = createRoute({
  getParentRoute: () => workspace,
  path: 'teams',
  component: lazyRouteComponent(() => import('./teams/teams.tsx'), 'Teams'),
})
const newTeam = createRoute({
  getParentRoute: () => workspace,
  path: 'teams/new',
  component: lazyRouteComponent(() => import('./teams/new.tsx'), 'NewTeam'),
})
const team = createRoute({
  getParentRoute: () => workspace,
  path: 'teams/$team',
  component: lazyRouteComponent(() => import('./teams/team.tsx'), 'TeamLayout'),
})
const teamHome = createRoute({
  getParentRoute: () => team,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$ws/teams/$team/board', params })
  },
})
const board = createRoute({
  getParentRoute: () => team,
  path: 'board',
  validateSearch: filters('q', 'drafts', 'size'),
  component: lazyRouteComponent(() => import('./stories/board.tsx'), 'Board'),
})
const storyList = createRoute({
  getParentRoute: () => team,
  path: 'list',
  validateSearch: filters('q', 'drafts', 'size'),
  component: lazyRouteComponent(() => import('./stories/list.tsx'), 'StoryList'),
})
const teamPolicy = createRoute({
  getParentRoute: () => team,
  path: 'settings/policy',
  component: lazyRouteComponent(() => import('./policies/policy.tsx'), 'PolicyPage'),
})
const teamGeneral = createRoute({
  getParentRoute: () => team,
  path: 'settings/general',
  component: lazyRouteComponent(() => import('./teams/general.tsx'), 'TeamGeneral'),
})
const story = createRoute({
  getParentRoute: () => workspace,
  path: 'stories/$key',
  component: lazyRouteComponent(() => import('./stories/story.tsx'), 'StoryPage'),
})
const runs = createRoute({
  getParentRoute: () => workspace,
  path: 'runs',
  validateSearch: filters('team', 'story', 'status', 'failure', 'executor'),
  component: lazyRouteComponent(() => import('./runs/runs.tsx'), 'Runs'),
})
const run = createRoute({
  getParentRoute: () => workspace,
  path: 'runs/$key',
  validateSearch: filters('tab', 'line', 'q'),
  component: lazyRouteComponent(() => import('./runs/run.tsx'), 'RunPage'),
})
const insights = createRoute({
  getParentRoute: () => workspace,
  path: 'insights',
  validateSearch: filters('range', 'team'),
  component: lazyRouteComponent(() => import('./insights/insights.tsx'), 'Insights'),
})

// On call
const incidents = createRoute({
  getParentRoute: () => workspace,
  path: 'incidents',
  validateSearch: filters('status', 'service', 'severity'),
  component: lazyRouteComponent(() => import('./incidents/incidents.tsx'), 'Incidents'),
})
const incident = createRoute({
  getParentRoute: () => workspace,
  path: 'incidents/$key',
  component: lazyRouteComponent(() => import('./incidents/incident.tsx'), 'IncidentPage'),
})
const services = createRoute({
  getParentRoute: () => workspace,
  path: 'services',
  validateSearch: filters('team'),
  component: lazyRouteComponent(() => import('./services/services.tsx'), 'Services'),
})
const service = createRoute({
  getParentRoute: () => workspace,
  path: 'services/$service',
  validateSearch: filters('tab'),
  component: lazyRouteComponent(() => import('./services/service.tsx'), 'ServicePage'),
})
const newSource = createRoute({
  getParentRoute: () => workspace,
  path: 'services/$service/sources/new',
  validateSearch: filters('kind'),
  component: lazyRouteComponent(() => import('./sources/new.tsx'), 'NewSource'),
})
const source = createRoute({
  getParentRoute: () => workspace,
  path: 'services/$service/sources/$source',
  component: lazyRouteComponent(() => import('./sources/source.tsx'), 'SourcePage'),
})

// Administration
const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'audit',
  validateSearch: filters('team', 'actor', 'event', 'run', 'from', 'to'),
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
})
const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'SettingsLayout'),
})
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$ws/settings/general', params })
  },
})
const general = createRoute({
  getParentRoute: () => settings,
  path: 'general',
  component: lazyRouteComponent(() => import('./workspaces/general.tsx'), 'General'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: 'members',
  component: lazyRouteComponent(() => import('./members/members.tsx'), 'Members'),
})
const api = createRoute({
  getParentRoute: () => settings,
  path: 'api',
  validateSearch: filters('create'),
  component: lazyRouteComponent(() => import('./tokens/tokens.tsx'), 'Tokens'),
})
const integrations = createRoute({
  getParentRoute: () => settings,
  path: 'integrations',
  component: lazyRouteComponent(() => import('./workspaces/integrations.tsx'), 'Integrations'),
})

const routeTree = root.addChildren([
  home,
  login,
  reset,
  setup,
  invite,
  newWorkspace,
  account,
  workspace.addChildren([
    workspaceHome,
    inbox,
    decision,
    requirements,
    newRequirement,
    requirement,
    teams,
    newTeam,
    team.addChildren([teamHome, board, storyList, teamPolicy, teamGeneral]),
    story,
    runs,
    run,
    insights,
    incidents,
    incident,
    services,
    service,
    newSource,
    source,
    audit,
    settings.addChildren([settingsHome, general, members, api, integrations]),
  ]),
])

export const router = createRouter({
  routeTree,
  // What a pointer rests on is about to be clicked.
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingComponent: Pending,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: Missing,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
