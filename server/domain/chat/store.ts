import type { Role } from '@signalbox/contract/roles.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

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

const shownIn = statement<Shown>(`
  select p.id as "placeId", c.id as "connectionId", p.address as channel, p.name as "placeName", m.message, m.shown
  from places p
  left join connections c on c.workspace_id = p.workspace_id and c.id = p.connection_id and c.deleted_at is null
  left join chat_messages m on m.workspace_id = p.workspace_id and m.place_id = p.id and m.subject = :subject
  where p.workspace_id = :workspaceId and p.id = :placeId`)

/** Undefined: the team has left the place. */
export async function selectShown(
  db: Db | Tx,
  workspaceId: string,
  placeId: string,
  subject: string,
): Promise<Shown | undefined> {
  return (await read(db, shownIn, { workspaceId, placeId, subject }))[0]
}

const placesOfTeam = statement<{ id: string }>(`
  select id from places
  where workspace_id = :workspaceId and team_id = :teamId and connection_id is not null
  order by id`)

export async function selectPlacesOfTeam(tx: Tx, workspaceId: string, teamId: string): Promise<string[]> {
  return (await read(tx, placesOfTeam, { workspaceId, teamId })).map(({ id }) => id)
}

const placesOfSubject = statement<{ id: string }>(`
  select place_id as id from chat_messages
  where workspace_id = :workspaceId and subject = :subject
  order by place_id`)

export async function selectPlacesOfSubject(tx: Tx, workspaceId: string, subject: string): Promise<string[]> {
  return (await read(tx, placesOfSubject, { workspaceId, subject })).map(({ id }) => id)
}

/** The first one stands: whoever posted a second time after a crash was shown the first by the tool. */
export async function insertMessage(
  tx: Tx,
  workspaceId: string,
  row: { placeId: string; subject: string; message: string; shown: Buffer; at: Date },
): Promise<void> {
  await sql`
    insert into chat_messages (workspace_id, place_id, subject, message, shown, posted_at)
    select ${workspaceId}, p.id, ${row.subject}, ${row.message}, ${row.shown}, ${row.at}
    from places p where p.workspace_id = ${workspaceId} and p.id = ${row.placeId}
    on conflict do nothing
  `.execute(tx)
}

export async function updateShown(
  tx: Tx,
  workspaceId: string,
  placeId: string,
  subject: string,
  shown: Buffer,
): Promise<void> {
  await sql`
    update chat_messages set shown = ${shown}
    where workspace_id = ${workspaceId} and place_id = ${placeId} and subject = ${subject}
  `.execute(tx)
}

const subjectOf = statement<{ subject: string }>(`
  select m.subject from chat_messages m
  join places p on p.workspace_id = m.workspace_id and p.id = m.place_id
  where m.workspace_id = :workspaceId and m.message = :message
    and p.connection_id = :connectionId and p.address = :channel
  order by m.posted_at
  limit 1`)

/** What a message is about; undefined: it is none of ours. */
export async function selectSubject(
  db: Db,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  message: string,
): Promise<string | undefined> {
  return (await read(db, subjectOf, { workspaceId, connectionId, channel, message }))[0]?.subject
}

/** A channel of a chat tool, whichever teams post there. */
export interface ChatChannel {
  connectionId: string
  channel: string
}

interface Pace {
  freeAt: Date
  busyUntil: Date | null
}

/** Held until the transaction ends, so that of two who want a turn one is first. */
export async function lockChannel(
  tx: Tx,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  now: Date,
): Promise<Pace> {
  const { rows } = await sql<Pace>`
    insert into chat_channels as c (workspace_id, connection_id, channel, free_at)
    values (${workspaceId}, ${connectionId}, ${channel}, ${now})
    on conflict (workspace_id, connection_id, channel) do update set free_at = c.free_at
    returning free_at as "freeAt", busy_until as "busyUntil"
  `.execute(tx)
  return rows[0]!
}

