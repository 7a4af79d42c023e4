import type { ManagedResource } from '@signalbox/contract/app/managed.ts'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectManaged = reads.many<Sql.SelectManaged, ManagedResource>('workspaceId')(`
  select kind, name, resource_id as id, iso(managed_at) as "managedAt", iso(unlocked_at) as "unlockedAt"
  from managed_resources where workspace_id = :workspaceId
  order by kind, name`)

/** The same with what the file said of each, as far as it is known. */
export const selectMarks = reads.many<Sql.SelectMarks, { applied: object | null }>('workspaceId')(`
  select kind, name, resource_id as id, iso(unlocked_at) as "unlockedAt", applied
  from managed_resources where workspace_id = :workspaceId
  order by kind, name`)

export const isLocked = reads.exists<Sql.IsLocked, Nothing, { kind: ResourceKind }>('workspaceId, kind, id')(`
  select from managed_resources
  where workspace_id = :workspaceId and kind = :kind and resource_id = :id and unlocked_at is null`)

/** Whatever had the name, or another name of the same, gives way. */
export const removeNamesakes = writes.run<Sql.RemoveNamesakes, Nothing, { kind: ResourceKind }>(
  'workspaceId, { kind, name, id }',
)(`
  delete from managed_resources
  where workspace_id = :workspaceId and kind = :kind and (name = :name) <> (resource_id = :id)`)

export const upsertManaged = writes.wroteOne<Sql.UpsertManaged, Nothing, { kind: ResourceKind }>(
  'workspaceId, { kind, name, id }, at',
)(`
  insert into managed_resources (workspace_id, kind, name, resource_id, managed_at)
  values (:workspaceId, :kind, :name, :id, :at)
  on conflict (workspace_id, kind, name) do update set managed_at = :at, unlocked_at = null
  where managed_resources.unlocked_at is not null`)

/** Of what is being created: false where something else has the name. One that is not committed yet is waited for. */
export const insertManaged = writes.wroteOne<
  Sql.InsertManaged,
  Nothing,
  { kind: ResourceKind; applied: object }
>('workspaceId, { kind, name, id, applied }, at')(`
  insert into managed_resources (workspace_id, kind, name, resource_id, managed_at, applied)
  values (:workspaceId, :kind, :name, :id, :at, :{applied})
  on conflict (workspace_id, kind, name) do nothing`)

export const updateApplied = writes.run<Sql.UpdateApplied, Nothing, { kind: ResourceKind; applied: object }>(
  'workspaceId, { kind, id, applied }',
)(`
  update managed_resources set applied = :{applied}
  where workspace_id = :workspaceId and kind = :kind and resource_id = :id and applied is distinct from :{applied}`)

/** Undefined: it was not marked. */
export const deleteManaged = writes.value<Sql.DeleteManaged, Nothing, { kind: ResourceKind }>(
  'workspaceId, kind, id',
)(`
  delete from managed_resources where workspace_id = :workspaceId and kind = :kind and resource_id = :id
  returning name`)

export const updateUnlocked = writes.value<Sql.UpdateUnlocked, Nothing, { kind: ResourceKind }>(
  'workspaceId, kind, id, at',
)(`
  update managed_resources set unlocked_at = :at
  where workspace_id = :workspaceId and kind = :kind and resource_id = :id and unlocked_at is null
  returning name`)

export const selectWorkspaceNamed = reads.only<Sql.SelectWorkspaceNamed>('workspaceId')(`
  select slug, name from workspaces where id = :workspaceId`)
