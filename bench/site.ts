import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { blank } from '../server/domain/engine/machine/machine.ts'
import { questionOf } from '../server/domain/work/decisions/kinds.ts'
import { type Database, openDatabase } from '../server/infra/db/db.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { urlOf } from '../server/test/app.ts'
import { aMember, aPolicy, aTeam, aToken, aWorkspace } from '../server/test/factories.ts'
import { freshDatabase } from './database.ts'
import { start } from './process.ts'

export const secretKey = 'a key for the bench that is long enough'

/** As many as a server opens by default: its peers get as many. */
export const connections = 10

/** A run that waits for a person, and the decision it waits for. */
export interface Waiting {
  teamId: string
  team: string
  storyId: string
  story: string
  runId: string
  run: string
  decisionId: string
  decision: string
}

/** A workspace in a database of its own, with some teams whose coding agent is not run here. */
export interface Site {
  connection: Connection
  database: Database
  owner: Awaited<ReturnType<typeof aMember>>
  token: string
  /** Adds runs that wait for their plan to be approved, written past the domain: only their number matters. */
  addWaiting(count: number): Promise<Waiting[]>
  /** A server of its own process on this database, or of several that share a port. */
  serve(
    environment?: Record<string, string>,
    workers?: number,
  ): Promise<{ url: string; pid: number; stop(): Promise<void> }>
  close(): Promise<void>
}

/** Fewer do not change what the planner thinks of the tables. */
const worthAnalyzing = 1_000

export async function openSite(cluster: Connection, name: string, teams = 8): Promise<Site> {
  const connection = await freshDatabase(cluster, name)
  const database = openDatabase({ connection, connections, asAppRole: true, onError: () => {} })
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { token } = await aToken(owner, ['read', 'write'])
  for (let number = 0; number < teams; number += 1) {
    // `claude_code` needs a runner, and none is connected: what is approved stays queued.
    await aPolicy(owner, await aTeam(owner, `bench-${number}`), 'supervised', { executor: 'claude_code' })
  }
  const filler = new pg.Client(connection)
  await filler.connect()
  let filled = 0
  return {
    connection,
    database,
    owner,
    token,
    async addWaiting(count) {
      const from = filled
      filled += count
      await filler.query('begin')
      const range = [owner.workspaceId, from + 1, from + count]
      await filler.query(`create temp table waiting on commit drop as ${numberedOver(teams)}`, range)
      // What refers to what is known here; checking it again for each row would take most of the time.
      await filler.query("set local session_replication_role = 'replica'")
      await filler.query(fillStories)
      await filler.query(fillRuns, [
        JSON.stringify({ ...blank, fresh: false, plan, waitsFor: 'plan_approval' }),
      ])
      await filler.query(fillAttempts)
      await filler.query("set local session_replication_role = 'origin'")
      const question = questionOf('plan_approval', { title, facts: { plan, because: 'the policy wants it' } })
      const { title: asked, body, authority, options, recommendation } = question
      await filler.query(fillDecisions, [asked, body, authority, JSON.stringify(options), recommendation])
      const { rows } = await filler.query<Waiting>(
        'select "teamId", team, "storyId", story, "runId", run, "decisionId", decision from waiting order by "runId"',
      )
      await filler.query('commit')
      if (count >= worthAnalyzing) await filler.query('vacuum analyze stories, runs, attempts, decisions')
      // What this took is told at once, so that it is not taken for what a server takes later.
      await filler.query('select pg_stat_force_next_flush()')
      return rows
    },
    async serve(environment = {}, workers = 1) {
      const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bench-server-'))
      const { line, child, stop } = await start(
        ['--max-semi-space-size=8', 'bench/server.ts', String(workers)],
        {
          DATABASE_URL: urlOf(connection),
          DATABASE_CONNECTIONS: String(connections),
          DATA_DIR: folder,
          PORT: '0',
          RATE_LIMIT_PER_MINUTE: '1000000000',
          SIGNALS_PER_MINUTE: '1000000000',
          SECRET_KEY: secretKey,
          ...environment,
        },
      )
      return {
        url: line,
        pid: child.pid!,
        async stop() {
          await stop()
          await rm(folder, { recursive: true, force: true })
        },
      }
    },
    async close() {
      await filler.end()
      await database.close()
    },
  }
}

const title = 'A story with a title of some length'
const plan = [
  'Write the acceptance spec and see it fail.',
  'Add the field to the form, with its label and its hint.',
  'Keep what was entered when the page is left and entered again.',
  'Check the bounds on the server and say which one was missed.',
]
  .map((step, index) => `${index + 1}. ${step}`)
  .join('\n')

// Four digits to the base of 36, as keys have them.
const key = (number: string) =>
  [46_656, 1_296, 36, 1]
    .map(
      (divisor) =>
        `substr('0123456789abcdefghijklmnopqrstuvwxyz', (${number} / ${divisor} % 36)::int + 1, 1)`,
    )
    .join(' || ')
const id = (kind: string) =>
  `(lpad(to_hex(1767225600000 + n), 12, '0') || '7${kind}8' || lpad(to_hex(n), 15, '0'))::uuid`

const numberedOver = (teams: number) => `
  select t.workspace_id, t.id as "teamId", t.slug as team, t.policy_version, c.id as column_id,
    ${id('001')} as "storyId", t.key_prefix || '-' || n as story,
    ${id('002')} as "runId", 'run-' || ${key('n')} as run,
    ${id('003')} as "decisionId", 'dec-' || ${key('n')} as decision
  from generate_series($2::int, $3::int) as n
  join teams t on t.workspace_id = $1 and t.slug = 'bench-' || n % ${teams}
  join columns c on c.workspace_id = t.workspace_id and c.team_id = t.id and c.role = 'in_progress'`

const fillStories = `
  insert into stories (id, workspace_id, team_id, key, title, description, column_id, readiness_score, created_at, updated_at)
  select "storyId", workspace_id, "teamId", story, '${title}', 'What is wanted.', column_id, 100, now(), now()
  from waiting`

const fillRuns = `
  insert into runs (id, workspace_id, team_id, story_id, key, attempts, budget_cents, phase, version, fence,
    policy_version, memory, created_at)
  select "runId", workspace_id, "teamId", "storyId", run, 1, 800, 'waiting', 2, 2, policy_version, $1, now()
  from waiting`

const fillAttempts = `
  insert into attempts (workspace_id, run_id, attempt, status, stage, executor, started_at)
  select workspace_id, "runId", 1, 'waiting', 'planning', 'claude_code', now()
  from waiting`

const fillDecisions = `
  insert into decisions (id, workspace_id, team_id, story_id, run_id, key, kind, title, body, authority, options,
    recommendation, status, created_at, expires_at)
  select "decisionId", workspace_id, "teamId", "storyId", "runId", decision, 'plan_approval', $1, $2, $3, $4, $5,
    'pending', now(), now() + interval '7 days'
  from waiting`
