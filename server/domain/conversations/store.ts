import type { Reply } from '@signalbox/contract/app/conversations.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Asked } from './asked.ts'

export interface NewReply {
  id: string
  requirement: string
  personId: string
  channel: string
  source: string | null
  text: string
  response: string | null
  asks: Asked | null
  at: Date
}

/** False: the same message was heard before. */
export async function insertReply(tx: Tx, workspaceId: string, reply: NewReply): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into requirement_replies (id, workspace_id, requirement_id, person_id, channel, source, text, response,
      asks, created_at)
    select ${reply.id}, ${workspaceId}, q.id, ${reply.personId}, ${reply.channel}, ${reply.source}, ${reply.text},
      ${reply.response}, ${reply.asks && JSON.stringify(reply.asks)}::jsonb, ${reply.at}
    from requirements q
    where q.workspace_id = ${workspaceId} and q.slug = ${reply.requirement}
    on conflict (workspace_id, requirement_id, source) do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

const heard = statement<{ id: string }>(`
  select r.id from requirement_replies r
  join requirements q on q.workspace_id = r.workspace_id and q.id = r.requirement_id
  where r.workspace_id = :workspaceId and q.slug = :requirement and r.source = :source`)

/** The reply that a message of a chat tool has become. */
export async function selectHeard(
  db: Db | Tx,
  workspaceId: string,
  requirement: string,
  source: string,
): Promise<string | undefined> {
  return (await read(db, heard, { workspaceId, requirement, source }))[0]?.id
}

const conversation = statement<Omit<Reply, 'mayConfirm'> & { personId: string }>(`
  select r.id, p.name as author, r.person_id as "personId", r.channel, r.text, r.response, r.asks is not null as asks,
    r.outcome, r.outcome_text as "outcomeText", iso(r.created_at) as at
  from requirement_replies r
  join requirements q on q.workspace_id = r.workspace_id and q.id = r.requirement_id
  join people p on p.id = r.person_id
  where r.workspace_id = :workspaceId and q.slug = :requirement
  order by r.id`)

export async function selectConversation(db: Db, workspaceId: string, requirement: string) {
  return read(db, conversation, { workspaceId, requirement })
}

export interface StoredReply {
  id: string
  requirement: string
  personId: string
  author: string
  channel: string
  text: string
  response: string | null
  asks: Asked | null
  outcome: Reply['outcome']
  outcomeText: string | null
}

const one = statement<StoredReply>(`
  select r.id, q.slug as requirement, r.person_id as "personId", p.name as author, r.channel, r.text, r.response,
    r.asks, r.outcome, r.outcome_text as "outcomeText"
  from requirement_replies r
  join requirements q on q.workspace_id = r.workspace_id and q.id = r.requirement_id
  join people p on p.id = r.person_id
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectReply(db: Db, workspaceId: string, id: string): Promise<StoredReply | undefined> {
  return (await read(db, one, { workspaceId, id }))[0]
}

/** False: something had become of it already. */
export async function settleReply(
  tx: Tx,
  workspaceId: string,
  id: string,
  { outcome, text, at }: { outcome: NonNullable<Reply['outcome']>; text: string; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update requirement_replies set outcome = ${outcome}, outcome_text = ${text}, settled_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and outcome is null and asks is not null
  `.execute(tx)
  return numAffectedRows === 1n
}
