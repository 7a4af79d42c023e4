import type { Run, RunListed } from '@signalbox/contract/run.ts'
import { type Db, read } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'

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

const page = statement<Rendered<RunListed>>(`
  select r.id, (select row_to_json(run) from (select ${listed}) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId
    [[and r.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and r.story_id = (select id from stories where workspace_id = :workspaceId and key = :story)]]
    [[and r.id < :after]]
  order by r.id desc
  limit #rows`)

const one = statement<Rendered<Run>>(`
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

export async function selectRuns(
  db: Db,
  workspaceId: string,
  filter: { team?: string | undefined; story?: string | undefined },
  { after, ...request }: PageRequest,
): Promise<readonly Rendered<RunListed>[]> {
  return read(db, page, {
    workspaceId,
    team: filter.team,
    story: filter.story,
    after,
    rows: rowsFor(request),
  })
}

export async function selectRun(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<Rendered<Run> | undefined> {
  return (await read(db, one, { workspaceId, key }))[0]
}
