import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { Failure, readPersonal } from './api/client.ts'
import { code } from './api/code.ts'
import { meKey, queryClient, readEarly } from './api/queries.ts'
import { listInput } from './decisions/inbox-lists.ts'
import { Broken, BrokenPage, Missing, NotFoundPage, Pending } from './shell/error-pages.tsx'
import { WorkspaceLayout } from './shell/workspace-layout.tsx'
import { Proof } from './sign-in/proof.tsx'
import { waysKnown } from './sign-in/ways.ts'

/** Filters live in the address: each is a string, and what is not known is dropped. */
const filters =
  <const Names extends string[]>(...names: Names) =>
  (given: Record<string, unknown>): { [Name in Names[number]]?: string } => {
    const kept = names.filter((name) => given[name] !== undefined && given[name] !== '')
    return Object.fromEntries(kept.map((name) => [name, String(given[name])])) as never
  }

/** A screen whose code is fetched when someone goes there. */
const screen = <Name extends string>(name: Name, load: () => Promise<Record<Name, RouteComponent>>) =>
  lazyRouteComponent<Record<string, RouteComponent>, string>(() => code(load), name)

/** Every screen, and what may be asked over it. */
const Screens = () => (
  <>
    <Outlet />
    <Proof />
  </>
)

const root = createRootRoute({
  component: Screens,
  notFoundComponent: NotFoundPage,
  errorComponent: BrokenPage,
})

/** A screen at an address below another: its path, which filters it has, what shows it. */
const at = <
  Parent extends AnyRoute,
  const Path extends string,
  const Names extends string[],
  Name extends string,
>(
  parent: Parent,
  path: Path,
  names: Names,
  ...shown: Parameters<typeof screen<Name>>
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    validateSearch: filters(...names),
    component: screen(...shown),
  })

/** Who is signed in; without a session, first the sign-in and then `next`. */
const requireMe = (next?: string) =>
  queryClient
    .ensureQueryData({
      queryKey: meKey,
      queryFn: () => readPersonal('me', {}),
    })
    .catch((error) => {
      throw error instanceof Failure && error.status === 401
        ? redirect({ to: '/login', search: next ? { next } : {} })
        : error
    })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const me = await requireMe()
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
  component: screen('Login', () => import('./sign-in/login.tsx')),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: 'login/reset',
  validateSearch: filters('token', 'error'),
  loader: waysKnown,
  component: screen('Reset', () => import('./sign-in/reset.tsx')),
})

const singleSignOnRequired = createRoute({
  getParentRoute: () => root,
  path: 'login/single-sign-on',
  validateSearch: filters('next'),
  loader: waysKnown,
  component: screen('SingleSignOnRequired', () => import('./sign-in/single-sign-on-required.tsx')),
})

const device = at(root, 'device', ['user_code'], 'Device', () => import('./sign-in/device.tsx'))
// Set apart, as below.
device.options.beforeLoad = async ({ location }) => void (await requireMe(location.href))

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

const inbox = at(
  workspace,
  'inbox',
  ['status', 'team', 'kind', 'order', 'key'],
  'Inbox',
  () => import('./decisions/inbox.tsx'),
)
// Set apart: within the route it would hide from the type checker what the address may hold.
inbox.options.onEnter = ({ params: { ws }, search }) => readEarly(ws, 'decisions.list', listInput(search))

const team = at(workspace, 'teams/$team', [], 'TeamLayout', () => import('./teams/team.tsx'))

const teamHome = createRoute({
  getParentRoute: () => team,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$ws/teams/$team/board', params })
  },
})

const settings = at(workspace, 'settings', [], 'SettingsLayout', () => import('./settings/settings.tsx'))

const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$ws/settings/general', params })
  },
})

/** What the page was called before; people have it among their bookmarks. */
const formerIntegrations = createRoute({
  getParentRoute: () => settings,
  path: 'integrations',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$ws/settings/connections', params })
  },
})

