import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import type { App } from '../../server/app/app.ts'
import { DomainError } from '../../server/domain/errors.ts'
import { type Connecting, connect } from '../../server/domain/tools/connections/connect.ts'
import { listProjects, listRepositories } from '../../server/domain/tools/connections/list-choices.ts'
import { makeWebhook } from '../../server/domain/tools/connections/make-webhook.ts'
import { replaceCredentials } from '../../server/domain/tools/connections/replace-credentials.ts'
import { bindRepositories } from '../../server/domain/work/bindings/bind-repositories.ts'
import { bindTracker } from '../../server/domain/work/bindings/bind-tracker.ts'
import { changePolicy } from '../../server/domain/work/policies/change.ts'
import { createTeam } from '../../server/domain/work/policies/create-team.ts'
import { systemClock } from '../../server/infra/clock.ts'
import { callerFor } from '../../server/integrations/connections/call.ts'
import { connectorsWith } from '../../server/integrations/connections/connectors.ts'
import { gitIn } from '../../server/test/doubles/git-repository.ts'
import type { GitBehind } from '../../server/test/doubles/git-server.ts'
import { githubSite } from '../../server/test/doubles/sites/github.ts'
import { gitlabSite } from '../../server/test/doubles/sites/gitlab.ts'
import { jiraSite } from '../../server/test/doubles/sites/jira.ts'
import { linearSite } from '../../server/test/doubles/sites/linear.ts'
import { servePages } from '../../server/test/doubles/sites/pages.ts'
import { fill, type Site, textOf } from '../../server/test/doubles/sites/site.ts'
import { labelIssues, labelIssuesInWiki } from '../halden-parcels/labels/issues.ts'
import { owner } from '../halden-parcels/people.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { type Acting, acting, asOperator } from '../load/acting.ts'
import { makeLabelRepository } from '../real-repository.ts'
import { keptFile } from './kept-file.ts'
import type { DemoTool, Later } from './tool.ts'

/** An outside tool of the demo: a stand-in on this machine, with a team that takes its issues from there. */
interface TrackerTool {
  name: string
  team: { name: string; slug: string; keyPrefix: string }
  /** Where the team's code is: a repository of the same tool, or of GitHub. */
  repository: string
  issues: typeof labelIssues
  /** The repositories that are made for it. */
  makes: string[]
  site: (port: number, git: (name: string) => GitBehind) => Promise<Site>
}

/** GitHub first: others keep their code there. */
const trackerTools: TrackerTool[] = [
  {
    ...{ name: 'GitHub', repository: 'halden/labels', issues: labelIssues },
    team: { name: 'Labels, GitHub', slug: 'labels-github', keyPrefix: 'LGH' },
    makes: ['labels', 'labels-jira', 'labels-linear'],
    site: (port, git) =>
      githubSite({
        ...{ port, repository: 'halden/labels', git: git('labels') },
        others: { 'halden/labels-jira': git('labels-jira'), 'halden/labels-linear': git('labels-linear') },
      }),
  },
  {
    ...{ name: 'GitLab', repository: 'halden/labels-gitlab', issues: labelIssues },
    team: { name: 'Labels, GitLab', slug: 'labels-gitlab', keyPrefix: 'LGL' },
    makes: ['labels-gitlab'],
    site: (port, git) => gitlabSite({ port, project: 'halden/labels-gitlab', git: git('labels-gitlab') }),
  },
  {
    ...{ name: 'Jira', repository: 'halden/labels-jira', issues: labelIssuesInWiki },
    team: { name: 'Labels, Jira', slug: 'labels-jira', keyPrefix: 'LJI' },
    makes: [],
    site: (port) => jiraSite({ port, key: 'LAB', name: 'Labels' }),
  },
  {
    ...{ name: 'Linear', repository: 'halden/labels-linear', issues: labelIssues },
    team: { name: 'Labels, Linear', slug: 'labels-linear', keyPrefix: 'LLI' },
    makes: [],
    site: (port) => linearSite({ port, key: 'LAB', name: 'Labels' }),
  },
]

interface World {
  ctx: Acting
  tools: Connecting
  publicUrl: () => string
  /** What the tools keep. */
  folder: string
  /** Their git. */
  repositories: string
}

/**
 * Starts them all; their pages are there when this returns. The rest happens in the background: the first time they are
 * connected and their teams bound, and their webhooks lead to this server.
 */
