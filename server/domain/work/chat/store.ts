import { type Db, read } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

/** Where something is to be shown, and whether it is shown there already. */
export interface Shown {
  placeId: string
  connectionId: string | null
  channel: string
  placeName: string
  /** What the tool calls the message; null: there is none yet. */
  message: string | null
  /** The hash of what it shows. */
  shown: Buffer | null
}

/** Undefined: the team has left the place. */
export const selectShown = reads.one<Sql.SelectShown, Shown>('workspaceId, placeId, subject')(`
  select p.id as "placeId", c.id as "connectionId", p.address as channel, p.name as "placeName", m.message, m.shown
  from places p
  left join connections c on c.workspace_id = p.workspace_id and c.id = p.connection_id and c.deleted_at is null
  left join chat_messages m on m.workspace_id = p.workspace_id and m.place_id = p.id and m.subject = :subject
  where p.workspace_id = :workspaceId and p.id = :placeId`)

export const selectPlacesOfTeam = reads.column<Sql.SelectPlacesOfTeam>('workspaceId, teamId')(`
  select id from places
  where workspace_id = :workspaceId and team_id = :teamId and connection_id is not null
  order by id`)

export const selectPlacesOfSubject = reads.column<Sql.SelectPlacesOfSubject>('workspaceId, subject')(`
  select place_id as id from chat_messages
  where workspace_id = :workspaceId and subject = :subject
  order by place_id`)

/** The first row wins: after a crash, the tool answers a second post with the first message. */
export const insertMessage = writes.run<Sql.InsertMessage>('workspaceId, ...row')(`
  insert into chat_messages (workspace_id, place_id, subject, message, shown, posted_at)
  select :workspaceId, p.id, :subject, :message, :shown, :at
  from places p where p.workspace_id = :workspaceId and p.id = :placeId
  on conflict do nothing`)

export const updateShown = writes.run<Sql.UpdateShown>('workspaceId, placeId, subject, shown')(`
  update chat_messages set shown = :shown
  where workspace_id = :workspaceId and place_id = :placeId and subject = :subject`)

/** What a message is about; undefined: it is none of ours. */
export const selectSubject = reads.value<Sql.SelectSubject>(
  'workspaceId, { connectionId, channel }, message',
)(`
  select m.subject from chat_messages m
  join places p on p.workspace_id = m.workspace_id and p.id = m.place_id
  where m.workspace_id = :workspaceId and m.message = :message
    and p.connection_id = :connectionId and p.address = :channel
  order by m.posted_at
  limit 1`)

/** A channel of a chat tool, whichever teams post there. */
export interface ChatChannel {
  connectionId: string
  channel: string
}

/** Held until the transaction ends, so that of two who want a turn one is first. */
export const lockChannel = writes.only<Sql.LockChannel>('workspaceId, { connectionId, channel }, now')(`
  insert into chat_channels as c (workspace_id, connection_id, channel, free_at)
  values (:workspaceId, :connectionId, :channel, :now)
  on conflict (workspace_id, connection_id, channel) do update set free_at = c.free_at
  returning free_at as "freeAt", busy_until as "busyUntil"`)

/** Whose turn has long passed does not count: it is not wanted any more. */
export const selectTurns = reads.only<Sql.SelectTurns>('workspaceId, { connectionId, channel }, what, now')(`
  select max(at) filter (where what = :what) as mine, max(at) filter (where what <> :what) as last
  from chat_turns
  where workspace_id = :workspaceId and connection_id = :connectionId and channel = :channel
    and at > :now::timestamptz - interval '1 minute'`)

export const upsertTurn = writes.run<Sql.UpsertTurn>('workspaceId, { connectionId, channel }, what, at')(`
  insert into chat_turns (workspace_id, connection_id, channel, what, at)
  values (:workspaceId, :connectionId, :channel, :what, :at)
  on conflict (workspace_id, connection_id, channel, what) do update set at = excluded.at`)

/** With those whose turn has long passed. */
export const deleteTurn = writes.run<Sql.DeleteTurn>('workspaceId, { connectionId, channel }, what, now')(`
  delete from chat_turns
  where workspace_id = :workspaceId and connection_id = :connectionId and channel = :channel
    and (what = :what or at < :now::timestamptz - interval '1 minute')`)

export const pauseChannel = writes.run<Sql.PauseChannel>('workspaceId, { connectionId, channel }, until')(`
  update chat_channels set busy_until = :until
  where workspace_id = :workspaceId and connection_id = :connectionId and channel = :channel`)

export const freeChannel = writes.run<Sql.FreeChannel>('workspaceId, { connectionId, channel }, at')(`
  update chat_channels set busy_until = null, free_at = :at
  where workspace_id = :workspaceId and connection_id = :connectionId and channel = :channel`)

