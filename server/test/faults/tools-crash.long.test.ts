import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { change, housekeeping } from '../../domain/record/audit/change.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { addEffect } from '../../domain/record/outbox/add.ts'
import { createStory } from '../../domain/work/stories/create.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { BundleReader } from '../../integrations/bundles/bundle-reader.ts'
import { urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import type { Double, DoubleRequest } from '../doubles/double.ts'
import { GithubPulls } from '../doubles/github/pulls.ts'
import { GithubDouble } from '../doubles/github.ts'
import { GithubIssues } from '../doubles/github-issues.ts'
import { GitlabMergeRequests } from '../doubles/gitlab/merge-requests.ts'
import { GitlabDouble } from '../doubles/gitlab.ts'
import { GitlabIssues } from '../doubles/gitlab-issues.ts'
import { JiraDouble } from '../doubles/jira.ts'
import { JiraIssues } from '../doubles/jira-issues.ts'
import { LinearDouble } from '../doubles/linear.ts'
import { LinearIssues } from '../doubles/linear-issues.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import { TestEngine } from '../engine/engine.ts'
import { HonestRunner } from '../engine/honest-runner.ts'
import { OneRun } from '../engine/one-run.ts'
import { aTeam } from '../factories.ts'
import { tables } from '../tables.ts'
import { bindTeam } from '../tools/bound-team.ts'
import { aConnection } from '../tools/connections.ts'
import { until } from '../until.ts'

/**
 * A process is killed without warning between a call to a git host or tracker and its record: the call was made, but
 * not recorded. The node that takes over finds what is there, and writes nothing twice. `FAULTS=all` kills at every
 * write.
 */

const all = process.env.FAULTS === 'all'
const key = 'a key for tests that is long enough'
const secrets = secretsFrom(key)
const database = await testDatabase()
const ending: (() => unknown)[] = []
const running = new Set<ChildProcess>()
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => once(child, 'exit')))
  for (const end of ending) await end()
  await database.close()
})

