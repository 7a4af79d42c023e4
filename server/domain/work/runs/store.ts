import type { RunRow } from '@signalbox/contract/app/runs.ts'
import type { Run, RunListed } from '@signalbox/contract/run.ts'
import { type Db, read } from '../../../infra/db/db.ts'
import { reads } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../../page.ts'
import { localHolder } from '../stories/local-holder.ts'
import type { Phase } from './phase.ts'
import type * as Sql from './store.types.ts'

const listed = `
  r.key,
  t.slug as team,
  (select row_to_json(story) from (select s.key, s.title) as story) as story,
  a.status,
  a.stage,
  a.executor,
  r.attempts,
  (
    select sum(cost_cents) from attempts
    where workspace_id = r.workspace_id and run_id = r.id
  ) as "costCents",
  r.budget_cents as "budgetCents",
  a.failure_class as "failureClass",
  (select row_to_json(pull_request) from (select
    r.pull_request_url as url, r.pull_request_number as number
    where r.pull_request_url is not null
  ) as pull_request) as "pullRequest",
  iso((
    select started_at from attempts
    where workspace_id = r.workspace_id and run_id = r.id and attempt = 1
  )) as "startedAt",
  iso(a.completed_at) as "completedAt",
  iso(r.created_at) as "createdAt"
`

// The latest attempt carries the run's status, stage, executor and failure class.
const source = `
  runs r
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
`

export const selectRuns = reads.many<Sql.SelectRuns, Rendered<RunListed>>(
  'workspaceId, { team, story }, { after, rows }',
)(`
  select r.id, (select row_to_json(run) from (select ${listed}) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId and not r.hidden
    [[and r.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and r.story_id = (select id from stories where workspace_id = :workspaceId and key = :story)]]
    [[and r.id < :after]]
  order by r.id desc
  limit #rows`)

/** A run in the app's list: what the outside sees of it, and why it does not move. */
const rowsPage = statement<Sql.RowsPage, Rendered<RunRow>>(`
  select r.id, (select row_to_json(run) from (select
    ${listed},
    t.name as "teamName",
    r.phase,
    r.reason,
    iso(r.stuck_since) as "stuckSince",
    ${localHolder} as local,
    (
      select key from decisions
      where workspace_id = r.workspace_id and run_id = r.id and status = 'pending'
      order by id desc
      limit 1
    ) as "waitsFor"
  ) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId and not r.hidden
    [[and r.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and r.story_id = (select id from stories where workspace_id = :workspaceId and key = :story)]]
    [[and r.phase = :phase]]
    [[and r.phase = any(:phases)]]
    [[and a.failure_class = :failure]]
    [[and a.executor = :executor]]
    [[and r.id < :after]]
  order by r.id desc
  limit #rows`)

export async function selectRunRows(
  db: Db,
  workspaceId: string,
  filter: {
    team?: string | undefined
    story?: string | undefined
    phases?: Phase[] | undefined
    failure?: RunListed['failureClass'] | undefined
    executor?: RunListed['executor'] | undefined
  },
  { after, ...request }: PageRequest,
): Promise<readonly Rendered<RunRow>[]> {
  const { phases, ...rest } = filter
  // Of one phase the index holds the runs in their order; several would be sorted.
  const where = phases?.length === 1 ? { phase: phases[0] } : { phases }
  return read(db, rowsPage, handedIn({ ...rest, ...where, workspaceId, after, rows: rowsFor(request) }))
}

export const selectRun = reads.one<Sql.SelectRun, Rendered<Run>>('workspaceId, key')(`
  select r.id, (select row_to_json(run) from (select
    ${listed},
    (
      select json_agg(row_to_json(one) order by one.attempt) from (
        select attempt, status, stage, executor, cost_cents as "costCents", failure_class as "failureClass",
          error, verification, iso(started_at) as "startedAt", iso(completed_at) as "completedAt"
        from attempts
        where workspace_id = r.workspace_id and run_id = r.id
      ) as one
    ) as "attemptList",
    r.evidence,
    (
      select coalesce(json_agg(row_to_json(decision)), '[]') from (
        select key, kind, status
        from decisions
        where workspace_id = r.workspace_id and run_id = r.id
        order by id desc
      ) as decision
    ) as decisions
  ) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId and r.key = :key`)

export type RepositoryPullRequest = Sql.SelectPullRequests['row']

export const selectPullRequests = reads.many<Sql.SelectPullRequests>('workspaceId, key')(`
  select part ->> 'name' as "repository!", (part #>> '{pullRequest,number}')::int as "number!",
    part #>> '{pullRequest,url}' as "url!"
  from runs r, jsonb_array_elements(r.memory -> 'parts') part
  where r.workspace_id = :workspaceId and r.key = :key and part #>> '{pullRequest,url}' is not null
  order by 1`)

export type StuckRun = Sql.SelectStuck['row']

export const selectStuck = reads.many<Sql.SelectStuck>('workspaceId')(`
  select r.key, t.slug as team, s.key as story, r.phase, r.reason as "reason!", r.stuck_since as "since!"
  from ${source}
  where r.workspace_id = :workspaceId and r.stuck_since is not null
  order by r.stuck_since
  limit 100`)

/** A merge that a run made and that was not reverted. */
export interface MergedRun {
  key: string
  commit: string
  /** By name; null: the team's only one, or its first. */
  repository: string | null
  mergedAt: Date
  story: { key: string; title: string }
  pullRequest: NonNullable<RunListed['pullRequest']>
  paths: string[]
  /** A person is already being asked whether to revert it. */
  isQuestioned: boolean
}

export const selectMerged = reads.many<Sql.SelectMerged, MergedRun>('workspaceId, teamId, since')(`
  select r.key, e.data ->> 'commit' as "commit!", e.at as "mergedAt",
    coalesce(part ->> 'name', r.memory ->> 'at') as repository,
    json_build_object('key', s.key, 'title', s.title) as story,
    coalesce(part -> 'pullRequest', jsonb_build_object('url', r.pull_request_url, 'number', r.pull_request_number))
      as "pullRequest",
    coalesce(part -> 'change' -> 'paths', r.evidence -> 'changes' -> 'paths', '[]') as paths,
    r.phase = 'waiting' as "isQuestioned"
  from (
    select * from runs
    where workspace_id = :workspaceId and team_id = :teamId and pull_request_number is not null
    order by id desc
    limit 1000
  ) r
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  join run_events e on e.run_id = r.id and e.type = 'merged' and e.at >= :since
  -- Of several repositories the one that it was merged into; what is remembered of the current one is beside the parts.
  left join jsonb_array_elements(r.memory -> 'parts') part on e.data ->> 'commit' = case
    when part ->> 'name' = r.memory ->> 'at' then r.memory ->> 'merged' else part ->> 'merged' end
  -- A merge stays one, whatever became of its run: right after it, a runner looks at main. What is reverted is none.
  where not exists (
    select from run_events v
    where v.run_id = r.id and v.type = 'revert_opened'
  )
  order by e.at desc
  limit 200`)
