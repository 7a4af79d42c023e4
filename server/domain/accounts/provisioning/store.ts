import type { Role } from '@signalbox/contract/roles.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** Changes of one workspace by its provider come one after the other. */
export const lockProvisioning = writes.run<Sql.LockProvisioning>('workspaceId')(
  `select from workspaces where id = :workspaceId for no key update`,
)

export const insertScimToken = writes.run<Sql.InsertScimToken>('workspaceId, ...token')(`
  insert into scim_tokens (id, workspace_id, name, prefix, digest, created_at)
  values (:id, :workspaceId, :name, :prefix, :digest, :createdAt)`)

export const selectScimTokens = reads.many<Sql.SelectScimTokens>('workspaceId')(`
  select id, name, prefix, iso(created_at) as "createdAt", iso(last_used_at) as "lastUsedAt"
  from scim_tokens
  where workspace_id = :workspaceId and revoked_at is null
  order by id desc`)

/** Undefined: there is none, or it is revoked already. */
export const revokeScimTokenById = writes.one<Sql.RevokeScimTokenById>('workspaceId, id, at')(`
  update scim_tokens set revoked_at = :at
  where workspace_id = :workspaceId and id = :id and revoked_at is null
  returning name, prefix`)

export const selectProvisionerByDigest = reads.one<Sql.SelectProvisionerByDigest>('digest')(`
  select t.id as "tokenId", t.workspace_id as "workspaceId", t.name, t.prefix, t.last_used_at as "lastUsedAt"
  from scim_tokens t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  where t.digest = :digest and t.revoked_at is null`)

export const updateScimTokenUse = writes.run<Sql.UpdateScimTokenUse>('workspaceId, id, at')(
  `update scim_tokens set last_used_at = :at where workspace_id = :workspaceId and id = :id`,
)

// Of a person whom the provider has brought, it is told what it said, and not how they call themselves elsewhere.
const displayName = `case when u.person_id is null then p.name else u.display_name end`

/** Members, and people whom the provider has brought and taken out again. */
const users = `
  from (
    select person_id from memberships where workspace_id = :workspaceId
    union
    select person_id from scim_users where workspace_id = :workspaceId
  ) known
  join people p on p.id = known.person_id
  left join memberships m on m.workspace_id = :workspaceId and m.person_id = p.id
  left join scim_users u on u.workspace_id = :workspaceId and u.person_id = p.id
  where true
    [[and p.id = :id]]
    [[and lower(coalesce(u.user_name, p.email)) = lower(:userName)]]
    [[and lower(p.email) = lower(:email)]]
    [[and u.external_id = :externalId]]
    [[and lower(${displayName}) = lower(:displayName)]]`

/** What users are looked for by; nothing: all of them. */
export type UserFilter = {
  id?: string
  userName?: string
  email?: string
  externalId?: string
  displayName?: string
}

export const selectUsers = reads.many<Sql.SelectUsers, Nothing, UserFilter>(
  'workspaceId, { offset, most }, ...filter',
)(`
  select p.id, p.email, p.name, coalesce(u.user_name, p.email) as "userName!", u.external_id as "externalId",
    u.given_name as "givenName", u.family_name as "familyName", ${displayName} as "displayName",
    m.person_id is not null as "active!", u.person_id is not null as "isProvisioned!",
    iso(coalesce(u.created_at, m.joined_at)) as "createdAt!", iso(coalesce(u.updated_at, m.joined_at)) as "updatedAt!"
  ${users}
  order by p.id
  offset #offset limit #most`)

export const countUsers = reads.onlyValue<Sql.CountUsers, Nothing, UserFilter>('workspaceId, ...filter')(
  `select count(*)::integer as "users!" ${users}`,
)

export const upsertUser = writes.run<Sql.UpsertUser>('workspaceId, personId, ...user')(`
  insert into scim_users (workspace_id, person_id, user_name, external_id, given_name, family_name, display_name,
    created_at, updated_at)
  values (:workspaceId, :personId, :userName, :externalId?, :givenName?, :familyName?, :displayName?, :at, :at)
  on conflict (workspace_id, person_id) do update set
    user_name = excluded.user_name, external_id = excluded.external_id, given_name = excluded.given_name,
    family_name = excluded.family_name, display_name = excluded.display_name, updated_at = excluded.updated_at`)

export const deleteUserRow = writes.run<Sql.DeleteUserRow>('workspaceId, personId')(`
  with memberships_of_groups as (
    delete from scim_group_members where workspace_id = :workspaceId and person_id = :personId
  )
  delete from scim_users where workspace_id = :workspaceId and person_id = :personId`)

