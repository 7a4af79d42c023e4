import type { Found } from '@signalbox/contract/app/workspaces.ts'
import { reads, readsApart } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/**
 * The ids of the five newest whose title holds the words, in any order, or whose key begins with them. The newest are looked through;
 * the second part is only run when there were not five among them. An index knows nothing of the order, so it is asked for
 * all that match, and words that many titles have are found among the newest. Words that no index can find (`isIndexed`)
 * are looked for there alone. An index is asked for the longest word.
 */
const newestFive = (noun: {
  /** Which rows, under the name of `one`. */
  from: string
  where: string
  title: string
  /** Whether the words are in its title, as an index answers it. */
  matches?: string
  key: string
  /** What was typed, as keys are written. A range, because PostgreSQL cannot keep a plan for a pattern. */
  typed: string
}) => {
  const rows = `from ${noun.from} where one.workspace_id = :workspaceId ${noun.where}`
  const matches = noun.matches ?? `title_matches(${noun.title}, :longest, :beginnings)`
  const older = `
    one.id <= (select one.id ${rows} order by one.id desc offset #newest limit 1)`
  return `
    select id from (
      (select id from (
        select one.id, ${noun.title} as title, one.${noun.key} as key ${rows} order by one.id desc limit #newest
      ) as looked
      where title ilike all(:each::text[]) or key ilike :beginning
      limit 5)
      union all
      (select id from (
        select one.id ${rows} and :isIndexed and ${matches}
          and ${noun.title} ilike all(:each::text[]) and ${older}
        union
        select one.id ${rows} and one.${noun.key} ~>=~ ${noun.typed} and one.${noun.key} ~<~ (${noun.typed} || chr(127))
          and ${older}
      ) as listed
      order by id desc
      limit 5)
    ) as five
    limit 5`
}

const ofTeam = `and exists (select from teams t where t.id = one.team_id and t.deleted_at is null)`

const stories = newestFive({
  from: 'stories one',
  where: `and one.rejected_at is null ${ofTeam}`,
  title: 'one.title',
  key: 'key',
  typed: 'upper(:words)',
})
const runs = newestFive({
  from: 'runs one',
  where: 'and one.story_id is not null and not one.hidden',
  title: '(select s.title from stories s where s.workspace_id = one.workspace_id and s.id = one.story_id)',
  // Not a join: for one, every run may be read.
  matches: `one.story_id = any (array(
    select s.id from stories s
    where s.workspace_id = :workspaceId and title_matches(s.title, :longest, :beginnings)
  ))`,
  key: 'key',
  typed: 'lower(:words)',
})
const decisions = newestFive({
  from: 'decisions one',
  where: 'and not one.hidden',
  title: 'one.title',
  key: 'key',
  typed: 'lower(:words)',
})
const incidents = newestFive({
  from: 'incidents one',
  where: 'and not one.hidden',
  title: 'one.title',
  key: 'key',
  typed: 'lower(:words)',
})
const requirements = newestFive({
  from: 'requirements one',
  where: '',
  title: 'one.text',
  key: 'slug',
  typed: 'lower(:words)',
})

/**
 * Each noun is read newest first, up to five; an exact match of the typed key comes before those that merely begin with
 * it.
 */
export const selectFound = readsApart.many<Sql.SelectFound, Found>('workspaceId, ...words')(`
  (select 'team' as "noun!", slug as "key!", name as "title!", key_prefix as note
   from teams where workspace_id = :workspaceId and deleted_at is null and (name ilike all(:each::text[]) or slug ilike :beginning)
   order by slug <> lower(:words), name collate "und-x-icu", id limit 5)
  union all
  (select 'story', s.key, s.title, case when s.draft then 'draft' else c.name end
   from stories s join columns c on c.workspace_id = s.workspace_id and c.team_id = s.team_id and c.id = s.column_id
   where s.workspace_id = :workspaceId and s.rejected_at is null
     and exists (select from teams t where t.id = s.team_id and t.deleted_at is null)
     and s.id = any (array(
       select id from stories where workspace_id = :workspaceId and key = upper(:words) union all (${stories})
     ))
   order by s.key <> upper(:words), s.id desc limit 5)
  union all
  (select 'run', r.key, s.title, replace(a.status, '_', ' ')
   from runs r
   join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
   join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
   where r.workspace_id = :workspaceId and r.id = any (array(${runs}))
   order by r.id desc limit 5)
  union all
  (select 'decision', key, title, status
   from decisions where workspace_id = :workspaceId and id = any (array(${decisions}))
   order by id desc limit 5)
  union all
  (select 'incident', i.key, i.title, concat_ws(', ', i.status, 'taken by ' || p.name)
   from incidents i left join people p on p.id = i.assignee_id
   where i.workspace_id = :workspaceId and i.id = any (array(${incidents}))
   order by i.id desc limit 5)
  union all
  (select 'service', s.id::text, s.name, t.name
   from services s join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
   where s.workspace_id = :workspaceId and s.deleted_at is null and s.name ilike all(:each::text[])
   order by s.name collate "und-x-icu", s.id limit 5)
  union all
  (select 'requirement', slug, left(text, 120), status
   from requirements where workspace_id = :workspaceId and id = any (array(${requirements}))
   order by id desc limit 5)`)

export const selectTeams = reads.many<Sql.SelectTeams, Found>('workspaceId')(`
  select 'team' as noun, slug as key, name as title, key_prefix as note
  from teams where workspace_id = :workspaceId and deleted_at is null order by name collate "und-x-icu", id limit 50`)
