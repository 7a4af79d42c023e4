import { reads, readsSlowly, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './person-store.types.ts'

/** Held against whatever still stores something of theirs. */
export const lockPersonById = writes.one<Sql.LockPersonById>('personId')(`
  select id, name, email from people where id = :personId and erased_at is null for update`)

/** Of the workspaces that they are in, those they leave without an owner. All owners are held, so that none leaves now. */
export const lockOrphanedOfPerson = writes.column<Sql.LockOrphanedOfPerson>('personId')(`
  with owners as (
    select o.workspace_id, o.person_id from memberships o
    join workspaces w on w.id = o.workspace_id and w.deleted_at is null
    where o.role = 'owner' and exists (
      select from memberships m where m.workspace_id = o.workspace_id and m.person_id = :personId and m.role = 'owner')
    order by o.workspace_id, o.person_id
    for update of o
  )
  select w.slug from workspaces w
  where exists (select from owners where owners.workspace_id = w.id)
    and not exists (select from owners where owners.workspace_id = w.id and owners.person_id <> :personId)
  order by w.slug`)

export const selectMembershipIdsOfPerson = reads.column<Sql.SelectMembershipIdsOfPerson>('personId')(`
  select workspace_id from memberships where person_id = :personId order by workspace_id`)

/** Wherever something of theirs is. */
export const selectWorkspacesOfPerson = reads.column<Sql.SelectWorkspacesOfPerson>('personId')(`
  select workspace_id as "id!" from memberships where person_id = :personId
  union select workspace_id from audit_personal where person_id = :personId
  union select workspace_id from api_tokens where person_id = :personId
  union select workspace_id from notifications where person_id = :personId
  union select workspace_id from requirements where submitted_by = :personId
  union select workspace_id from decisions where resolved_by = :personId`)

/** By what they were called, as far as the log knows. */
export const selectNamesOfPerson = reads.column<Sql.SelectNamesOfPerson>('personId, longest')(`
  select distinct value as "value!" from audit_personal
  where person_id = :personId and value is not null and length(value) <= :longest`)

/** Takes away what the logs refer to: how many values of each, and which. */
export const eraseValuesOfPerson = writes.many<
  Sql.EraseValuesOfPerson,
  { workspaceId: string; values: number; digest: string }
>('personId, email, erasure')(`
  select workspace_id as "workspaceId!", erased as "values!", digest as "digest!"
  from erase_audit_personal(:personId, :email, :erasure)`)

/** How many sentences had one of these names. */
export const eraseNamesByWorkspaces = writes.onlyValue<Sql.EraseNamesByWorkspaces>('workspaceIds, names')(`
  select erase_names(:workspaceIds::uuid[], :names::text[]) as "rewritten!"`)

/** Sessions, ways to sign in, what was to be told to them, and what was theirs alone. */
export const deleteTracesOfPerson = writes.run<Sql.DeleteTracesOfPerson>('personId, email, at')(`
  with sessions_of as (delete from sessions where person_id = :personId),
    accounts_of as (delete from accounts where person_id = :personId),
    passkeys_of as (delete from passkeys where person_id = :personId),
    two_factors_of as (delete from two_factors where person_id = :personId),
    devices_of as (delete from device_codes where person_id = :personId),
    challenges_of as (delete from verifications where value = :personId::uuid::text or strpos(value, :email) > 0),
    follow_ups_of as (delete from sign_in_follow_ups where person_id = :personId),
    codes_of as (
      delete from chat_link_codes c using chat_links l
      where l.person_id = :personId and c.connection_id = l.connection_id and c.chat_user = l.chat_user),
    links_of as (delete from chat_links where person_id = :personId),
    push_of as (delete from push_subscriptions where person_id = :personId),
    settings_of as (delete from notification_settings where person_id = :personId),
    report_settings_of as (delete from report_settings where person_id = :personId),
    notifications_of as (delete from notifications where person_id = :personId),
    answers_of as (delete from idempotency_keys where person_id = :personId),
    scim_groups_of as (delete from scim_group_members where person_id = :personId),
    scim_of as (delete from scim_users where person_id = :personId),
    marks_of as (delete from managed_resources where kind = 'members' and resource_id = :personId),
    told_of as (delete from service_members where person_id = :personId),
    tokens_of as (
      update api_tokens set name = 'Erased', revoked_at = coalesce(revoked_at, :at) where person_id = :personId),
    invitations_of as (
      update invitations set email = 'erased-' || id || '@erased.invalid', revoked_at = coalesce(revoked_at, :at)
      where email = :email),
    memberships_of as (delete from memberships where person_id = :personId)
  update people set
    name = 'Erased person', email = 'erased-' || id || '@erased.invalid', image = null,
    email_verified = false, two_factor_enabled = false, updated_at = :at, erased_at = :at
  where id = :personId`)

/** For the file that a restore reads. */
export const selectErasedOfAllPeople = reads.many<Sql.SelectErasedOfAllPeople>()(`
  select id, erased_at as "at!" from people where erased_at is not null order by erased_at, id`)

export const selectUnerasedByIds = reads.column<Sql.SelectUnerasedByIds>('ids')(`
  select id from people where id = any(:ids::uuid[]) and erased_at is null order by id`)

/** What would be erased, and what would not: entries of the first format hold names as they are. */
export const selectPreviewOfPerson = readsSlowly.only<Sql.SelectPreviewOfPerson, { workspaces: string[] }>(
  'personId, email',
)(`
  select
    (select count(*)::int from audit_personal
     where erasure is null and (person_id = :personId or person_id is null and value = :email)) as "values!",
    (select coalesce(json_agg(w.slug order by w.slug), '[]') from memberships m
     join workspaces w on w.id = m.workspace_id and w.deleted_at is null
     where m.person_id = :personId) as "workspaces!",
    (select count(*)::int from audit_entries e
     where e.entry not like '{"v":2,%' and strpos(e.entry, :personId::uuid::text) > 0) as "oldEntries!"`)
