import { reads, readsSlowly } from '../../../infra/db/queries.ts'
import type { Mark } from '../../work/runs/page/timeline.ts'
import type * as Sql from './trace-store.types.ts'

interface TracedRun {
  /** Times are milliseconds. */
  marks: (Mark & { seq: number })[]
  order: {
    stage: string
    job: string
    attempt: number
    executor: string | null
    from: number
    to: number
  } | null
  decisions: { kind: string; at: number }[]
}

/** What a run that is traced has done up to one of its steps, and the order that ended with it. */
export const selectTracedRun = reads.one<Sql.SelectTracedRun, TracedRun>(
  'workspaceId, runId, version, fence',
)(`
  select r.traceparent, r.key, t.slug as team, s.key as story, s.tracker_platform as tracker, r.attempts,
    extract(epoch from r.created_at)::float8 * 1000 as "createdAt!",
    extract(epoch from s.created_at)::float8 * 1000 as "storyAt!",
    (
      select coalesce(json_agg(json_build_object('seq', seq, 'at', extract(epoch from at) * 1000, 'phase', phase,
        'stage', stage, 'attempt', attempt) order by seq), '[]')
      from run_events where run_id = r.id and phase is not null and seq <= :version
    ) as "marks!",
    (
      select json_build_object('stage', o.stage, 'job', o.job, 'attempt', o.attempt, 'executor', o.executor,
        'from', extract(epoch from o.offered_at) * 1000, 'to', extract(epoch from o.ended_at) * 1000)
      from work_orders o
      where o.workspace_id = r.workspace_id and o.run_id = r.id and o.fence = :fence and o.ended_at is not null
    ) as "order",
    (
      select coalesce(json_agg(json_build_object('kind', d.kind, 'at', extract(epoch from d.created_at) * 1000)
        order by d.id), '[]')
      from decisions d where d.workspace_id = r.workspace_id and d.run_id = r.id
    ) as "decisions!"
  from runs r
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  where r.workspace_id = :workspaceId and r.id = :runId`)

/** The incident whose fix a story is, if it is one's: which one is in the incident's own events. */
export const selectIncidentOf = readsSlowly.one<Sql.SelectIncidentOf>('workspaceId, story, since, until')(`
  select i.key, extract(epoch from i.opened_at)::float8 * 1000 as "openedAt!"
  from incidents i
  join incident_events e on e.incident_id = i.id
  where i.workspace_id = :workspaceId and i.opened_at between :since and :until
    and e.type in ('fix_started', 'story_filed') and e.data ->> 'story' = :story
  order by i.opened_at
  limit 1`)

/** Which trace the effect of a run belongs to. */
export const selectTraceOfEffect = reads.one<Sql.SelectTraceOfEffect>('workspaceId, effectId')(`
  select e.kind, r.traceparent as "traceparent!"
  from effects e
  join runs r on r.workspace_id = e.workspace_id and r.id = e.run_id
  where e.workspace_id = :workspaceId and e.id = :effectId and r.traceparent is not null`)

/** And a work order. */
export const selectTraceOfRun = reads.value<Sql.SelectTraceOfRun>('workspaceId, runId')(`
  select traceparent from runs where workspace_id = :workspaceId and id = :runId`)
