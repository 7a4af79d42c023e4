import type { Evidence, RunListed, Verification } from '@signalbox/contract/run.ts'
import type { Isolation, RunnerEvent, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import { type Db, pipelined, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Verified } from '../../ports/git-host.ts'
import type { Phase } from '../../work/runs/phase.ts'
import { blank, type Memory, type RunState } from './machine.ts'
import { type Derived, type Part, partsOf } from './parts.ts'
import type * as Sql from './run-store.types.ts'

// The latest attempt carries the run's status, stage, executor and failure class.
export const runSource = `
  runs r
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
`

/** A run as the engine needs it. */
export interface LockedRunRow {
  id: string
  key: string
  phase: Phase
  version: number
  fence: number
  stage: RunListed['stage']
  attempt: number
  budgetCents: number
  costMicros: number
  memory: Partial<Memory>
  pullRequest: RunListed['pullRequest']
  policyVersion: number
  wakeAt: Date | null
  /** The trace it belongs to; null: it is not traced. */
  traceparent: string | null
  team: { id: string; slug: string; name: string }
  story: { id: string; key: string; title: string } & Pick<StoryListed, 'size' | 'complexity' | 'tracker'>
}

const held = statement<Sql.Held, LockedRunRow>(`
  select r.id, r.key, r.phase, r.version, r.fence, a.stage, r.attempts as attempt,
    r.budget_cents as "budgetCents",
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros!",
    r.memory, r.wake_at as "wakeAt", r.traceparent,
    (select row_to_json(pull_request) from (select
      r.pull_request_url as url, r.pull_request_number as number
      where r.pull_request_url is not null
    ) as pull_request) as "pullRequest",
    coalesce(r.policy_version, t.policy_version) as "policyVersion!",
    json_build_object('id', t.id, 'slug', t.slug, 'name', t.name) as team,
    json_build_object('id', s.id, 'key', s.key, 'title', s.title, 'size', s.size, 'complexity', s.complexity,
      'tracker', case when s.tracker_key is not null then
        json_build_object('platform', s.tracker_platform, 'key', s.tracker_key, 'url', s.tracker_url)
      end) as story
  from ${runSource}
  where r.workspace_id = :workspaceId [[and r.id = :id]] [[and r.key = :key]]`)

const lock = statement<Sql.Lock>(`
  select from runs
  where workspace_id = :workspaceId [[and id = :id]] [[and key = :key]]
  for no key update`)

/**
 * Two statements: a lock that was waited for shows the run as it is now, but everything joined to it as it was when
 * the statement began.
 */
export async function selectRunForUpdate(
  tx: Tx,
  workspaceId: string,
  by: { id: string } | { key: string },
): Promise<LockedRunRow | undefined> {
  // Sent before the other, which is answered once the run is held.
  await write(pipelined(tx), lock, handedIn({ ...by, workspaceId }))
  return (await read(tx, held, handedIn({ ...by, workspaceId })))[0]
}

const updateRunSql = statement<Sql.UpdateRun>(`
  with event as (
    insert into run_events (workspace_id, run_id, seq, at, type, data, fence, report, phase, stage, attempt)
    values (:workspaceId, :id, :version, :at, :type, :data, :eventFence?, :report?, :phase, :stage, :attempt)
  )
  update runs set phase = :phase, version = :version, fence = :fence, attempts = :attempt,
    budget_cents = :budgetCents, memory = :memory, pull_request_url = :url?, pull_request_number = :number?,
    wake_at = :wakeAt?, policy_version = :policyVersion, reason = null, stuck_since = null
  where workspace_id = :workspaceId and id = :id`)

/** Writes the run's new state and, as its own row, the event that led there. */
export async function updateRun(
  tx: Tx,
  workspaceId: string,
  run: {
    id: string
    version: number
    state: RunState
    wakeAt: Date | null
    policyVersion: number
    event: { at: Date; type: string; data: unknown; fence: number | null; report: number | null }
  },
): Promise<void> {
  const { state, event } = run
  await write(pipelined(tx), updateRunSql, {
    ...{
      workspaceId,
      id: run.id,
      version: run.version,
      wakeAt: run.wakeAt,
      policyVersion: run.policyVersion,
    },
    ...{ phase: state.phase, stage: state.stage, attempt: state.attempt, budgetCents: state.budgetCents },
    fence: state.fence,
    memory: JSON.stringify(state.memory),
    url: state.pullRequest?.url,
    number: state.pullRequest?.number,
    ...{ at: event.at, type: event.type, report: event.report, eventFence: event.fence },
    data: JSON.stringify(event.data),
  })
}

const appendEventSql = statement<Sql.AppendEvent>(`
  with event as (
    insert into run_events (workspace_id, run_id, seq, at, type, data, fence, report)
    values (:workspaceId, :id, :version, :at, :type, :data, :fence?, :report?)
  )
  update runs set version = :version,
    reason = case when :isAlive then null else reason end,
    stuck_since = case when :isAlive then null else stuck_since end
  where workspace_id = :workspaceId and id = :id`)

/** Notes an event that moved nothing. A run with a sign of life is not stuck. */
export async function appendEvent(
  tx: Tx,
  workspaceId: string,
  run: { id: string; version: number; isAlive: boolean },
  event: { at: Date; type: string; data: unknown; fence: number | null; report: number | null },
): Promise<void> {
  await write(tx, appendEventSql, {
    ...{ workspaceId, id: run.id, version: run.version, isAlive: run.isAlive },
    ...{ at: event.at, type: event.type, fence: event.fence, report: event.report },
    data: JSON.stringify(event.data),
  })
}

export const isReported = reads.exists<Sql.IsReported>('workspaceId, runId, fence, report')(`
  select from run_events
  where workspace_id = :workspaceId and run_id = :runId and fence = :fence and report = :report`)

export const insertRun = writes.run<
  Sql.InsertRun,
  Nothing,
  { executor: RunListed['executor']; memory: Memory }
>('workspaceId, ...run')(`
  with run as (
    insert into runs (id, workspace_id, team_id, story_id, key, attempts, budget_cents, phase, wake_at,
      policy_version, memory, created_at, traceparent)
    values (:id, :workspaceId, :teamId, :storyId, :key, 1, :budgetCents,
      'queued', :at, :policyVersion, :{memory}, :at, :traceparent?)
  )
  insert into attempts (workspace_id, run_id, attempt, status, stage, executor)
  values (:workspaceId, :id, 1, 'queued', 'planning', :executor)`)

const updateAttemptSql = statement<Sql.UpdateAttempt>(`
  update attempts set status = :status
    [[, stage = :stage]] [[, failure_class = :failureClass?]] [[, error = :error?]]
    [[, started_at = coalesce(started_at, :startedAt)]] [[, completed_at = :completedAt]] [[, executor = :executor]]
  where workspace_id = :workspaceId and run_id = :runId and attempt = :attempt`)

export async function updateAttempt(
  tx: Tx,
  workspaceId: string,
  runId: string,
  attempt: number,
  changed: {
    status: RunListed['status']
    stage?: RunListed['stage']
    failureClass?: RunListed['failureClass']
    error?: string | null
    startedAt?: Date
    completedAt?: Date
    executor?: RunListed['executor']
  },
): Promise<void> {
  await write(pipelined(tx), updateAttemptSql, handedIn({ ...changed, workspaceId, runId, attempt }))
}

/** Which agent an attempt has, and what holds it. */
export const updateAgent = writes.run<
  Sql.UpdateAgent,
  Nothing,
  { isolation: Isolation; agent: RunnerExecutor }
>('workspaceId, runId, attempt, { isolation, agent }')(`
  update attempts set isolation = :{isolation}, agent = :{agent}
  where workspace_id = :workspaceId and run_id = :runId and attempt = :attempt`)

const insertAttemptSql = statement<Sql.InsertAttempt>(`
  insert into attempts (workspace_id, run_id, attempt, status, stage, executor)
  values (:workspaceId, :runId, :attempt, 'queued', :stage, :executor)`)

export async function insertAttempt(
  tx: Tx,
  workspaceId: string,
  {
    runId,
    attempt,
    stage,
    executor,
  }: { runId: string; attempt: number } & Pick<RunListed, 'stage' | 'executor'>,
): Promise<void> {
  await write(pipelined(tx), insertAttemptSql, { workspaceId, runId, attempt, stage, executor })
}

export const updateVerification = writes.run<
  Sql.UpdateVerification,
  Nothing,
  { verification: Verification; evidence: Evidence }
>('workspaceId, runId, attempt, verification, evidence')(`
  with run as (
    update runs set evidence = :{evidence} where workspace_id = :workspaceId and id = :runId ) update attempts set verification = :{verification}
  where workspace_id = :workspaceId and run_id = :runId and attempt = :attempt`)

type Usage = Extract<RunnerEvent, { type: 'usage' }>

const insertUsageSql = statement<Sql.InsertUsage>(`
  with entered as (
    insert into usage_ledger (workspace_id, team_id, run_id, attempt, fence, report, at, amount, currency,
      euro_rate, euro_micros, source, provider, model, input_tokens, cache_read_tokens, cache_write_tokens,
      output_tokens, price_table)
    values (:workspaceId, :teamId, :runId, :attempt, :fence, :report, :at, :amount, :currency, :euroRate,
      :euroMicros, :source?, :provider?, :model?, :input?, :cacheRead?, :cacheWrite?, :output?, :priceTable?)
  )
  update attempts set cost_micros = cost_micros + :euroMicros,
    cost_cents = ceil((cost_micros + :euroMicros) / 10000.0)
  where workspace_id = :workspaceId and run_id = :runId and attempt = :attempt`)

/** What a bill need not say. */
const untold = {
  ...{ source: null, provider: null, model: null, priceTable: null },
  ...{ input: null, cacheRead: null, cacheWrite: null, output: null },
}

/** Enters a bill and adds it to the attempt. The cents are the millionths, rounded up, so that they never fall. */
export async function insertUsage(
  tx: Tx,
  workspaceId: string,
  usage: {
    teamId: string
    runId: string
    attempt: number
    fence: number
    report: number
    at: Date
    amount: number
    currency: string
    euroRate: number
    euroMicros: number
  } & Omit<Usage, 'type' | 'amount' | 'currency'>,
): Promise<void> {
  await write(tx, insertUsageSql, handedIn({ ...untold, ...usage, workspaceId }))
}

export const selectTeamOf = reads.value<Sql.SelectTeamOf, Nothing, { id: string } | { key: string }>(
  'workspaceId, ...by',
)(`
  select team_id as "teamId" from runs
  where workspace_id = :workspaceId [[and id = :id]] [[and key = :key]]`)

export const hasOtherOpenRun = reads.exists<Sql.HasOtherOpenRun>('workspaceId, runId, storyId')(`
  select from runs
  where workspace_id = :workspaceId and story_id = :storyId and id <> :runId
    and phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

const mergeRequest = statement<
  Sql.MergeRequest,
  {
    run: string
    team: string
    teamId: string
    story: string
    mainRed: boolean
    mends: boolean
    pullRequest: RunListed['pullRequest']
    /** The commit that was verified and pushed, and the one it was merged as. */
    head: string | null
    merged: string | null
    /** What the server has read out of that commit, and what people were shown of it. */
    derived: Derived | null
    paths: string[] | null
    onBase: Memory['onBase']
    mainSeen: Memory['mainSeen']
    memory: Partial<Memory>
  }
>(`
  select r.key as run, t.slug as team, t.id as "teamId", s.key as story, r.memory, t.main_red_since is not null as "mainRed",
    (s.class_of_service = 'expedite' or coalesce((r.memory ->> 'mendsMain')::boolean, false)) as mends,
    (select row_to_json(pull_request) from (select
      r.pull_request_url as url, r.pull_request_number as number
      where r.pull_request_url is not null
    ) as pull_request) as "pullRequest",
    r.memory -> 'branch' ->> 'head' as head, r.memory ->> 'merged' as merged,
    nullif(r.memory -> 'derived', 'null') as derived, r.memory -> 'change' -> 'paths' as paths,
    nullif(r.memory -> 'onBase', 'null') as "onBase", nullif(r.memory -> 'mainSeen', 'null') as "mainSeen"
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

/** What is asked of the host about the pull request of a run. Only what was verified and pushed is called so. */
export async function selectMergeRequest(db: Db, workspaceId: string, id: string) {
  const row = (await read(db, mergeRequest, { workspaceId, id }))[0]
  if (!row) return
  const { derived, paths, memory, ...request } = row
  const { at = null, parts = [] } = memory
  const isPushed = derived !== null && derived.head === request.head
  return {
    ...request,
    at,
    parts: partsOf({ ...blank, ...memory }),
    ...(parts.length > 0 ? ofPart(parts.find(({ name }) => name === at)!) : {}),
    verified: isPushed ? verifiedOf(derived, pathsOf(memory) ?? paths ?? []) : null,
  }
}

type MergeRow = NonNullable<Awaited<ReturnType<typeof selectMergeRequest>>>

/** The same for another of the run's repositories, as far as it is known. */
export const requestOfPart = (row: MergeRow, part: Part): MergeRow => {
  const { branch, derived, merged, onBase, mainSeen, change } = part
  const isPushed = derived !== null && derived.head === branch?.head
  return {
    ...row,
    ...{ at: part.name, head: branch?.head ?? null, merged, onBase, mainSeen, ...ofPart(part) },
    verified: isPushed ? verifiedOf(derived, change?.paths ?? []) : null,
  }
}

const ofPart = ({ pullRequest }: Part) => ({ pullRequest })
const pathsOf = ({ parts = [], at }: Partial<Memory>) => parts.find(({ name }) => name === at)?.change?.paths

const verifiedOf = ({ pinnedPaths, toldDiff, ...derived }: Derived, paths: readonly string[]): Verified => ({
  ...derived,
  paths: [...paths, ...pinnedPaths],
})

// A run in several repositories has one in each; a run in one has it where it works, which is the first unless it says.
const isPullRequest = `case
    when jsonb_array_length(coalesce(r.memory -> 'parts', '[]')) > 0 then r.memory -> 'parts' @> jsonb_build_array(
      jsonb_build_object('name', :repository::text, 'pullRequest', jsonb_build_object('number', :number::int)))
    else r.pull_request_number = :number and :repository = coalesce(r.memory ->> 'at', (
      select min(c.name) from team_repositories c where c.workspace_id = r.workspace_id and c.team_id = r.team_id), :repository)
  end`

/** A pull request, by the name of its repository. */
interface NamedPullRequest {
  repository: string
  number: number
}

/** The run that a pull request of a team's repository belongs to, while it goes on. */
export const selectRunOfPullRequest = reads.value<Sql.SelectRunOfPullRequest, Nothing, NamedPullRequest>(
  'workspaceId, team, ...pullRequest',
)(`
  select r.id
  from ${runSource}
  where r.workspace_id = :workspaceId and t.slug = :team and ${isPullRequest}
    and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
  order by r.id desc
  limit 1`)

/** Runs for which it matters what becomes of that pull request: those that go on, and those whose people merge. */
export const selectRunsOfPullRequest = reads.column<Sql.SelectRunsOfPullRequest, Nothing, NamedPullRequest>(
  'workspaceId, team, ...pullRequest',
)(`
  select r.id
  from ${runSource}
  where r.workspace_id = :workspaceId and t.slug = :team and ${isPullRequest}
    and r.phase in ('queued', 'working', 'waiting', 'opening', 'succeeded') and r.memory ->> 'merged' is null
  order by r.id`)

/** Takes the runs whose pull request was not looked at since then, so that no other node looks at them for as long. */
export const takePullRequestLooksOfAllWorkspaces = writes.many<Sql.TakePullRequestLooksOfAllWorkspaces>(
  'now, { open, ended, endedAfter, most }',
)(`
  update runs r set pull_request_looked_at = :now
  from (
    select r.id from runs r
    join workspaces w on w.id = r.workspace_id and w.deleted_at is null
    where r.pull_request_number is not null
      and r.phase in ('queued', 'working', 'waiting', 'opening', 'succeeded') and r.memory ->> 'merged' is null
      and exists (select from team_repositories c where c.workspace_id = r.workspace_id and c.team_id = r.team_id)
      and (r.pull_request_looked_at is null or r.pull_request_looked_at <= case
        when r.phase = 'succeeded' then :ended::timestamptz else :open::timestamptz end)
      and (r.phase <> 'succeeded' or r.created_at > :endedAfter)
    order by r.pull_request_looked_at nulls first
    limit :most
    for no key update of r skip locked
  ) as due
  where r.id = due.id
  returning r.id, r.workspace_id as "workspaceId"`)

/** Something was learnt of a run that has ended, and moves nothing. */
export const updateMemory = writes.run<Sql.UpdateMemory, Nothing, { memory: Memory }>(
  'workspaceId, id, memory',
)(`
  update runs set memory = :{memory} where workspace_id = :workspaceId and id = :id`)

/** Its state is known: it is not asked for again. */
export const endPullRequestLooks = writes.run<Sql.EndPullRequestLooks>('workspaceId, id')(`
  update runs set pull_request_looked_at = 'infinity' where workspace_id = :workspaceId and id = :id`)

/** What a pull request says of the run whose branch was pushed. */
export const selectPullRequestFacts = reads.one<
  Sql.SelectPullRequestFacts,
  {
    run: string
    team: string
    teamId: string
    story: string
    title: string
    branch: Memory['branch']
    base: string | null
    onBase: Memory['onBase']
    memory: Partial<Memory>
  }
>('workspaceId, id')(`
  select r.key as run, t.slug as team, t.id as "teamId", s.key as story, s.title, r.memory, r.memory -> 'branch' as branch,
    r.memory ->> 'base' as base, nullif(r.memory -> 'onBase', 'null') as "onBase"
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

export const updateWake = writes.run<Sql.UpdateWake>('workspaceId, id, wakeAt')(
  `update runs set wake_at = :wakeAt where workspace_id = :workspaceId and id = :id`,
)

export const selectOpenRunOf = reads.one<Sql.SelectOpenRunOf>('workspaceId, storyKey')(`
  select r.id from runs r
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  where r.workspace_id = :workspaceId and s.key = :storyKey
    and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)