function start(): ChildProcess {
  const child = spawn(
    process.execPath,
    [...process.execArgv, path.join(import.meta.dirname, 'effects-process.ts')],
    {
      env: {
        ...process.env,
        ...{ DATABASE_URL: urlOf(database.connection), SECRET_KEY: key, CONNECTION_ALLOW: '127.0.0.1' },
        DATA_DIR: tmpdir(),
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  )
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

interface Tool {
  kind: 'github' | 'gitlab'
  double: Double
  account: string
  project: { id: string; key: string }
  count: () => { issues: number; comments: number; pulls: number; merges: number; statuses: number }
}

const name = 'halden/shop'
const clock = { now: () => new Date() }
const token = 'tok-do-not-tell-0123456789'

async function github(git: ABareRepository): Promise<Tool> {
  const double = await new GithubDouble().start()
  double.addToken(token, { login: 'signalbox' })
  const pulls = new GithubPulls(double)
  pulls.add(name, git)
  const issues = new GithubIssues(double, name, clock)
  const { id } = double.repositories.find((one) => one.full_name === name)!
  return {
    ...{ kind: 'github', double, account: 'signalbox', project: { id: `${id}`, key: name } },
    count: () => ({
      issues: [...issues.issues.values()].length,
      comments: [...issues.issues.values()].flatMap(({ comments }) => comments).length,
      pulls: pulls.pulls.length,
      merges: Number(git.git('rev-list', '--merges', '--count', 'main')),
      statuses: [...pulls.statuses.values()].flat().length,
    }),
  }
}

async function gitlab(git: ABareRepository): Promise<Tool> {
  const double = await new GitlabDouble().start()
  double.addToken(token, { username: 'signalbox' })
  const requests = new GitlabMergeRequests(double)
  requests.add(name, git)
  const project = double.projects.find((one) => one.path_with_namespace === name)!
  const issues = new GitlabIssues(double, project, clock)
  return {
    ...{ kind: 'gitlab', double, account: 'signalbox', project: { id: `${project.id}`, key: name } },
    count: () => ({
      issues: [...issues.issues.values()].length,
      comments: [...issues.issues.values()].flatMap(({ notes }) => notes).length,
      pulls: requests.all.length,
      merges: Number(git.git('rev-list', '--merges', '--count', 'main')),
      statuses: [...requests.statuses.values()].flat().length,
    }),
  }
}

/** The writes at which the process is killed once each, in the order they are made. */
const writes: Record<Tool['kind'], Record<string, RegExp>> = {
  github: {
    issue: /^POST \/.*\/issues$/,
    comment: /^POST \/.*\/issues\/\d+\/comments$/,
    'pull request': /^POST \/.*\/pulls$/,
    status: /^POST \/.*\/statuses\//,
    merge: /^PUT \/.*\/merge$/,
  },
  gitlab: {
    issue: /^POST \/.*\/issues$/,
    comment: /^POST \/.*\/notes$/,
    'pull request': /^POST \/.*\/merge_requests$/,
    status: /^POST \/.*\/statuses\//,
    merge: /^PUT \/.*\/merge$/,
  },
}

for (const make of all ? [github, gitlab] : [github])
  test(`${make.name}: kill -9 between a call and its record, at ${all ? 'every write' : 'an issue and a pull request'}: nothing is written twice`, async () => {
    const git = new ABareRepository()
    await git.push('main', { 'a.txt': 'one\n' })
    const tool = await make(git)
    ending.push(
      () => tool.double.stop(),
      () => git.remove(),
    )
    const engine = new TestEngine(database.db)
    engine.changes = new BundleReader()
    const run = await OneRun.begin(engine)
    // Without a repository the test does the work; from here on it is at the tool.
    const runner = new HonestRunner(run, git)
    await runner.begin()
    const made = await runner.make({ 'a.txt': 'two\n' })
    await runner.tell(runner.ready(made))
    await runner.tell(await runner.measured(made))
    await run.report(runner.push(made.work.head))
    const { workspaceId } = run.owner
    const { id } = await aConnection(run.owner, secrets, {
      ...{ kind: tool.kind, baseUrl: tool.double.url, credentials: { token } },
    })
    await bindTeam(run.owner, run.team.id, id, tool)
    await housekeeping(database.db, 'a repository for a test', (tx) =>
      sql`
        insert into team_repositories (workspace_id, team_id, name, host, address, branch, connection_id, remote_id)
        values (${workspaceId}, ${run.team.id}, ${name}, ${tool.kind}, ${`${tool.double.url}/${name}.git`}, 'main',
          ${id}, ${tool.project.id})
      `.execute(tables(tx)),
    )
    await createStory(run.owner, run.team.slug, { title: 'Rounding', description: 'Round down.' })

    const deadly = Object.entries(writes[tool.kind]).filter(
      ([what]) => all || what === 'issue' || what === 'pull request',
    )
    const killed: string[] = []
    let child!: ChildProcess
    tool.double.afterwards = ({ method, path: at }) => {
      const [what] = deadly.find(([, when]) => when.test(`${method} ${at}`)) ?? []
      if (!what || killed.includes(what)) return
      killed.push(what)
      child.kill('SIGKILL')
    }
    /** Time passes: what was taken, or put off, is due again. */
    const due = () =>
      housekeeping(database.db, 'time passes', (tx) =>
        sql`
          update effects set due_at = now() where workspace_id = ${workspaceId} and due_at is not null
        `.execute(tables(tx)),
      )
    const merged = async () =>
      (
        await sql<{ merged: string | null }>`
          select memory ->> 'merged' as merged from runs where id = ${run.order.runId}
        `.execute(tables(database.db))
      ).rows[0]!.merged
    child = start()
    let commented = false
    await until(`everything is written, after ${deadly.length} deaths`, async () => {
      if (child.signalCode) child = start()
      await due()
      const [issue] = await storiesWithIssue(workspaceId)
      if (issue && !commented) {
        commented = true
        await change(run.owner, async (tx) => {
          await addEffect(run.owner, tx, {
            ...{ kind: 'comment_issue', key: 'comment_issue/test' },
            data: {
              ...{ issue: issue.tracker, text: 'Ready.' },
              ...{ story: issue.key, team: run.team.slug, run: run.key },
            },
          })
          return { value: undefined, audit: [] }
        })
      }
      const { comments } = tool.count()
      return (
        killed.length === deadly.length && (await merged()) !== null && comments > 0 && (await open()) === 0
      )
    })
    async function open() {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from effects
        where workspace_id = ${workspaceId} and due_at is not null and kind <> 'check_main'
      `.execute(tables(database.db))
      return rows[0]!.count
    }
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    assert.deepEqual(
      killed.toSorted(),
      deadly.map(([what]) => what).toSorted(),
      'each write was one after which the process died',
    )
    assert.deepEqual(tool.count(), { issues: 1, comments: 1, pulls: 1, merges: 1, statuses: 1 })
    const log = await listAudit(run.owner, { event: 'tracker_written' }, { limit: 100, after: null })
    const wrote = log.data.map((json) => JSON.parse(json).details.wrote)
    assert.equal(wrote.filter((one) => one === 'created').length, 1)
    assert.equal(wrote.filter((one) => one === 'comment').length, 1)
  })

interface TrackerOnly {
  double: Double
  credentials: Record<string, string>
  account: string
  project: { id: string; key: string }
  /** The writes at which the process is killed once each. */
  writes: Record<string, (request: DoubleRequest) => boolean>
  count: () => { issues: number; comments: number }
}

const trackersOnly: Record<'jira' | 'linear', () => Promise<TrackerOnly>> = {
  async jira() {
    const double = await new JiraDouble().start()
    const credentials = { email: 'bot@example.com', token }
    double.addAccount(credentials, { name: 'signalbox' })
    const project = double.addProject('WEB', 'Web')
    const issues = new JiraIssues(double, project, clock)
    const all = () => [...issues.issues.values()]
    const isPost = (end: RegExp, isBlock?: boolean) => (one: DoubleRequest) =>
      one.method === 'POST' &&
      end.test(one.path) &&
      (isBlock === undefined || `${one.body.body}`.startsWith('h3. ') === isBlock)
    return {
      ...{ double, credentials, account: 'signalbox', project: { id: project.id, key: 'WEB' } },
      writes: {
        issue: isPost(/\/issue$/),
        block: isPost(/\/comment$/, true),
        comment: isPost(/\/comment$/, false),
      },
      // The block is a comment of its own.
      count: () => ({ issues: all().length, comments: all().flatMap(({ comments }) => comments).length - 1 }),
    }
  },
  async linear() {
    const double = await new LinearDouble().start()
    double.addKey(token)
    const team = double.addTeam('WEB', 'Web')
    const issues = new LinearIssues(double, team, clock)
    const isMutation = (name: string) => (one: DoubleRequest) =>
      `${one.body?.query}`.includes(`${name}(input`)
    return {
      ...{ double, credentials: { token }, account: 'signalbox', project: { id: team.id, key: 'WEB' } },
      writes: { issue: isMutation('issueCreate'), comment: isMutation('commentCreate') },
      count: () => ({ issues: issues.issues.size, comments: issues.comments.size }),
    }
  },
}

for (const [kind, make] of Object.entries(trackersOnly) as ['jira' | 'linear', () => Promise<TrackerOnly>][])
  test(`${kind}: kill -9 between a call and its record, at every write: nothing is written twice`, {
    skip: !all && 'npm run test:faults',
  }, async () => {
    const tool = await make()
    ending.push(() => tool.double.stop())
    const owner = await new TestEngine(database.db).workspace()
    const team = await aTeam(owner)
    const { workspaceId } = owner
    const { id } = await aConnection(owner, secrets, {
      ...{ kind, baseUrl: tool.double.url, credentials: tool.credentials },
      method: kind === 'jira' ? 'basic' : 'token',
    })
    await bindTeam(owner, team.id, id, tool)
    await createStory(owner, team.slug, { title: 'Rounding', description: 'Round down.', size: 's' })
    const killed: string[] = []
    let child!: ChildProcess
    tool.double.afterwards = (request) => {
      const [what] = Object.entries(tool.writes).find(([, isIt]) => isIt(request)) ?? []
      if (!what || killed.includes(what)) return
      killed.push(what)
      child.kill('SIGKILL')
    }
    child = start()
    let commented = false
    const wanted = Object.keys(tool.writes).length
    await until(`everything is written, after ${wanted} deaths`, async () => {
      if (child.signalCode) child = start()
      await housekeeping(database.db, 'time passes', (tx) =>
        sql`
          update effects set due_at = now() where workspace_id = ${workspaceId} and due_at is not null
        `.execute(tables(tx)),
      )
      const [issue] = await storiesWithIssue(workspaceId)
      if (issue && !commented) {
        commented = true
        await change(owner, async (tx) => {
          await addEffect(owner, tx, {
            ...{ kind: 'comment_issue', key: `comment_issue/${kind}` },
            data: {
              ...{ issue: issue.tracker, text: 'Ready.' },
              ...{ story: issue.key, team: team.slug, run: 'run-none' },
            },
          })
          return { value: undefined, audit: [] }
        })
      }
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from effects where workspace_id = ${workspaceId} and due_at is not null
      `.execute(tables(database.db))
      return commented && killed.length === wanted && rows[0]!.count === 0
    })
    child.kill('SIGKILL')
    assert.deepEqual(tool.count(), { issues: 1, comments: 1 })
    const log = await listAudit(owner, { event: 'tracker_written' }, { limit: 100, after: null })
    const wrote = log.data.map((json) => JSON.parse(json).details.wrote)
    assert.equal(wrote.filter((one) => one === 'created').length, 1)
    assert.equal(wrote.filter((one) => one === 'comment').length, 1)
  })

async function storiesWithIssue(workspaceId: string) {
  const { rows } = await sql<{ key: string; tracker: { platform: string; key: string; url: string } }>`
    select key, json_build_object('platform', tracker_platform, 'key', tracker_key, 'url', tracker_url) as tracker from stories
    where workspace_id = ${workspaceId} and tracker_key is not null
  `.execute(tables(database.db))
  return rows
}
