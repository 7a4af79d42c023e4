import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { RefusalReason } from '../ports/connection.ts'

/** A refusal that has not been mended, or behind which things still wait. */
export interface WaitedFor {
  id: string
  scope: string
  message: string
  probeAt: Date
  mendedAt: Date | null
}

const columns = 'r.id, r.scope, r.message, r.probe_at as "probeAt", r.mended_at as "mendedAt"'

const waitedFor = statement<WaitedFor>(`
  select ${columns} from tool_refusals r
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.scope = any(:scopes) and (
    r.mended_at is null or exists (
      select from effects e where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
    )
  )
  order by r.scope, r.id`)

/** Those of a connection that keep something with these scopes waiting, the widest first. */
export async function selectWaitedFor(
  db: Db,
  workspaceId: string,
  connectionId: string,
  scopes: readonly string[],
): Promise<readonly WaitedFor[]> {
  return read(db, waitedFor, { workspaceId, connectionId, scopes })
}

const open = statement<{ id: string; scope: string; reason: RefusalReason; isWaitedFor: boolean }>(`
  select r.id, r.scope, r.reason, exists (
    select from effects e where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
  ) as "isWaitedFor"
  from tool_refusals r
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.mended_at is null
  order by r.id
  for no key update of r`)

/** Those of a connection that are not mended, held. */
export async function lockOpen(tx: Tx, workspaceId: string, connectionId: string) {
  return write(tx, open, { workspaceId, connectionId })
}

const hasOpen = statement(`
  select from tool_refusals
  where workspace_id = :workspaceId and connection_id = :connectionId and mended_at is null
    [[and scope = :scope]] [[and reason = :reason]]
  limit 1`)

export async function isOpen(
  db: Db,
  workspaceId: string,
  connectionId: string,
  which: { scope?: string; reason?: RefusalReason },
): Promise<boolean> {
  return (await read(db, hasOpen, { workspaceId, connectionId, ...which })).length > 0
}

interface Refused {
  connectionId: string
  scope: string
  reason: RefusalReason
  message: string
  at: Date
}

/** The one that is open, with what was refused now; undefined: none is. It is put off further each time it was tried. */
export async function updateOpen(
  tx: Tx,
  workspaceId: string,
  { connectionId, scope, reason, message, at }: Refused,
): Promise<WaitedFor | undefined> {
  const { rows } = await sql<WaitedFor>`
    update tool_refusals r set reason = ${reason}, message = ${message}, last_at = ${at},
      times = r.times + case when r.probe_at <= ${at} then 1 else 0 end,
      probe_at = case when r.probe_at <= ${at}
        then ${at}::timestamptz + least(power(2, least(r.times, 10)) * 60, 900) * interval '1 second'
        else r.probe_at end
    where r.workspace_id = ${workspaceId} and r.connection_id = ${connectionId} and r.scope = ${scope}
      and r.mended_at is null
    returning ${sql.raw(columns)}
  `.execute(tx)
  return rows[0]
}

/** The one that was mended a moment ago, open again: nobody is told twice of what comes and goes. */
export async function reopen(
  tx: Tx,
  workspaceId: string,
  { connectionId, scope, reason, message, at }: Refused,
  since: Date,
): Promise<WaitedFor | undefined> {
  const { rows } = await sql<WaitedFor>`
    update tool_refusals r set reason = ${reason}, message = ${message}, last_at = ${at}, mended_at = null,
      times = r.times + 1, probe_at = ${at}::timestamptz + interval '1 minute'
    where r.workspace_id = ${workspaceId} and r.id = (
      select id from tool_refusals
      where workspace_id = ${workspaceId} and connection_id = ${connectionId} and scope = ${scope}
        and mended_at >= ${since}
      order by id desc
      limit 1
    )
    returning ${sql.raw(columns)}
  `.execute(tx)
  return rows[0]
}

export async function insertRefusal(
  tx: Tx,
  workspaceId: string,
  { id, connectionId, scope, reason, message, at }: Refused & { id: string },
): Promise<WaitedFor> {
  const { rows } = await sql<WaitedFor>`
    insert into tool_refusals as r (id, workspace_id, connection_id, scope, reason, message, first_at, last_at, probe_at)
    values (${id}, ${workspaceId}, ${connectionId}, ${scope}, ${reason}, ${message}, ${at}, ${at},
      ${at}::timestamptz + interval '1 minute')
    returning ${sql.raw(columns)}
  `.execute(tx)
  return rows[0]!
}

/** False: it was mended before. */
export async function markMended(tx: Tx, workspaceId: string, id: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update tool_refusals set mended_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and mended_at is null
  `.execute(tx)
  return numAffectedRows === 1n
}

const named = statement<{ connectionId: string; name: string; scope: string }>(`
  select r.connection_id as "connectionId", c.name, r.scope
  from tool_refusals r
  join connections c on c.id = r.connection_id
  where r.workspace_id = :workspaceId and r.id = :id`)

/** Which connection it is of, and what that is called. */
export async function selectNamed(tx: Tx, workspaceId: string, id: string) {
  return (await read(tx, named, { workspaceId, id }))[0]
}
