import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { UptimeCheck } from './settings.ts'

/** An uptime check that one node has taken, with what was found so far. */
export interface TakenCheck {
  source: { id: string; workspaceId: string; name: string }
  check: UptimeCheck
  takenAt: Date
  /** Names the taking: whoever takes the check after it is over moves this. */
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

const checkDue = statement<{ isDue: boolean }>(`
  select exists (
    select from sources s
    left join uptime_states u on u.source_id = s.id
    where s.kind = 'uptime' and s.deleted_at is null and s.paused_at is null
      and (u.next_at is null or u.next_at <= :now)
  ) as "isDue"`)

export async function hasDueChecksOfAllWorkspaces(db: Db, now: Date): Promise<boolean> {
  return (await read(db, checkDue, { now }))[0]!.isDue
}

/**
 * Takes checks that are due. They are due again when their interval is over, and not before they can be finished: who
 * takes one and dies loses one turn. Rows are taken in one order, so that nodes which look at once do not lock each
 * other out.
 */
export async function takeDueChecksOfAllWorkspaces(tx: Tx, now: Date, most: number): Promise<TakenCheck[]> {
  const { rows } = await sql<{
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
  }>`
    with due as (
      select s.id, s.workspace_id, s.name, s.settings
      from sources s
      join workspaces w on w.id = s.workspace_id and w.deleted_at is null
      left join uptime_states u on u.source_id = s.id
      where s.kind = 'uptime' and s.deleted_at is null and s.paused_at is null
        and (u.next_at is null or u.next_at <= ${now})
      order by u.next_at nulls first
      limit ${most}
    ), taken as (
      insert into uptime_states (source_id, workspace_id, next_at, status, changed_at, signalled, failures)
      select id, workspace_id, ${now}::timestamptz + make_interval(secs => greatest(
        (settings->>'intervalSeconds')::int, (settings->>'timeoutSeconds')::int + 5)), 'up', ${now}, true, 0
      from due
      order by id
      on conflict (source_id) do update set next_at = excluded.next_at where uptime_states.next_at <= ${now}
      returning source_id, next_at, status, changed_at, signalled, failures, failing_since
    )
    select due.id, due.workspace_id as "workspaceId", due.name, due.settings, taken.next_at as "nextAt", taken.status,
      taken.changed_at as "changedAt", taken.signalled, taken.failures, taken.failing_since as "failingSince"
    from taken join due on due.id = taken.source_id
  `.execute(tx)
  return rows.map(({ id, workspaceId, name, settings, nextAt, ...state }) => ({
    source: { id, workspaceId, name },
    check: settings,
    takenAt: now,
    nextAt,
    state,
  }))
}

/** False when somebody else has taken the check since. */
export async function saveUptime(
  tx: Tx,
  workspaceId: string,
  { source, nextAt }: Pick<TakenCheck, 'source' | 'nextAt'>,
  found: UptimeState & { nextAt: Date; at: Date; error: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update uptime_states set next_at = ${found.nextAt}, status = ${found.status}, changed_at = ${found.changedAt},
      signalled = ${found.signalled}, failures = ${found.failures}, failing_since = ${found.failingSince},
      last_at = ${found.at}, last_error = ${found.error}
    where workspace_id = ${workspaceId} and source_id = ${source.id} and next_at = ${nextAt}
  `.execute(tx)
  return numAffectedRows === 1n
}

export async function markSignalled(
  tx: Tx,
  workspaceId: string,
  sourceId: string,
  changedAt: Date,
): Promise<void> {
  await sql`
    update uptime_states set signalled = true
    where workspace_id = ${workspaceId} and source_id = ${sourceId} and changed_at = ${changedAt}
  `.execute(tx)
}