/** The person linked to a chat user; undefined: no one has linked the account, or they have left. */
export const selectLinked = reads.one<Sql.SelectLinked>('workspaceId, connectionId, user')(`
  select p.id as "personId", p.name, m.role
  from chat_links l
  join people p on p.id = l.person_id
  join memberships m on m.workspace_id = l.workspace_id and m.person_id = l.person_id
  where l.workspace_id = :workspaceId and l.connection_id = :connectionId and l.chat_user = :user`)

const byEmail = statement<Sql.ByEmail>(`
  select chat_by_email as allowed from workspaces where id = :workspaceId`)

export async function selectByEmailAllowed(db: Db, workspaceId: string): Promise<boolean> {
  return (await read(db, byEmail, { workspaceId }))[0]?.allowed ?? false
}

export const upsertLink = writes.run<Sql.UpsertLink>('workspaceId, ...link')(`
  insert into chat_links (workspace_id, connection_id, chat_user, person_id, linked_at)
  values (:workspaceId, :connectionId, :user, :personId, :at)
  on conflict (workspace_id, connection_id, chat_user)
  do update set person_id = excluded.person_id, linked_at = excluded.linked_at`)

/** Those whose time is over go with the next one. */
export const insertCode = writes.run<Sql.InsertCode>('workspaceId, ...code')(`
  with forgotten as (
    delete from chat_link_codes where workspace_id = :workspaceId and expires_at <= :at
  )
  insert into chat_link_codes (code_hash, workspace_id, connection_id, chat_user, chat_name, expires_at)
  values (:hash, :workspaceId, :connectionId, :user, :name, :expiresAt)`)

export const selectCode = reads.one<Sql.SelectCode>('workspaceId, hash, now')(`
  select connection_id as "connectionId", chat_user as user, chat_name as name from chat_link_codes
  where workspace_id = :workspaceId and code_hash = :hash and expires_at > :now`)

/** Undefined: it was used, or its time is over. */
export const spendCode = writes.one<Sql.SpendCode>('workspaceId, hash, now')(`
  delete from chat_link_codes
  where workspace_id = :workspaceId and code_hash = :hash and expires_at > :now
  returning connection_id as "connectionId", chat_user as user, chat_name as name`)

export const markClicked = writes.run<Sql.MarkClicked>('workspaceId, connectionId, at')(`
  update connections set clicked_at = :at
  where workspace_id = :workspaceId and id = :connectionId
    and (clicked_at is null or clicked_at < :at::timestamptz - interval '1 minute')`)

/** Who answered a decision, and what the addresses of its workspace begin with. */
export const selectAnswered = reads.one<Sql.SelectAnswered>('workspaceId, key')(`
  select p.name, w.slug as workspace
  from decisions d
  join workspaces w on w.id = d.workspace_id and w.deleted_at is null
  left join people p on p.id = d.resolved_by
  where d.workspace_id = :workspaceId and d.key = :key`)

/** The teams whose place it is. */
export const selectTeamsOfChannel = reads.column<Sql.SelectTeamsOfChannel>(
  'workspaceId, connectionId, channel',
)(`
  select t.slug from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.deleted_at is null
  where p.workspace_id = :workspaceId and p.connection_id = :connectionId and p.address = :channel
  order by t.slug`)

export const selectWorkspaceSlug = reads.onlyValue<Sql.SelectWorkspaceSlug>('workspaceId')(
  'select slug from workspaces where id = :workspaceId',
)

export const selectSettings = reads.one<Sql.SelectSettings>('workspaceId, connection')(`
  select w.chat_by_email as "byEmail", c.clicked_at as "clickedAt", c.hook_token as "hookToken!"
  from connections c
  join workspaces w on w.id = c.workspace_id
  where c.workspace_id = :workspaceId and c.id = :connection and c.kind = 'slack' and c.deleted_at is null`)

/** Undefined: it is like that already. */
export const updateByEmail = writes.one<Sql.UpdateByEmail>('workspaceId, allowed')(`
  update workspaces set chat_by_email = :allowed
  where id = :workspaceId and chat_by_email <> :allowed
  returning slug, name`)

export const selectHasChat = reads.onlyValue<Sql.SelectHasChat>('workspaceId')(`
  select exists (
    select from connections where workspace_id = :workspaceId and kind = 'slack' and deleted_at is null
  ) as connected`)

export const deleteMessagesBefore = writes.count<Sql.DeleteMessagesBefore>('workspaceId, before, most')(`
  delete from chat_messages where (workspace_id, place_id, subject) in (
    select m.workspace_id, m.place_id, m.subject from chat_messages m
    where m.workspace_id = :workspaceId and m.posted_at < :before
      and not exists (
        select from decisions d
        where d.workspace_id = m.workspace_id and d.key = m.subject and d.status = 'pending'
      )
      and not exists (
        select from incidents i
        where i.workspace_id = m.workspace_id and i.key = m.subject and i.status = 'open'
      )
      and not exists (
        select from requirements q
        where q.workspace_id = m.workspace_id and q.slug = m.subject and q.status <> 'closed'
      )
    limit #most
  )`)
