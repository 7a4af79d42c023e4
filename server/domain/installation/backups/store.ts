import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectAllWorkspaces = reads.many<Sql.SelectAllWorkspaces>()(
  'select id, slug, name from workspaces order by id',
)

export const insertBackupOfAllWorkspaces = writes.run<Sql.InsertBackupOfAllWorkspaces>(
  'id, cause, at, { place, encrypted }',
)(`
  insert into backups (id, cause, begun_at, place, encrypted) values (:id, :cause, :at, :place?, :encrypted)`)

export const updateMadeOfAllWorkspaces = writes.run<Sql.UpdateMadeOfAllWorkspaces>(
  'id, at, { takenAt, bytes, rows }',
)(`
  update backups set ended_at = :at, taken_at = :takenAt, bytes = :bytes, rows = :rows where id = :id`)

export const updateFailedOfAllWorkspaces = writes.run<Sql.UpdateFailedOfAllWorkspaces>('id, at, error')(`
  update backups set ended_at = :at, error = :error where id = :id`)

export const selectLastGoodOfAllWorkspaces = reads.one<Sql.SelectLastGoodOfAllWorkspaces>()(`
  select id, cause, taken_at as "takenAt!", ended_at as "endedAt!", place, encrypted, bytes as "bytes!", rows as "rows!"
  from backups where taken_at is not null
  order by taken_at desc limit 1`)

export const selectLastTriedOfAllWorkspaces = reads.one<Sql.SelectLastTriedOfAllWorkspaces>()(`
  select cause, begun_at as "begunAt", ended_at as "endedAt", error from backups order by begun_at desc limit 1`)

export const selectLastScheduledOfAllWorkspaces = reads.one<Sql.SelectLastScheduledOfAllWorkspaces>()(`
  select begun_at as "begunAt", error from backups where cause = 'schedule' order by begun_at desc limit 1`)

export const deleteOlderOfAllWorkspaces = writes.run<Sql.DeleteOlderOfAllWorkspaces>('before')(`
  delete from backups b where begun_at < :before
    and b.id is distinct from (select id from backups where taken_at is not null order by taken_at desc limit 1)`)
