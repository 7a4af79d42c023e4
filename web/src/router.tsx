import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { Failure, readPersonal } from './api/client.ts'
import { code } from './api/code.ts'
import { meKey, queryClient, readEarly } from './api/queries.ts'
import { listInput } from './decisions/inbox-lists.ts'
import { Alone, Broken, BrokenAlone, Missing, Pending } from './shell/apart.tsx'
import { WorkspaceLayout } from './shell/workspace-layout.tsx'
import { waysKnown } from './sign-in/ways.ts'

/** Filters live in the address: each is a string, and what is not known is dropped. */
const filters =
  <const Names extends string[]>(...names: Names) =>
  (given: Record<string, unknown>): { [Name in Names[number]]?: string } => {
    const kept = names.filter((name) => given[name] !== undefined && given[name] !== '')
    return Object.fromEntries(kept.map((name) => [name, String(given[name])])) as never
  }

/** A screen whose code is fetched when somebody goes there. */
const screen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => code(load), name)

const root = createRootRoute({ component: Outlet, notFoundComponent: Alone, errorComponent: BrokenAlone })

// Entry
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const me = await queryClient
      .ensureQueryData({
        queryKey: meKey,
        queryFn: () => readPersonal('me', {}),
      })
      .catch((error) => {
        throw error instanceof Failure && error.status === 401 ? redirect({ to: '/login' }) : error
      })
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
  loader: waysKnown,
  component: screen(() => import('./sign-in/login.tsx'), 'Login'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: 'login/reset',
  validateSearch: filters('token', 'error'),
  loader: waysKnown,
  component: screen(() => import('./sign-in/reset.tsx'), 'Reset'),
})
const setup = createRoute({
  getParentRoute: () => root,
  path: 'setup',
  validateSearch: filters('code'),
  component: screen(() => import('./workspaces/setup.tsx'), 'Setup'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: 'invite/$code',
  component: screen(() => import('./sign-in/invite.tsx'), 'Invite'),
})
const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: 'new',
  component: screen(() => import('./workspaces/new.tsx'), 'NewWorkspace'),
})
const account = createRoute({
  getParentRoute: () => root,
  path: 'account',
  validateSearch: filters('tab'),
  component: screen(() => import('./account/account.tsx'), 'Account'),
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
  component: screen(() => import('./decisions/inbox.tsx'), 'Inbox'),
})
// Set apart: within the route it would hide from the type checker what the address may hold.
inbox.options.onEnter = ({ params: { ws }, search }) => readEarly(ws, 'decisions.list', listInput(search))
const decision = createRoute({
  getParentRoute: () => workspace,
  path: 'decisions/$key',
  component: screen(() => import('./decisions/decision.tsx'), 'DecisionScreen'),
})
const requirements = createRoute({
  getParentRoute: () => workspace,
  path: 'intake',
  validateSearch: filters('team', 'status'),
  component: screen(() => import('./requirements/requirements.tsx'), 'Requirements'),
})
const newRequirement = createRoute({
  getParentRoute: () => workspace,
  path: 'intake/new',
  validateSearch: filters('team'),
  component: screen(() => import('./requirements/new.tsx'), 'NewRequirement'),
})
const requirement = createRoute({
  getParentRoute: () => workspace,
  path: 'intake/$slug',
  component: screen(() => import('./requirements/requirement.tsx'), 'RequirementScreen'),
})
const teams = createRoute({
  getParentRoute: () => workspace,
  path: 'teams',
  component: screen(() => import('./teams/teams.tsx'), 'Teams'),
})
const newTeam = createRoute({
  getParentRoute: () => workspace,
  path: 'teams/new',
  component: screen(() => import('./teams/new.tsx'), 'NewTeam'),
})
const team = createRoute({
  getParentRoute: () => workspace,
  path: 'teams/$team',
  component: screen(() => import('./teams/team.tsx'), 'TeamLayout'),
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
  component: screen(() => import('./stories/board.tsx'), 'Board'),
})
const storyList = createRoute({
  getParentRoute: () => team,
  path: 'list',
  validateSearch: filters('q', 'drafts', 'size'),
  component: screen(() => import('./stories/list.tsx'), 'StoryList'),
})
const teamPolicy = createRoute({
  getParentRoute: () => team,
  path: 'settings/policy',
  component: screen(() => import('./policies/policy.tsx'), 'PolicyScreen'),
})
const teamGeneral = createRoute({
  getParentRoute: () => team,
  path: 'settings/general',
  component: screen(() => import('./teams/general.tsx'), 'TeamGeneral'),
})
const story = createRoute({
  getParentRoute: () => workspace,
  path: 'stories/$key',
  component: screen(() => import('./stories/story.tsx'), 'StoryScreen'),
})
const runs = createRoute({
  getParentRoute: () => workspace,
  path: 'runs',
  validateSearch: filters('team', 'story', 'status', 'failure', 'executor'),
  component: screen(() => import('./runs/runs.tsx'), 'Runs'),
})
const run = createRoute({
  getParentRoute: () => workspace,
  path: 'runs/$key',
  validateSearch: filters('tab', 'line', 'q'),
  component: screen(() => import('./runs/run.tsx'), 'RunScreen'),
})
const insights = createRoute({
  getParentRoute: () => workspace,
  path: 'insights',
  validateSearch: filters('range', 'team'),
  component: screen(() => import('./insights/insights.tsx'), 'Insights'),
})

// On call
const incidents = createRoute({
  getParentRoute: () => workspace,
  path: 'incidents',
  validateSearch: filters('status', 'service', 'severity'),
  component: screen(() => import('./incidents/incidents.tsx'), 'Incidents'),
})
const incident = createRoute({
  getParentRoute: () => workspace,
  path: 'incidents/$key',
  component: screen(() => import('./incidents/incident.tsx'), 'IncidentScreen'),
})
const services = createRoute({
  getParentRoute: () => workspace,
  path: 'services',
  validateSearch: filters('team'),
  component: screen(() => import('./services/services.tsx'), 'Services'),
})
const service = createRoute({
  getParentRoute: () => workspace,
  path: 'services/$service',
  validateSearch: filters('tab'),
  component: screen(() => import('./services/service.tsx'), 'ServiceScreen'),
})
const newSource = createRoute({
  getParentRoute: () => workspace,
  path: 'services/$service/sources/new',
  validateSearch: filters('kind'),
  component: screen(() => import('./sources/new.tsx'), 'NewSource'),
})
const source = createRoute({
  getParentRoute: () => workspace,
  path: 'services/$service/sources/$source',
  component: screen(() => import('./sources/source.tsx'), 'SourceScreen'),
})

// Administration
const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'audit',
  validateSearch: filters('team', 'actor', 'event', 'run', 'from', 'to'),
  component: screen(() => import('./audit/audit.tsx'), 'Audit'),
})
const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  component: screen(() => import('./settings/settings.tsx'), 'SettingsLayout'),
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
  component: screen(() => import('./workspaces/general.tsx'), 'General'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: 'members',
  component: screen(() => import('./members/members.tsx'), 'Members'),
})
const api = createRoute({
  getParentRoute: () => settings,
  path: 'api',
  validateSearch: filters('create'),
  component: screen(() => import('./tokens/tokens.tsx'), 'Tokens'),
})
const integrations = createRoute({
  getParentRoute: () => settings,
  path: 'integrations',
  component: screen(() => import('./workspaces/integrations.tsx'), 'Integrations'),
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