export type GroupFilter = { id?: string; displayName?: string; externalId?: string }

const groups = `
  from scim_groups g
  where g.workspace_id = :workspaceId
    [[and g.id = :id]]
    [[and lower(g.display_name) = lower(:displayName)]]
    [[and g.external_id = :externalId]]`

export const selectGroups = reads.many<
  Sql.SelectGroups,
  { members: { value: string; display: string | null }[] },
  GroupFilter
>('workspaceId, { offset, most }, ...filter')(`
  select g.id, g.display_name as "displayName", g.external_id as "externalId", g.role,
    iso(g.created_at) as "createdAt!", iso(g.updated_at) as "updatedAt!",
    coalesce((
      select json_agg(json_build_object('value', x.person_id, 'display', ${displayName}) order by x.person_id)
      from scim_group_members x
      join people p on p.id = x.person_id
      left join scim_users u on u.workspace_id = x.workspace_id and u.person_id = x.person_id
      where x.workspace_id = g.workspace_id and x.group_id = g.id
    ), '[]') as members
  ${groups}
  order by g.id
  offset #offset limit #most`)

export const countGroups = reads.onlyValue<Sql.CountGroups, Nothing, GroupFilter>('workspaceId, ...filter')(
  `select count(*)::integer as "groups!" ${groups}`,
)

/** Those of the settings, with how many people are in each. */
export const selectMappings = reads.many<Sql.SelectMappings>('workspaceId')(`
  select g.id, g.display_name as "name", g.role, (
    select count(*)::integer from scim_group_members x where x.workspace_id = g.workspace_id and x.group_id = g.id
  ) as "people!"
  from scim_groups g
  where g.workspace_id = :workspaceId
  order by g.display_name collate "und-x-icu", g.id`)

export const insertGroup = writes.run<Sql.InsertGroup>('workspaceId, ...group')(`
  insert into scim_groups (id, workspace_id, display_name, external_id, created_at, updated_at)
  values (:id, :workspaceId, :displayName, :externalId?, :at, :at)`)

export const updateGroup = writes.run<Sql.UpdateGroup>('workspaceId, id, ...group')(`
  update scim_groups set display_name = :displayName, external_id = :externalId?, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

export const updateGroupRole = writes.run<Sql.UpdateGroupRole, Nothing, { role: Role | null }>(
  'workspaceId, id, role',
)(`update scim_groups set role = :role? where workspace_id = :workspaceId and id = :id`)

export const deleteGroupById = writes.run<Sql.DeleteGroupById>('workspaceId, id')(
  `delete from scim_groups where workspace_id = :workspaceId and id = :id`,
)

export const insertGroupMembers = writes.run<Sql.InsertGroupMembers>('workspaceId, groupId, personIds')(`
  insert into scim_group_members (workspace_id, group_id, person_id)
  select :workspaceId, :groupId, id from unnest(:personIds::uuid[]) as id
  on conflict do nothing`)

export const deleteGroupMembers = writes.run<Sql.DeleteGroupMembers>('workspaceId, groupId, personIds')(`
  delete from scim_group_members
  where workspace_id = :workspaceId and group_id = :groupId and person_id = any(:personIds::uuid[])`)

/** Of these people those who are users of the workspace. */
export const selectKnownUsers = reads.column<Sql.SelectKnownUsers>('workspaceId, personIds')(`
  select person_id as "id!" from memberships
  where workspace_id = :workspaceId and person_id = any(:personIds::uuid[])
  union
  select person_id from scim_users
  where workspace_id = :workspaceId and person_id = any(:personIds::uuid[])`)

/** Of these people those who are members: the role each has, and those that their groups give. */
export const selectRoles = reads.many<Sql.SelectRoles, { role: Role; given: Role[] }>(
  'workspaceId, personIds',
)(`
  select p.id, p.name, m.role, coalesce((
    select array_agg(distinct g.role)
    from scim_group_members x
    join scim_groups g on g.workspace_id = x.workspace_id and g.id = x.group_id
    where x.workspace_id = m.workspace_id and x.person_id = m.person_id and g.role is not null
  ), '{}') as "given!"
  from memberships m
  join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId and m.person_id = any(:personIds::uuid[])
  order by p.id`)

/** What the groups of a person give, who may not be a member yet. */
export const selectGivenRoles = reads.column<Sql.SelectGivenRoles, { role: Role }>('workspaceId, personId')(`
  select distinct g.role as "role!"
  from scim_group_members x
  join scim_groups g on g.workspace_id = x.workspace_id and g.id = x.group_id
  where x.workspace_id = :workspaceId and x.person_id = :personId and g.role is not null`)
