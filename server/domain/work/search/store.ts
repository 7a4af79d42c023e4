import type { Found } from '@signalbox/contract/app/workspaces.ts'
import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/**
 * Each noun is read newest first, up to five; an exact match of the typed key comes before those that merely begin with
 * it.
 */
export const selectFound = reads.many<Sql.SelectFound, Found>('workspaceId, ...words')(`
  (select 'team' as "noun!", slug as "key!", name as "title!", key_prefix as note
   from teams where workspace_id = :workspaceId and deleted_at is null and (name ilike :within or slug ilike :beginning)
   order by slug <> lower(:words), name collate "und-x-icu", id limit 5)
  union all
  (select 'story', s.key, s.title, case when s.draft then 'draft' else c.name end
   from stories s join columns c on c.workspace_id = s.workspace_id and c.id = s.column_id
   where s.workspace_id = :workspaceId and s.rejected_at is null
     and exists (select from teams t where t.id = s.team_id and t.deleted_at is null) and (s.title ilike :within or s.key ilike :beginning)
   order by s.key <> upper(:words), s.id desc limit 5)
  union all
  (select 'run', r.key, s.title, replace(a.status, '_', ' ')
   from runs r
   join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
   join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
   where r.workspace_id = :workspaceId and not r.hidden and (s.title ilike :within or r.key ilike :beginning)
   order by r.id desc limit 5)
  union all
  (select 'decision', key, title, status
   from decisions where workspace_id = :workspaceId and not hidden and (title ilike :within or key ilike :beginning)
   order by id desc limit 5)
  union all
  (select 'incident', i.key, i.title, concat_ws(', ', i.status, 'taken by ' || p.name)
   from incidents i left join people p on p.id = i.assignee_id
   where i.workspace_id = :workspaceId and not i.hidden and (i.title ilike :within or i.key ilike :beginning)
   order by i.id desc limit 5)
  union all
  (select 'service', s.id::text, s.name, t.name
   from services s join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
   where s.workspace_id = :workspaceId and s.deleted_at is null and s.name ilike :within
   order by s.name collate "und-x-icu", s.id limit 5)
  union all
  (select 'requirement', slug, left(text, 120), status
   from requirements where workspace_id = :workspaceId and (text ilike :within or slug ilike :beginning)
   order by id desc limit 5)`)

export const selectTeams = reads.many<Sql.SelectTeams, Found>('workspaceId')(`
  select 'team' as noun, slug as key, name as title, key_prefix as note
  from teams where workspace_id = :workspaceId and deleted_at is null order by name collate "und-x-icu", id limit 50`)
