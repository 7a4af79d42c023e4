import { affected, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { UptimeCheck } from './settings.ts'
import type * as Sql from './store.types.ts'

/** An uptime check that one node has taken, with what was found so far. */
export interface TakenCheck {
  source: { id: string; workspaceId: string; name: string }
  check: UptimeCheck
  takenAt: Date
  /** Identifies this claim: a node that takes the check after it has expired moves this. */
  nextAt: Date
  state: UptimeState
}

export interface UptimeState {
  status: 'up' | 'down'
  changedAt: Date
  signalled: boolean
  failures: number
  failingSince: Date | null
}

export const hasDueChecksOfAllWorkspaces = reads.onlyValue<Sql.HasDueChecksOfAllWorkspaces>('now')(`
  select exists (
    select from sources s
    left join uptime_states u on u.source_id = s.id
    where s.kind = 'uptime' and s.deleted_at is null and s.paused_at is null
      and (u.next_at is null or u.next_at <= :now)
  ) as "isDue"`)

const takeDueChecksSql = statement<
  Sql.TakeDueChecks,
  {
    id: string
    workspaceId: string
    name: string
    settings: UptimeCheck
    nextAt: Date
    status: UptimeState['status']
    changedAt: Date
    signalled: boolean
    failures: number
    failingSince: Date | null
  }
>(`
  with due as (
    select s.id, s.workspace_id, s.name, s.settings
    from sources s
    join workspaces w on w.id = s.workspace_id and w.deleted_at is null
    left join uptime_states u on u.source_id = s.id
    where s.kind = 'uptime' and s.deleted_at is null and s.paused_at is null
      and (u.next_at is null or u.next_at <= :now)
    order by u.next_at nulls first
    limit :most
  ), taken as (
    insert into uptime_states (source_id, workspace_id, next_at, status, changed_at, signalled, failures)
    select id, workspace_id, :now::timestamptz + make_interval(secs => greatest(
      (settings->>'intervalSeconds')::int, (settings->>'timeoutSeconds')::int + 5)), 'up', :now, true, 0
    from due
    order by id
    on conflict (source_id) do update set next_at = excluded.next_at where uptime_states.next_at <= :now
    returning source_id, next_at, status, changed_at, signalled, failures, failing_since
  )
  select due.id, due.workspace_id as "workspaceId", due.name, due.settings, taken.next_at as "nextAt!",
    taken.status as "status!", taken.changed_at as "changedAt!", taken.signalled as "signalled!",
    taken.failures as "failures!", taken.failing_since as "failingSince"
  from taken join due on due.id = taken.source_id`)

/**
 * Takes checks that are due. They are due again when their interval is over, and not before they can be finished: if a
 * node takes one and dies, one turn is lost. Rows are locked in a fixed order, so that nodes looking at the same time
 * do not deadlock.
 */
export async function takeDueChecksOfAllWorkspaces(tx: Tx, now: Date, most: number): Promise<TakenCheck[]> {
  return (await write(tx, takeDueChecksSql, { now, most })).map(
    ({ id, workspaceId, name, settings, nextAt, ...state }) => ({
      source: { id, workspaceId, name },
      check: settings,
      takenAt: now,
      nextAt,
      state,
    }),
  )
}

const saveUptimeSql = statement<Sql.SaveUptime>(`
  update uptime_states set next_at = :nextAt, status = :status, changed_at = :changedAt, signalled = :signalled,
    failures = :failures, failing_since = :failingSince?, last_at = :at, last_error = :error?
  where workspace_id = :workspaceId and source_id = :id and next_at = :takenUntil`)

/** False when another node has taken the check since. */
export async function saveUptime(
  tx: Tx,
  workspaceId: string,
  { source, nextAt }: Pick<TakenCheck, 'source' | 'nextAt'>,
  found: UptimeState & { nextAt: Date; at: Date; error: string | null },
): Promise<boolean> {
  return (
    (await affected(
      tx,
      saveUptimeSql,
      handedIn({ ...found, workspaceId, id: source.id, takenUntil: nextAt }),
    )) === 1
  )
}

export const markSignalled = writes.run<Sql.MarkSignalled>('workspaceId, sourceId, changedAt')(`
  update uptime_states set signalled = true
  where workspace_id = :workspaceId and source_id = :sourceId and changed_at = :changedAt`)

/** What a check reported: that it went down, or came up again, and since when. */
export interface UptimeChange {
  sourceId: string
  at: Date
  status: 'firing' | 'resolved'
}

/** The checks that feed a service, by name, with the time in which they have watched. */
export const selectChecksOf = reads.many<Sql.SelectChecksOf>('workspaceId, serviceId')(`
  select s.id, s.name, s.created_at as "createdAt", u.last_at as "lastAt!"
  from sources s
  join source_services f on f.workspace_id = s.workspace_id and f.source_id = s.id and f.service_id = :serviceId
  join uptime_states u on u.workspace_id = s.workspace_id and u.source_id = s.id and u.last_at is not null
  where s.workspace_id = :workspaceId and s.kind = 'uptime' and s.deleted_at is null
  order by s.name collate "und-x-icu", s.id`)

/** Every change since then, and the one before, oldest first. A check delivers nothing else but tests. */
export const selectChanges = reads.many<Sql.SelectChanges, UptimeChange>('workspaceId, sourceIds, since')(`
  select s.id as "sourceId!", d.alerts -> 0 ->> 'status' as "status!",
    coalesce((d.alerts -> 0 ->> 'startedAt')::timestamptz, d.received_at) as "at!"
  from unnest(:sourceIds::uuid[]) as s (id)
  cross join lateral (
    (select d.id, d.received_at, d.alerts from deliveries d
     where d.source_id = s.id and d.workspace_id = :workspaceId and d.id >= :since and not d.test
     order by d.id desc limit 1000)
    union all
    (select d.id, d.received_at, d.alerts from deliveries d
     where d.source_id = s.id and d.workspace_id = :workspaceId and d.id < :since and not d.test
     order by d.id desc limit 1)
  ) d
  where json_array_length(d.alerts) = 1
  order by d.id`)