const routeTree = root.addChildren([
  home,
  login,
  reset,
  singleSignOnRequired,
  at(root, 'login/proven', [], 'Proven', () => import('./sign-in/proven.tsx')),
  device,
  at(root, 'setup', ['code'], 'Setup', () => import('./workspaces/setup.tsx')),
  at(root, 'invite/$code', [], 'Invite', () => import('./sign-in/invite.tsx')),
  at(root, 'new', [], 'NewWorkspace', () => import('./workspaces/new.tsx')),
  at(root, 'account', ['tab'], 'Account', () => import('./account/account.tsx')),
  workspace.addChildren([
    workspaceHome,
    // Work
    inbox,
    at(workspace, 'start', [], 'Start', () => import('./workspaces/start.tsx')),
    at(workspace, 'practice', [], 'Practice', () => import('./practice/practice.tsx')),
    at(workspace, 'link-chat/$code', [], 'LinkChat', () => import('./chat/link.tsx')),
    at(workspace, 'decisions/$key', [], 'DecisionScreen', () => import('./decisions/decision.tsx')),
    at(
      workspace,
      'intake',
      ['team', 'status'],
      'Requirements',
      () => import('./requirements/requirements.tsx'),
    ),
    at(workspace, 'intake/new', ['team'], 'NewRequirement', () => import('./requirements/new.tsx')),
    at(workspace, 'intake/$slug', [], 'RequirementScreen', () => import('./requirements/requirement.tsx')),
    at(workspace, 'teams', [], 'Teams', () => import('./teams/teams.tsx')),
    at(workspace, 'teams/new', [], 'NewTeam', () => import('./teams/new.tsx')),
    team.addChildren([
      teamHome,
      at(
        team,
        'board',
        ['q', 'drafts', 'size', 'mine', 'sort'],
        'Board',
        () => import('./stories/board.tsx'),
      ),
      at(team, 'list', ['q', 'drafts', 'size', 'mine'], 'StoryList', () => import('./stories/list.tsx')),
      at(team, 'settings/policy', [], 'PolicyScreen', () => import('./policies/policy.tsx')),
      at(
        team,
        'settings/policy/surveys/$key',
        ['line', 'q'],
        'SurveyScreen',
        () => import('./runs/survey.tsx'),
      ),
      at(team, 'settings/general', [], 'TeamGeneral', () => import('./teams/general.tsx')),
    ]),
    at(workspace, 'stories/$key', [], 'StoryScreen', () => import('./stories/story.tsx')),
    at(
      workspace,
      'runs',
      ['team', 'story', 'status', 'failure', 'executor'],
      'Runs',
      () => import('./runs/runs.tsx'),
    ),
    at(workspace, 'runs/$key', ['tab', 'line', 'q', 'at'], 'RunScreen', () => import('./runs/run.tsx')),
    at(workspace, 'report', [], 'NightReport', () => import('./night-report/night-report.tsx')),
    at(workspace, 'report/$morning', [], 'NightReport', () => import('./night-report/night-report.tsx')),
    at(workspace, 'insights', ['range', 'team'], 'Insights', () => import('./insights/insights.tsx')),
    at(
      workspace,
      'insights/scoreboard',
      ['range', 'by', 'team', 'kind', 'size', 'sort'],
      'Scoreboard',
      () => import('./insights/scoreboard.tsx'),
    ),
    // On call
    at(
      workspace,
      'incidents',
      ['status', 'service', 'severity'],
      'Incidents',
      () => import('./incidents/incidents.tsx'),
    ),
    at(workspace, 'incidents/$key', [], 'IncidentScreen', () => import('./incidents/incident.tsx')),
    at(workspace, 'services', ['team'], 'Services', () => import('./services/services.tsx')),
    at(workspace, 'services/$service', ['tab'], 'ServiceScreen', () => import('./services/service.tsx')),
    at(workspace, 'services/$service/sources/new', ['kind'], 'NewSource', () => import('./sources/new.tsx')),
    at(
      workspace,
      'services/$service/sources/$source',
      [],
      'SourceScreen',
      () => import('./sources/source.tsx'),
    ),
    // Administration
    at(
      workspace,
      'audit',
      ['team', 'actor', 'event', 'run', 'from', 'to'],
      'Audit',
      () => import('./audit/audit.tsx'),
    ),
    settings.addChildren([
      settingsHome,
      at(settings, 'general', [], 'General', () => import('./workspaces/general.tsx')),
      at(settings, 'members', [], 'Members', () => import('./members/members.tsx')),
      at(settings, 'single-sign-on', [], 'SingleSignOn', () => import('./single-sign-on/single-sign-on.tsx')),
      at(settings, 'runners', [], 'Runners', () => import('./runners/runners.tsx')),
      at(settings, 'api', ['create'], 'Tokens', () => import('./tokens/tokens.tsx')),
      at(settings, 'webhooks', [], 'Webhooks', () => import('./webhooks/webhooks.tsx')),
      at(settings, 'webhooks/new', [], 'NewWebhook', () => import('./webhooks/new.tsx')),
      at(settings, 'webhooks/$webhook', [], 'WebhookScreen', () => import('./webhooks/webhook.tsx')),
      at(settings, 'api/connect', [], 'Connect', () => import('./tokens/connect.tsx')),
      at(settings, 'connections', [], 'Connections', () => import('./connections/connections.tsx')),
      at(settings, 'connections/new', ['kind'], 'NewConnection', () => import('./connections/new.tsx')),
      at(
        settings,
        'connections/github-app',
        ['code', 'state', 'installation_id', 'setup_action', 'app'],
        'GithubApp',
        () => import('./connections/github-app.tsx'),
      ),
      at(
        settings,
        'connections/$connection',
        [],
        'ConnectionScreen',
        () => import('./connections/connection.tsx'),
      ),
      at(settings, 'system', [], 'System', () => import('./system/system.tsx')),
      formerIntegrations,
    ]),
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
