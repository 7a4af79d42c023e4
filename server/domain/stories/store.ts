import type { Story, StoryListed } from '@signalbox/contract/story.ts'
import { type Db, read } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'

const listed = `
  s.id,
  s.key,
  s.title,
  t.slug as team,
  (select row_to_json(col) from (select c.id, c.name, c.role) as col) as "column",
  s.draft,
  s.readiness_score as "readinessScore",
  s.size,
  s.complexity,
  s.class_of_service as "classOfService",
  (select row_to_json(tracker) from (select
    s.tracker_platform as platform, s.tracker_key as key, s.tracker_url as url
    where s.tracker_key is not null
  ) as tracker) as tracker,
  iso(s.created_at) as "createdAt",
  iso(s.updated_at) as "updatedAt"
`

const source = `
  stories s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
  join columns c on c.workspace_id = s.workspace_id and c.team_id = s.team_id and c.id = s.column_id
`

const page = statement<Rendered<StoryListed>>(`
  select s.id, (select row_to_json(story) from (select ${listed}) as story)::text as json
  from ${source}
  where s.workspace_id = :workspaceId
    and s.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)
    [[and s.draft = :draft]]
    [[and s.id < :after]]
  order by s.id desc
  limit #rows`)

const one = statement<Rendered<Story>>(`
  select s.id, (select row_to_json(story) from (select
    ${listed},
    s.description,
    s.acceptance_criteria as "acceptanceCriteria",
    array(
      select r.key from runs r
      where r.workspace_id = s.workspace_id and r.story_id = s.id
      order by r.id desc
    ) as "runKeys"
  ) as story)::text as json
  from ${source}
  where s.workspace_id = :workspaceId and s.key = :key`)

export async function selectStories(
  db: Db,
  workspaceId: string,
  filter: { team: string; drafts: boolean },
  { after, ...request }: PageRequest,
): Promise<readonly Rendered<StoryListed>[]> {
  const draft = filter.drafts ? undefined : false
  return read(db, page, { workspaceId, team: filter.team, draft, after, rows: rowsFor(request) })
}

export async function selectStory(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<Rendered<Story> | undefined> {
  return (await read(db, one, { workspaceId, key }))[0]
}
