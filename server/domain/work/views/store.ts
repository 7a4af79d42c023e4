import type { StoryView, ViewFilter } from '@signalbox/contract/app/views.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** A person's views of boards that are still there, by name. */
export const selectViews = reads.many<Sql.SelectViews, StoryView>('workspaceId, personId')(`
  select v.id, v.name, t.slug as team, t.name as "teamName", v.filter
  from story_views v
  join teams t on t.workspace_id = v.workspace_id and t.id = v.team_id and t.deleted_at is null
  where v.workspace_id = :workspaceId and v.person_id = :personId
  order by v.name collate "und-x-icu", v.id`)

/** How many a person has, also of boards that are gone. */
export const selectViewCount = reads.onlyValue<Sql.SelectViewCount>('workspaceId, personId')(`
  select count(*)::int as "count!" from story_views where workspace_id = :workspaceId and person_id = :personId`)

export const selectViewForUpdate = writes.one<Sql.SelectViewForUpdate, { filter: ViewFilter }>(
  'workspaceId, personId, name',
)(`
  select v.id, t.slug as team, v.filter from story_views v
  join teams t on t.workspace_id = v.workspace_id and t.id = v.team_id
  where v.workspace_id = :workspaceId and v.person_id = :personId and v.name = :name
  for update of v`)

export const upsertView = writes.onlyValue<Sql.UpsertView, { id: string }, { filter: ViewFilter }>(
  'workspaceId, personId, { id, team, name, filter }',
)(`
  insert into story_views (id, workspace_id, person_id, team_id, name, filter)
  select :id, t.workspace_id, :personId, t.id, :name, :{filter} from teams t
  where t.workspace_id = :workspaceId and t.slug = :team and t.deleted_at is null
  on conflict (workspace_id, person_id, name) do update set team_id = excluded.team_id, filter = excluded.filter
  returning id`)

/** The one that was there; undefined: there is none of theirs. */
export const deleteView = writes.one<Sql.DeleteView, { filter: ViewFilter }>('workspaceId, personId, id')(`
  delete from story_views v using teams t
  where v.workspace_id = :workspaceId and v.person_id = :personId and v.id = :id
    and t.workspace_id = v.workspace_id and t.id = v.team_id
  returning v.name, t.slug as team, v.filter`)
