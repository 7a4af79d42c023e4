import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const session = statement<{
  sessionId: string
  personId: string
  name: string
  email: string
  method: string | null
  createdAt: Date
  usedAt: Date
  workspaceId: string | null
  workspaceSlug: string | null
  workspaceName: string | null
  role: Role | null
}>(`
  select s.id as "sessionId", p.id as "personId", p.name, p.email, s.method,
    s.created_at as "createdAt", s.updated_at as "usedAt",
    w.id as "workspaceId", w.slug as "workspaceSlug", w.name as "workspaceName", m.role
  from sessions s
  join people p on p.id = s.person_id
  left join workspaces w on w.slug = :workspace and w.deleted_at is null
  left join memberships m on m.workspace_id = w.id and m.person_id = p.id
  where s.token = :digest and s.expires_at > :now`)

export async function selectSessionByDigest(db: Db, digest: string, now: Date, workspace: string) {
  return (await read(db, session, { digest, now, workspace }))[0]
}

export async function updateMethodByDigest(tx: Tx, digest: string, method: string): Promise<void> {
  await sql`update sessions set method = ${method} where token = ${digest}`.execute(tx)
}

const workspacesOf = statement<{ slug: string; name: string; role: Role }>(`
  select w.slug, w.name, m.role
  from memberships m
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.person_id = :personId
  order by w.name collate "und-x-icu", w.slug`)

export async function selectWorkspacesOf(db: Db, personId: string) {
  return read(db, workspacesOf, { personId })
}

export async function prolongSession(
  tx: Tx,
  personId: string,
  id: string,
  now: Date,
  expiresAt: Date,
): Promise<void> {
  await sql`
    update sessions set updated_at = ${now}, expires_at = ${expiresAt}
    where person_id = ${personId} and id = ${id} and updated_at < ${now}
  `.execute(tx)
}