export async function startTrackers(
  app: App,
  { tools: folder, repositories }: { tools: string; repositories: string },
  later: Later,
): Promise<DemoTool> {
  await mkdir(folder, { recursive: true })
  const ctx = await acting(app.storage.db, systemClock, haldenParcels.slug, owner.email)
  const call = callerFor({ allow: ['127.0.0.1'], clock: systemClock })
  const world: World = {
    ...{ ctx, folder, repositories, publicUrl: () => app.url },
    tools: { connectors: connectorsWith(call), secrets: app.storage.secrets },
  }
  const started = await Promise.all(trackerTools.map((tool) => startTool(world, tool)))
  const connecting = later(
    'connect the trackers',
    () => connectAll(world, started),
    'The tools of the demo are not connected.',
  )
  return {
    urls: Object.fromEntries(started.map(({ tool, site }) => [tool.name, site.double.url])),
    async stop() {
      await connecting
      for (const { site, keep, keeping } of started) {
        clearInterval(keeping)
        await site.stop()
        await keep()
      }
    },
  }
}

/** What is written down of a tool between two starts. */
interface Kept {
  port: number
  /** Null: the first start was interrupted before it was connected. */
  connection: string | null
  isBound: boolean
  site: string
}

interface Started {
  tool: TrackerTool
  site: Site
  kept: Kept
  keep(): Promise<void>
  keeping: NodeJS.Timeout
}

async function startTool({ folder, repositories }: World, tool: TrackerTool): Promise<Started> {
  const file = path.join(folder, `${tool.name.toLowerCase()}.json`)
  const before = await readFile(file, 'utf8').then(
    (text): Kept => JSON.parse(text),
    () => null,
  )
  const site = await tool.site(await freePort(before?.port ?? 0), (name) =>
    gitIn(path.join(repositories, `${name}.git`)),
  )
  servePages(site)
  if (before) fill(site.kept, before.site)
  else for (const issue of tool.issues) site.open(issue)
  const kept: Kept = before ?? { port: 0, connection: null, isBound: false, site: '' }
  const keep = keptFile(file, () => {
    const port = Number(new URL(site.double.url).port)
    return JSON.stringify({ ...kept, port, site: textOf(site.kept) })
  })
  const keeping = setInterval(() => void keep().catch(() => {}), 2_000).unref()
  return { tool, site, kept, keep, keeping }
}

async function connectAll(world: World, started: Started[]): Promise<void> {
  for (const { tool } of started)
    for (const name of tool.makes) await makeLabelRepository(world.repositories, name)
  let github: string | null = null
  for (const { tool, site, kept, keep } of started) {
    const connection = await connected(world, tool, site, kept)
    github ??= connection
    kept.connection = connection
    if (!kept.isBound) await bind(world, tool, site, { connection, code: isCode(site) ? connection : github })
    kept.isBound = true
    const project = await projectOf(world, site, connection)
    const scope = { id: project.id, name: project.key }
    await makeWebhook(world.ctx, { ...world.tools, publicUrl: world.publicUrl }, connection, scope)
    await keep()
  }
}

const isCode = ({ kind }: Site) => kind === 'github' || kind === 'gitlab'

/** The connection of before, which may lead to another port now; or a new one. */
async function connected({ ctx, tools }: World, { name }: TrackerTool, site: Site, kept: Kept) {
  const baseUrl = site.double.url
  const { kind, credentials } = site
  if (!kept.connection)
    return (await connect(ctx, tools, { kind, name: `${name} (demo)`, baseUrl, credentials })).id
  if (`${kept.port}` !== new URL(baseUrl).port)
    await replaceCredentials(asOperator(ctx), tools, kept.connection, { baseUrl, credentials })
  return kept.connection
}

async function projectOf({ ctx, tools }: World, site: Site, connection: string) {
  const { projects } = await listProjects(ctx, tools, connection, site.project.key)
  return projects.find(({ key }) => key === site.project.key)!
}

async function bind(
  world: World,
  { team, repository: name }: TrackerTool,
  site: Site,
  { connection, code }: { connection: string; code: string },
): Promise<void> {
  const { ctx, tools } = world
  const description = `Takes its issues from a stand-in for ${site.name} on this machine, with a scripted agent.`
  // It is there already if an earlier start was interrupted.
  await createTeam(ctx, { ...team, description, preset: 'supervised' }).catch((error) => {
    if (!(error instanceof DomainError) || error.code !== 'conflict') throw error
  })
  await changePolicy(ctx, team.slug, {
    preset: 'supervised',
    departures: { executor: 'scripted', isolation: 'none' },
    reason: 'This is a demo: the agent follows a script. Switch to a coding agent once one is installed.',
  })
  const { repositories } = await listRepositories(ctx, tools, code, name)
  const { id } = repositories.find((one) => one.name === name)!
  await bindRepositories(ctx, tools, team.slug, [{ connection: code, id, name }])
  const project = await projectOf(world, site, connection)
  await bindTracker(ctx, tools, team.slug, { connection, project })
}

/** The port of before, so that addresses people have open still work; any other, if that one is taken now. */
async function freePort(wanted: number): Promise<number> {
  if (wanted === 0) return 0
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(0))
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(wanted)))
  })
}