const turns = statement<{ mine: Date | null; last: Date | null }>(`
  select max(at) filter (where what = :what) as mine, max(at) filter (where what <> :what) as last
  from chat_turns
  where workspace_id = :workspaceId and connection_id = :connectionId and channel = :channel
    and at > :now::timestamptz - interval '1 minute'`)

/** Whose turn has long passed does not count: it is not wanted any more. */
export async function selectTurns(
  tx: Tx,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  what: string,
  now: Date,
): Promise<{ mine: Date | null; last: Date | null }> {
  return (await read(tx, turns, { workspaceId, connectionId, channel, what, now }))[0]!
}

export async function upsertTurn(
  tx: Tx,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  what: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into chat_turns (workspace_id, connection_id, channel, what, at)
    values (${workspaceId}, ${connectionId}, ${channel}, ${what}, ${at})
    on conflict (workspace_id, connection_id, channel, what) do update set at = excluded.at
  `.execute(tx)
}

/** With those whose turn has long passed. */
export async function deleteTurn(
  tx: Tx,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  what: string,
  now: Date,
): Promise<void> {
  await sql`
    delete from chat_turns
    where workspace_id = ${workspaceId} and connection_id = ${connectionId} and channel = ${channel}
      and (what = ${what} or at < ${now}::timestamptz - interval '1 minute')
  `.execute(tx)
}

export async function holdChannel(
  tx: Tx,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  until: Date,
): Promise<void> {
  await sql`
    update chat_channels set busy_until = ${until}
    where workspace_id = ${workspaceId} and connection_id = ${connectionId} and channel = ${channel}
  `.execute(tx)
}

export async function freeChannel(
  tx: Tx,
  workspaceId: string,
  { connectionId, channel }: ChatChannel,
  at: Date,
): Promise<void> {
  await sql`
    update chat_channels set busy_until = null, free_at = ${at}
    where workspace_id = ${workspaceId} and connection_id = ${connectionId} and channel = ${channel}
  `.execute(tx)
}

/** Who a user of a chat tool is here; undefined: nobody has said, or they have left. */
export interface LinkedMember {
  personId: string
  name: string
  role: Role
}

const linked = statement<LinkedMember>(`
  select p.id as "personId", p.name, m.role
  from chat_links l
  join people p on p.id = l.person_id
  join memberships m on m.workspace_id = l.workspace_id and m.person_id = l.person_id
  where l.workspace_id = :workspaceId and l.connection_id = :connectionId and l.chat_user = :user`)

export async function selectLinked(
  db: Db,
  workspaceId: string,
  connectionId: string,
  user: string,
): Promise<LinkedMember | undefined> {
  return (await read(db, linked, { workspaceId, connectionId, user }))[0]
}

const byEmail = statement<{ allowed: boolean }>(`
  select chat_by_email as allowed from workspaces where id = :workspaceId`)

export async function selectByEmailAllowed(db: Db, workspaceId: string): Promise<boolean> {
  return (await read(db, byEmail, { workspaceId }))[0]?.allowed ?? false
}

export async function upsertLink(
  tx: Tx,
  workspaceId: string,
  link: { connectionId: string; user: string; personId: string; at: Date },
): Promise<void> {
  await sql`
    insert into chat_links (workspace_id, connection_id, chat_user, person_id, linked_at)
    values (${workspaceId}, ${link.connectionId}, ${link.user}, ${link.personId}, ${link.at})
    on conflict (workspace_id, connection_id, chat_user)
    do update set person_id = excluded.person_id, linked_at = excluded.linked_at
  `.execute(tx)
}

/** Those whose time is over go with the next one. */
export async function insertCode(
  tx: Tx,
  workspaceId: string,
  code: { hash: Buffer; connectionId: string; user: string; name: string; at: Date; expiresAt: Date },
): Promise<void> {
  await sql`
    with forgotten as (
      delete from chat_link_codes where workspace_id = ${workspaceId} and expires_at <= ${code.at}
    )
    insert into chat_link_codes (code_hash, workspace_id, connection_id, chat_user, chat_name, expires_at)
    values (${code.hash}, ${workspaceId}, ${code.connectionId}, ${code.user}, ${code.name}, ${code.expiresAt})
  `.execute(tx)
}

export interface LinkCode {
  connectionId: string
  user: string
  name: string
}

const code = statement<LinkCode>(`
  select connection_id as "connectionId", chat_user as user, chat_name as name from chat_link_codes
  where workspace_id = :workspaceId and code_hash = :hash and expires_at > :now`)

export async function selectCode(
  db: Db,
  workspaceId: string,
  hash: Buffer,
  now: Date,
): Promise<LinkCode | undefined> {
  return (await read(db, code, { workspaceId, hash, now }))[0]
}

/** Undefined: it was used, or its time is over. */
export async function spendCode(
  tx: Tx,
  workspaceId: string,
  hash: Buffer,
  now: Date,
): Promise<LinkCode | undefined> {
  const { rows } = await sql<LinkCode>`
    delete from chat_link_codes
    where workspace_id = ${workspaceId} and code_hash = ${hash} and expires_at > ${now}
    returning connection_id as "connectionId", chat_user as user, chat_name as name
  `.execute(tx)
  return rows[0]
}

export async function markClicked(
  tx: Tx,
  workspaceId: string,
  connectionId: string,
  at: Date,
): Promise<void> {
  await sql`
    update connections set clicked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${connectionId}
      and (clicked_at is null or clicked_at < ${at}::timestamptz - interval '1 minute')
  `.execute(tx)
}

const answered = statement<{ name: string | null; workspace: string }>(`
  select p.name, w.slug as workspace
  from decisions d
  join workspaces w on w.id = d.workspace_id and w.deleted_at is null
  left join people p on p.id = d.resolved_by
  where d.workspace_id = :workspaceId and d.key = :key`)

/** Who answered a decision, and what the addresses of its workspace begin with. */
export async function selectAnswered(db: Db, workspaceId: string, key: string) {
  return (await read(db, answered, { workspaceId, key }))[0]
}

const teamOfChannel = statement<{ slug: string }>(`
  select t.slug from places p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.deleted_at is null
  where p.workspace_id = :workspaceId and p.connection_id = :connectionId and p.address = :channel
  order by t.slug`)

/** The teams whose place it is. */
export async function selectTeamsOfChannel(
  db: Db,
  workspaceId: string,
  connectionId: string,
  channel: string,
): Promise<string[]> {
  return (await read(db, teamOfChannel, { workspaceId, connectionId, channel })).map(({ slug }) => slug)
}

const slug = statement<{ slug: string }>('select slug from workspaces where id = :workspaceId')

export async function selectWorkspaceSlug(db: Db, workspaceId: string): Promise<string> {
  return (await read(db, slug, { workspaceId }))[0]!.slug
}

const settings = statement<{ byEmail: boolean; clickedAt: Date | null; hookToken: Buffer }>(`
  select w.chat_by_email as "byEmail", c.clicked_at as "clickedAt", c.hook_token as "hookToken"
  from connections c
  join workspaces w on w.id = c.workspace_id
  where c.workspace_id = :workspaceId and c.id = :connection and c.kind = 'slack' and c.deleted_at is null`)

export async function selectSettings(db: Db, workspaceId: string, connection: string) {
  return (await read(db, settings, { workspaceId, connection }))[0]
}

/** Undefined: it is like that already. */
export async function updateByEmail(
  tx: Tx,
  workspaceId: string,
  allowed: boolean,
): Promise<{ slug: string; name: string } | undefined> {
  const { rows } = await sql<{ slug: string; name: string }>`
    update workspaces set chat_by_email = ${allowed}
    where id = ${workspaceId} and chat_by_email <> ${allowed}
    returning slug, name
  `.execute(tx)
  return rows[0]
}

const hasChat = statement<{ connected: boolean }>(`
  select exists (
    select from connections where workspace_id = :workspaceId and kind = 'slack' and deleted_at is null
  ) as connected`)

export async function selectHasChat(db: Db, workspaceId: string): Promise<boolean> {
  return (await read(db, hasChat, { workspaceId }))[0]!.connected
}
