import type { Reply } from '@signalbox/contract/app/conversations.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type { Asked } from './parse-reply.ts'
import type * as Sql from './store.types.ts'

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
export const insertReply = writes.wroteOne<Sql.InsertReply, Nothing, NewReply>('workspaceId, ...reply')(`
  insert into requirement_replies (id, workspace_id, requirement_id, person_id, channel, source, text, response,
    asks, created_at)
  select :id, :workspaceId, q.id, :personId, :channel, :source?, :text,
    :response?, :{asks}?::jsonb, :at
  from requirements q
  where q.workspace_id = :workspaceId and q.slug = :requirement
  on conflict (workspace_id, requirement_id, source) do nothing`)

/** The reply that a message of a chat tool has become. */
export const selectReplyBySource = reads.value<Sql.SelectReplyBySource>('workspaceId, requirement, source')(`
  select r.id from requirement_replies r
  join requirements q on q.workspace_id = r.workspace_id and q.id = r.requirement_id
  where r.workspace_id = :workspaceId and q.slug = :requirement and r.source = :source`)

export const selectConversation = reads.many<
  Sql.SelectConversation,
  Omit<Reply, 'mayConfirm'> & { personId: string }
>('workspaceId, requirement')(`
  select r.id, p.name as author, r.person_id as "personId", r.channel, r.text, r.response, r.asks is not null as asks,
    r.outcome, r.outcome_text as "outcomeText", iso(r.created_at) as at
  from requirement_replies r
  join requirements q on q.workspace_id = r.workspace_id and q.id = r.requirement_id
  join people p on p.id = r.person_id
  where r.workspace_id = :workspaceId and q.slug = :requirement
  order by r.id`)

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

export const selectReply = reads.one<Sql.SelectReply, StoredReply>('workspaceId, id')(`
  select r.id, q.slug as requirement, r.person_id as "personId", p.name as author, r.channel, r.text, r.response,
    r.asks, r.outcome, r.outcome_text as "outcomeText"
  from requirement_replies r
  join requirements q on q.workspace_id = r.workspace_id and q.id = r.requirement_id
  join people p on p.id = r.person_id
  where r.workspace_id = :workspaceId and r.id = :id`)

/** False: it had an outcome already. */
export const settleReply = writes.wroteOne<
  Sql.SettleReply,
  Nothing,
  { outcome: NonNullable<Reply['outcome']> }
>('workspaceId, id, { outcome, text, at }')(`
  update requirement_replies set outcome = :outcome, outcome_text = :text, settled_at = :at
  where workspace_id = :workspaceId and id = :id and outcome is null and asks is not null`)
