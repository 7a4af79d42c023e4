import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { affected, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

export const selectSessionByDigest = reads.one<
  Sql.SelectSessionByDigest,
  {
    sessionId: string
    personId: string
    name: string
    email: string
    method: string | null
    createdAt: Date
    usedAt: Date
    provenAt: Date
    throughProvider: boolean
    workspaceId: string | null
    readWorkspaceSlug: string | null
    workspaceName: string | null
    networks: string[] | null
    requiresSingleSignOn: boolean | null
    role: Role | null
  }
>('digest, now, workspace')(`
  select s.id as "sessionId", p.id as "personId", p.name, p.email, s.method,
    s.created_at as "createdAt", s.updated_at as "usedAt",
    coalesce(s.proven_at, s.created_at) as "provenAt!",
    (s.through_provider or s.method is not distinct from 'identity provider') as "throughProvider!",
    w.id as "workspaceId", w.slug as "readWorkspaceSlug", w.name as "workspaceName", w.networks,
    w.requires_single_sign_on as "requiresSingleSignOn", m.role
  from sessions s
  join people p on p.id = s.person_id
  left join workspaces w on w.slug = :workspace and w.deleted_at is null
  left join memberships m on m.workspace_id = w.id and m.person_id = p.id
  where s.token = :digest and s.expires_at > :now`)

/** How a session was begun. `provenAt` is when the person proved who they are, if that was before. */
export const updateMethodByDigest = writes.run<Sql.UpdateMethodByDigest>(
  'digest, { method, provenAt, throughProvider }',
)(`
  update sessions set method = :method, proven_at = :provenAt?, through_provider = :throughProvider
  where token = :digest`)

/** Never back: a proof that is older than the last one proves nothing more. */
export const updateProvenAt = writes.run<Sql.UpdateProvenAt>('personId, sessionId, at')(`
  update sessions set proven_at = greatest(coalesce(proven_at, created_at), :at)
  where person_id = :personId and id = :sessionId`)

/** Ends all sessions of a person who is in no workspace any more. How many there were. */
export const deleteSessionsOfHomeless = writes.count<Sql.DeleteSessionsOfHomeless>('personId')(`
  delete from sessions
  where person_id = :personId and not exists (
    select from memberships m
    join workspaces w on w.id = m.workspace_id and w.deleted_at is null
    where m.person_id = :personId
  )`)

/** The code of a terminal that a person has just confirmed, from a session that the identity provider made. */
export const markCodeThroughProvider = writes.run<Sql.MarkCodeThroughProvider>('personId, userCode')(`
  update device_codes set through_provider = true
  where person_id = :personId and user_code = :userCode and status = 'approved'`)

export const isThroughProviderByDeviceCode = reads.exists<Sql.IsThroughProviderByDeviceCode>('digest')(
  `select from device_codes where device_code = :digest and through_provider`,
)

export const deleteSessionByDigest = writes.run<Sql.DeleteSessionByDigest>('digest')(
  `delete from sessions where token = :digest`,
)

export const selectWorkspacesOf = reads.many<
  Sql.SelectWorkspacesOf,
  { slug: string; name: string; role: Role }
>('personId')(`
  select w.slug, w.name, m.role,
    -- Whether its owners own the installation.
    not exists (
      select from workspaces o where o.deleted_at is null and (o.created_at, o.id) < (w.created_at, w.id)
    ) as "isFirst!"
  from memberships m
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.person_id = :personId
  order by w.name collate "und-x-icu", w.slug`)

export const prolongSession = writes.run<Sql.ProlongSession>('personId, id, now, expiresAt')(`
  update sessions set updated_at = :now, expires_at = :expiresAt
  where person_id = :personId and id = :id and updated_at < :now`)

export const selectSessionsOf = reads.many<Sql.SelectSessionsOf>('personId, now')(`
  select id, ip_address as "ipAddress", user_agent as "userAgent",
    created_at as "createdAt", updated_at as "lastUsedAt", expires_at as "expiresAt"
  from sessions
  where person_id = :personId and expires_at > :now
  order by updated_at desc, id desc`)

/** How many there were. */
export const deleteSessions = writes.count<
  Sql.DeleteSessions,
  Nothing,
  { id: string } | { exceptId: string }
>('personId, ...which')(`
  delete from sessions where person_id = :personId [[and id = :id]] [[and id <> :exceptId]]`)

/** Where a change of that person is written down. */
export const selectMembershipsOf = reads.many<
  Sql.SelectMembershipsOf,
  { workspaceId: string; role: Role; name: string }
>('personId')(`
  select m.workspace_id as "workspaceId", m.role, p.name
  from memberships m
  join people p on p.id = m.person_id
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.person_id = :personId`)

export const selectPersonBy = reads.one<
  Sql.SelectPersonBy,
  Nothing,
  { id: string } | { email: string } | { credential: string } | { challenge: string }
>('...by')(`
  select p.id, p.name, p.email
  from people p
  where true
    [[and p.id = :id]]
    [[and p.email = lower(:email)]]
    [[and p.id = (select person_id from passkeys where credential_id = :credential)]]
    [[and p.id::text = (select value from verifications where identifier = :challenge limit 1)]]`)

const named = statement<Sql.Named>('select name from people where id = :personId for update')

const updateNameSql = statement<Sql.UpdateName>(
  `update people set name = :name, updated_at = :now where id = :personId`,
)

/** What they were called before. */
export async function updateName(
  tx: Tx,
  personId: string,
  name: string,
  now: Date,
): Promise<string | undefined> {
  const [before] = await write(tx, named, { personId })
  await write(tx, updateNameSql, { name, now, personId })
  return before?.name
}

export const selectAccount = reads.one<
  Sql.SelectAccount,
  {
    name: string
    email: string
    twoFactor: boolean
    hasPassword: boolean
    linked: boolean
    passkeys: { id: string; name: string | null; createdAt: string | null }[]
  }
>('personId')(`
  select p.name, p.email, p.two_factor_enabled as "twoFactor",
    exists (select from accounts where person_id = p.id and provider_id = 'credential') as "hasPassword",
    exists (select from accounts where person_id = p.id and provider_id = 'oidc') as linked,
    coalesce((
      select json_agg(json_build_object('id', k.id, 'name', k.name, 'createdAt', k.created_at) order by k.id)
      from passkeys k where k.person_id = p.id
    ), '[]') as passkeys
  from people p where p.id = :personId`)

const proveAddressSql = statement<Sql.ProveAddress>(`
  update people set email_verified = true, two_factor_enabled = false, updated_at = :now
  where id = :personId and not email_verified`)

/**
 * The person has shown that mail to the address reaches them. Factors set up before that may be someone else's, so they
 * are deleted.
 */
export async function proveAddress(tx: Tx, personId: string, now: Date): Promise<void> {
  if ((await affected(tx, proveAddressSql, { now, personId })) === 1) await deleteFactors(tx, personId)
}

const deletePasskeysSql = statement<Sql.DeletePasskeys>(`delete from passkeys where person_id = :personId`)

const deleteTwoFactorsSql = statement<Sql.DeleteTwoFactors>(
  `delete from two_factors where person_id = :personId`,
)

const deleteFactorsSql = statement<Sql.DeleteFactors>(
  `update people set two_factor_enabled = false where id = :personId`,
)

/** Takes away passkeys and the authenticator app. */
export async function deleteFactors(tx: Tx, personId: string): Promise<void> {
  await write(tx, deletePasskeysSql, { personId })
  await write(tx, deleteTwoFactorsSql, { personId })
  await write(tx, deleteFactorsSql, { personId })
}

/** Links that were mailed to that person, sign-ins that wait for a code, and terminals that wait for theirs. */
export const deleteChallenges = writes.run<Sql.DeleteChallenges>('personId')(`
  with terminals as (delete from device_codes where person_id = (:personId::text)::uuid)
  delete from verifications where value = :personId`)

/** Counts one attempt in the window that is open, or opens one. Where the clock was set back, it ends as if opened now. */
export const countAttemptByKey = writes.only<Sql.CountAttemptByKey>('key, now, endsAt')(`
  insert into sign_in_attempts as a (key, attempts, ends_at) values (:key, 1, :endsAt)
  on conflict (key) do update set
    attempts = case when a.ends_at <= :now then 1 else a.attempts + 1 end,
    ends_at = case when a.ends_at <= :now then excluded.ends_at else least(a.ends_at, excluded.ends_at) end
  returning attempts, ends_at as "endsAt"`)

export const uncountAttemptByKey = writes.run<Sql.UncountAttemptByKey>('key')(
  `update sign_in_attempts set attempts = greatest(attempts - 1, 0) where key = :key`,
)

export const deleteAttemptsByKey = writes.run<Sql.DeleteAttemptsByKey>('key')(
  `delete from sign_in_attempts where key = :key`,
)

/** What is left to be done after the answer to an attempt to sign in that failed, or to a request for a link. */
export interface FollowUp {
  id: string
  /** Null: no one has that address. */
  personId: string | null
  /** With what it was tried; null for a link to reset a password. */
  method: Details['sign_in_failed']['method'] | null
  requestId: string
  /** Null: a release that did not record it has left this. */
  address: string | null
  at: Date
}

export const insertFollowUp = writes.run<Sql.InsertFollowUp>(
  'personId, { id, method, requestId, address, at }, dueAt',
)(`
  insert into sign_in_follow_ups (id, person_id, method, request_id, address, at, due_at)
  values (:id, :personId?::uuid, :method?, :requestId, :address?, :at, :dueAt)`)

export const hasDueFollowUpsOfAllPeople = reads.onlyValue<Sql.HasDueFollowUpsOfAllPeople>('now')(
  'select exists (select from sign_in_follow_ups where due_at <= :now) as "isDue"',
)

/** Takes what is due, until `until`. If the node dies, it is due again then. */
export const takeFollowUpsOfAllPeople = writes.many<Sql.TakeFollowUpsOfAllPeople, FollowUp>(
  'now, until, most',
)(`
  update sign_in_follow_ups set due_at = :until
  where id in (
    select id from sign_in_follow_ups where due_at <= :now order by due_at limit :most for update skip locked
  )
  returning id, person_id as "personId", method, request_id as "requestId", address, at`)

/** False when another node was quicker. */
export const deleteFollowUpById = writes.wroteOne<Sql.DeleteFollowUpById>('id')(
  `delete from sign_in_follow_ups where id = :id`,
)

const deleteExpiredSessionsSql = statement<Sql.DeleteExpiredSessions>(
  'delete from sessions where expires_at <= :now',
)

const deleteVerificationsSql = statement<Sql.DeleteVerifications>(
  `delete from verifications where expires_at <= :now`,
)

const deleteDeviceCodesSql = statement<Sql.DeleteDeviceCodes>(
  `delete from device_codes where expires_at <= :now`,
)

const deleteExpiredAttemptsSql = statement<Sql.DeleteExpiredAttempts>(
  `delete from sign_in_attempts where ends_at <= :now`,
)

export async function deleteExpiredOfAllPeople(tx: Tx, now: Date): Promise<void> {
  await write(tx, deleteExpiredSessionsSql, { now })
  await write(tx, deleteVerificationsSql, { now })
  await write(tx, deleteDeviceCodesSql, { now })
  await write(tx, deleteExpiredAttemptsSql, { now })
}

export const selectTwoFactorsOfAllPeople = reads.many<Sql.SelectTwoFactorsOfAllPeople>('afterId, most')(`
  select id, secret, backup_codes as "backupCodes" from two_factors
  where :afterId?::uuid is null or id > :afterId?::uuid
  order by id
  limit #most`)

export const updateTwoFactorOfAllPeople = writes.count<Sql.UpdateTwoFactorOfAllPeople>(
  'id, { secret, backupCodes, secretBefore, codesBefore }',
)(`
  update two_factors set secret = :secret, backup_codes = :backupCodes
  where id = :id and secret = :secretBefore and backup_codes = :codesBefore`)