export interface SessionOfPerson {
  id: string
  ipAddress: string | null
  userAgent: string | null
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

const sessionsOf = statement<SessionOfPerson>(`
  select id, ip_address as "ipAddress", user_agent as "userAgent",
    created_at as "createdAt", updated_at as "lastUsedAt", expires_at as "expiresAt"
  from sessions
  where person_id = :personId and expires_at > :now
  order by updated_at desc, id desc`)

export const selectSessionsOf = (db: Db, personId: string, now: Date) =>
  read(db, sessionsOf, { personId, now })

/** How many there were. */
export async function deleteSessions(
  tx: Tx,
  personId: string,
  which: { id: string } | { exceptId: string },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sessions
    where person_id = ${personId} and ${'id' in which ? sql`id = ${which.id}` : sql`id <> ${which.exceptId}`}
  `.execute(tx)
  return Number(numAffectedRows)
}

const membershipsOf = statement<{ workspaceId: string; role: Role; name: string }>(`
  select m.workspace_id as "workspaceId", m.role, p.name
  from memberships m
  join people p on p.id = m.person_id
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.person_id = :personId`)

/** Where a change of that person is written down. */
export const selectMembershipsOf = (db: Db | Tx, personId: string) => read(db, membershipsOf, { personId })

const personBy = statement<{ id: string; name: string; email: string }>(`
  select p.id, p.name, p.email
  from people p
  where true
    [[and p.id = :id]]
    [[and p.email = lower(:email)]]
    [[and p.id = (select person_id from passkeys where credential_id = :credential)]]
    [[and p.id::text = (select value from verifications where identifier = :challenge limit 1)]]`)

export async function selectPersonBy(
  db: Db,
  by: { id: string } | { email: string } | { credential: string } | { challenge: string },
) {
  return (await read(db, personBy, { ...by }))[0]
}

const named = statement<{ name: string }>('select name from people where id = :personId for update')

/** What they were called before. */
export async function updateName(
  tx: Tx,
  personId: string,
  name: string,
  now: Date,
): Promise<string | undefined> {
  const [before] = await write(tx, named, { personId })
  await sql`update people set name = ${name}, updated_at = ${now} where id = ${personId}`.execute(tx)
  return before?.name
}

const account = statement<{
  name: string
  email: string
  twoFactor: boolean
  hasPassword: boolean
  linked: boolean
  passkeys: { id: string; name: string | null; createdAt: string | null }[]
}>(`
  select p.name, p.email, p.two_factor_enabled as "twoFactor",
    exists (select from accounts where person_id = p.id and provider_id = 'credential') as "hasPassword",
    exists (select from accounts where person_id = p.id and provider_id = 'oidc') as linked,
    coalesce((
      select json_agg(json_build_object('id', k.id, 'name', k.name, 'createdAt', k.created_at) order by k.id)
      from passkeys k where k.person_id = p.id
    ), '[]') as passkeys
  from people p where p.id = :personId`)

export async function selectAccount(db: Db, personId: string) {
  return (await read(db, account, { personId }))[0]
}

/**
 * Somebody has shown that mail to the address reaches them. Whatever was set up before anybody had shown that may be
 * another's, so it goes.
 */
export async function proveAddress(tx: Tx, personId: string, now: Date): Promise<void> {
  const { numAffectedRows } = await sql`
    update people set email_verified = true, two_factor_enabled = false, updated_at = ${now}
    where id = ${personId} and not email_verified
  `.execute(tx)
  if (numAffectedRows === 1n) await deleteFactors(tx, personId)
}

/** Takes away passkeys and the authenticator app. */
export async function deleteFactors(tx: Tx, personId: string): Promise<void> {
  await sql`delete from passkeys where person_id = ${personId}`.execute(tx)
  await sql`delete from two_factors where person_id = ${personId}`.execute(tx)
  await sql`update people set two_factor_enabled = false where id = ${personId}`.execute(tx)
}

/** Links that were mailed to that person, and sign-ins that wait for a code. */
export async function deleteChallenges(tx: Tx, personId: string): Promise<void> {
  await sql`delete from verifications where value = ${personId}`.execute(tx)
}

/** Counts one attempt in the window that is open, or opens one. Where the clock was set back, it ends as if opened now. */
export async function countAttemptByKey(tx: Tx, key: string, now: Date, endsAt: Date) {
  const { rows } = await sql<{ attempts: number; endsAt: Date }>`
    insert into sign_in_attempts as a (key, attempts, ends_at) values (${key}, 1, ${endsAt})
    on conflict (key) do update set
      attempts = case when a.ends_at <= ${now} then 1 else a.attempts + 1 end,
      ends_at = case when a.ends_at <= ${now} then excluded.ends_at else least(a.ends_at, excluded.ends_at) end
    returning attempts, ends_at as "endsAt"`.execute(tx)
  return rows[0]!
}

export async function uncountAttemptByKey(tx: Tx, key: string): Promise<void> {
  await sql`update sign_in_attempts set attempts = greatest(attempts - 1, 0) where key = ${key}`.execute(tx)
}

export async function deleteAttemptsByKey(tx: Tx, key: string): Promise<void> {
  await sql`delete from sign_in_attempts where key = ${key}`.execute(tx)
}

/** What is left to be done after the answer to an attempt to sign in that failed, or to a request for a link. */
export interface FollowUp {
  id: string
  /** Null: nobody is known by that address. */
  personId: string | null
  /** With what it was tried; null for a link to reset a password. */
  method: Details['sign_in_failed']['method'] | null
  requestId: string
  at: Date
}

export async function insertFollowUp(
  tx: Tx,
  personId: string | null,
  { id, method, requestId, at }: Omit<FollowUp, 'personId'>,
  dueAt: Date,
): Promise<void> {
  await sql`
    insert into sign_in_follow_ups (id, person_id, method, request_id, at, due_at)
    values (${id}, ${personId}::uuid, ${method}, ${requestId}, ${at}, ${dueAt})
  `.execute(tx)
}

const followUpDue = statement<{ isDue: boolean }>(
  'select exists (select from sign_in_follow_ups where due_at <= :now) as "isDue"',
)

export async function hasDueFollowUpsOfAllPeople(db: Db, now: Date): Promise<boolean> {
  return (await read(db, followUpDue, { now }))[0]!.isDue
}

/** Takes what is due, until `until`: if whoever took it dies, it is due again then. */
export async function takeFollowUpsOfAllPeople(tx: Tx, now: Date, until: Date, most: number) {
  const { rows } = await sql<FollowUp>`
    update sign_in_follow_ups set due_at = ${until}
    where id in (
      select id from sign_in_follow_ups where due_at <= ${now} order by due_at limit ${most} for update skip locked
    )
    returning id, person_id as "personId", method, request_id as "requestId", at
  `.execute(tx)
  return rows
}

/** False when somebody else was quicker. */
export async function deleteFollowUpById(tx: Tx, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from sign_in_follow_ups where id = ${id}`.execute(tx)
  return numAffectedRows === 1n
}

export async function deleteExpiredOfAllPeople(tx: Tx, now: Date): Promise<void> {
  await sql`delete from sessions where expires_at <= ${now}`.execute(tx)
  await sql`delete from verifications where expires_at <= ${now}`.execute(tx)
  await sql`delete from sign_in_attempts where ends_at <= ${now}`.execute(tx)
}
