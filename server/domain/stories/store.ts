import type { BoardColumn, Obstacle, StoryPage, StoryRow } from '@signalbox/contract/app/stories.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { AcceptanceCriterion, Story, StoryListed } from '@signalbox/contract/story.ts'
import { sql } from 'kysely'
import { assignments } from '../../infra/db/assignments.ts'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Stories } from '../../infra/db/tables.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'
import type { ProposedStory } from '../proposed-story.ts'
import { localHolder } from './local-holder.ts'
import { shortcoming } from './shortcoming.ts'

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
    and s.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team and deleted_at is null)
    and s.rejected_at is null
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
  where s.workspace_id = :workspaceId and s.key = :key and s.rejected_at is null`)

const obstacle = (by: string, reason: string) => `jsonb_build_object('by', '${by}', 'reason', ${reason})`

// The team's obstacles are handed in: whoever dispatches knows them. A run that waits for its turn has noted why.
const heldBy = `
  case when c.role = 'ready' then
    case ${shortcoming}
      when 'run' then (
        select coalesce(jsonb_agg(${obstacle('run', 'r.reason')}), '[]') from runs r
        where r.workspace_id = s.workspace_id and r.story_id = s.id and r.phase = 'queued' and r.reason is not null
      )
      when 'draft' then jsonb_build_array(${obstacle('draft', "'It is a draft that no one has approved.'")}) || :obstacles
      when 'readiness' then jsonb_build_array(
        ${obstacle('readiness', "'Its readiness is ' || s.readiness_score || ' of 100.'")}
      ) || :obstacles
      when 'blocked' then jsonb_build_array(
        ${obstacle('blocked', "'Blocked by ' || array_to_string(s.blocked_by, ', ') || '.'")}
      ) || :obstacles
      else :obstacles::jsonb
    end
  else '[]' end as "heldBy"
`

// What a run is at is told by its phase; its status is that of its newest attempt.
const card = `
  ${listed},
  (select row_to_json(run) from (
    select r.key, a.status, a.stage, r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped') as open,
      ${localHolder} as local
    from runs r
    join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
    where r.workspace_id = s.workspace_id and r.story_id = s.id
    order by r.id desc
    limit 1
  ) as run) as run,
  (
    select d.key from decisions d
    where d.workspace_id = s.workspace_id and d.story_id = s.id and d.status = 'pending'
    order by d.id
    limit 1
  ) as waiting,
  ${heldBy}
`

export interface StoryRowFilter {
  team: string
  drafts: boolean
  q?: string | undefined
  size?: StoryListed['size'] | undefined
  /** Of a list; a board shows them all. */
  column?: StoryListed['column']['role'] | undefined
}

const matching = `
    and s.rejected_at is null
    [[and s.draft = :draft]]
    [[and s.size = :size]]
    [[and (s.title ilike :like or s.key ilike :like)]]
`

/** The filter as the two statements below take it. What was typed is text, not a pattern. */
const parametersOf = ({ team, drafts, q, size }: StoryRowFilter, obstacles: Obstacle[]) => ({
  team,
  obstacles: JSON.stringify(obstacles),
  draft: drafts ? undefined : false,
  size,
  like: q ? `%${q.replaceAll(/[\\%_]/g, '\\$&')}%` : undefined,
})

const cardPage = statement<Rendered<StoryRow>>(`
  select s.id, (select row_to_json(story) from (select ${card}) as story)::text as json
  from ${source}
  where s.workspace_id = :workspaceId and t.slug = :team and t.deleted_at is null
    ${matching}
    [[and c.role = :column]]
    [[and s.id < :after]]
  order by s.id desc
  limit #rows`)

export async function selectStoryRows(
  db: Db,
  workspaceId: string,
  filter: StoryRowFilter,
  { after, ...request }: PageRequest,
  obstacles: Obstacle[],
): Promise<readonly Rendered<StoryRow>[]> {
  return read(db, cardPage, {
    workspaceId,
    ...parametersOf(filter, obstacles),
    column: filter.column,
    after,
    rows: rowsFor(request),
  })
}

// In the order in which Ready stories are taken; what is done, newest first.
const board = statement<Rendered<BoardColumn>>(`
  select c.id, (select row_to_json(col) from (select c.id, c.name, c.role,
    (
      select count(*)::int from stories s
      where s.workspace_id = c.workspace_id and s.team_id = c.team_id and s.column_id = c.id ${matching}
    ) as total,
    (
      select coalesce(json_agg(row_to_json(listed)), '[]') from (
        select ${card}
        from stories s
        where s.workspace_id = c.workspace_id and s.team_id = c.team_id and s.column_id = c.id ${matching}
        order by case when c.role = 'done' then s.updated_at end desc, s.class_of_service <> 'expedite',
          s.created_at, s.id
        limit #cards
      ) as listed
    ) as stories
  ) as col)::text as json
  from columns c
  join teams t on t.workspace_id = c.workspace_id and t.id = c.team_id
  where c.workspace_id = :workspaceId and t.slug = :team and t.deleted_at is null
  order by c.position`)

export async function selectBoard(
  db: Db,
  workspaceId: string,
  filter: StoryRowFilter,
  cards: number,
  obstacles: Obstacle[],
): Promise<readonly Rendered<BoardColumn>[]> {
  return read(db, board, { workspaceId, ...parametersOf(filter, obstacles), cards })
}

const opened = statement<Rendered<Omit<StoryPage, 'missing' | 'mirror'>>>(`
  select s.id, (select row_to_json(story) from (select
    ${listed},
    s.description,
    s.acceptance_criteria as "acceptanceCriteria",
    t.name as "teamName",
    s.demonstrate,
    s.test_plan as "testPlan",
    s.returned_note as "returnedNote",
    ${heldBy},
    (
      select q.slug from requirements q where q.workspace_id = s.workspace_id and q.id = s.requirement_id
    ) as requirement,
    array(
      select r.key from runs r
      where r.workspace_id = s.workspace_id and r.story_id = s.id
      order by r.id desc
    ) as "runKeys",
    (
      select coalesce(json_agg(row_to_json(run)), '[]') from (
        select r.key, a.status, a.stage, r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped') as open,
          r.attempts,
          (
            select sum(cost_cents) from attempts where workspace_id = r.workspace_id and run_id = r.id
          ) as "costCents",
          ${localHolder} as local, a.failure_class as "failureClass", iso(r.created_at) as "createdAt", iso(a.completed_at) as "completedAt"
        from runs r
        join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
        where r.workspace_id = s.workspace_id and r.story_id = s.id
        order by r.id desc
        limit 50
      ) as run
    ) as runs,
    (
      select coalesce(json_agg(row_to_json(decision)), '[]') from (
        select d.key, d.kind, d.status, d.title, r.key as "runKey", iso(d.created_at) as "createdAt",
          iso(d.resolved_at) as "resolvedAt"
        from decisions d
        left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
        where d.workspace_id = s.workspace_id and d.story_id = s.id
        order by d.id desc
        limit 100
      ) as decision
    ) as decisions
  ) as story)::text as json
  from ${source}
  where s.workspace_id = :workspaceId and s.key = :key and s.rejected_at is null`)

export async function selectStoryPage(db: Db, workspaceId: string, key: string, obstacles: Obstacle[]) {
  return (await read(db, opened, { workspaceId, key, obstacles: JSON.stringify(obstacles) }))[0]
}

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

/** The team's next story number. Two who file at once wait for each other here. */
export const takeStoryNumber = (tx: Tx, workspaceId: string, teamId: string): Promise<number> =>
  takeStoryNumbers(tx, workspaceId, teamId, 1)

/** The same for several in a row: the last of them. */
export async function takeStoryNumbers(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  count: number,
): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    update teams set last_story_number = last_story_number + ${count}
    where workspace_id = ${workspaceId} and id = ${teamId}
    returning last_story_number as number
  `.execute(tx)
  return rows[0]!.number
}

interface NewStory extends Omit<ProposedStory, 'acceptanceCriteria'> {
  id: string
  key: string
  acceptanceCriteria: AcceptanceCriterion[]
  column: StoryListed['column']['role']
  draft: boolean
  readinessScore: number
  requirementId?: string
  filedBy: string | null
  at: Date
}

export async function insertStory(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  story: NewStory,
): Promise<void> {
  await sql`
    insert into stories (id, workspace_id, team_id, key, title, description, acceptance_criteria, demonstrate,
      test_plan, column_id, draft, readiness_score, size, complexity, class_of_service, requirement_id, filed_by, created_at,
      updated_at)
    values (${story.id}, ${workspaceId}, ${teamId}, ${story.key}, ${story.title}, ${story.description},
      ${JSON.stringify(story.acceptanceCriteria)}, ${story.demonstrate}, ${story.testPlan ?? null},
      (select id from columns
        where workspace_id = ${workspaceId} and team_id = ${teamId} and role = ${story.column}),
      ${story.draft}, ${story.readinessScore}, ${story.size}, ${story.complexity}, ${story.classOfService},
      ${story.requirementId}, ${story.filedBy}, ${story.at}, ${story.at})
  `.execute(tx)
}

type FiledStory = Pick<
  NewStory,
  | 'id'
  | 'key'
  | 'title'
  | 'description'
  | 'acceptanceCriteria'
  | 'demonstrate'
  | 'testPlan'
  | 'column'
  | 'readinessScore'
  | 'size'
  | 'complexity'
  | 'classOfService'
> & { tracker: NonNullable<StoryListed['tracker']> }

/** Several at once, as a tracker has them. */
export async function insertMirroredStories(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  stories: FiledStory[],
  at: Date,
): Promise<void> {
  await sql`
    insert into stories (id, workspace_id, team_id, key, title, description, acceptance_criteria, demonstrate,
      test_plan, column_id, draft, readiness_score, size, complexity, class_of_service, tracker_platform, tracker_key,
      tracker_url, created_at, updated_at)
    select s.id, ${workspaceId}, ${teamId}, s.key, s.title, s.description, s."acceptanceCriteria", s.demonstrate,
      s."testPlan", c.id, false, s."readinessScore", s.size, s.complexity, s."classOfService", s.tracker ->> 'platform',
      s.tracker ->> 'key', s.tracker ->> 'url', ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(stories)}::jsonb) as s (id uuid, key text, title text, description text,
      "acceptanceCriteria" jsonb, demonstrate text, "testPlan" text, "column" text, "readinessScore" integer,
      size text, complexity text, "classOfService" text, tracker jsonb)
    join columns c on c.workspace_id = ${workspaceId} and c.team_id = ${teamId} and c.role = s."column"
  `.execute(tx)
}

/** A story as whoever is about to change it sees it. */
const repositories = statement<{ repositories: string[] | null }>(`
  select repositories from stories where workspace_id = :workspaceId and id = :id`)

/** Which of its team's repositories a story is about; null: all of them. */
export async function selectStoryRepositories(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<string[] | null> {
  return (await read(tx, repositories, { workspaceId, id }))[0]?.repositories ?? null
}

export async function updateStoryRepositories(
  tx: Tx,
  workspaceId: string,
  id: string,
  names: string[] | null,
  at: Date,
): Promise<void> {
  await sql`
    update stories set repositories = ${names}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

export interface LockedStory extends Omit<ProposedStory, 'acceptanceCriteria'> {
  id: string
  key: string
  team: string
  column: StoryListed['column']['role']
  acceptanceCriteria: AcceptanceCriterion[]
  draft: boolean
  readinessScore: number
  tracker: StoryListed['tracker']
  requirementId: string | null
  approvedAt: Date | null
  updatedAt: Date
}

const forUpdate = statement<LockedStory>(`
  select s.id, s.key, s.title, s.description, s.acceptance_criteria as "acceptanceCriteria", s.demonstrate,
    s.test_plan as "testPlan", s.size, s.complexity, s.class_of_service as "classOfService", s.draft,
    (select t.slug from teams t where t.id = s.team_id) as team,
    (select c.role from columns c where c.id = s.column_id) as column,
    s.readiness_score as "readinessScore", s.requirement_id as "requirementId", s.approved_at as "approvedAt",
    s.updated_at as "updatedAt",
    case when s.tracker_key is not null then
      json_build_object('platform', s.tracker_platform, 'key', s.tracker_key, 'url', s.tracker_url)
    end as tracker
  from stories s
  where s.workspace_id = :workspaceId and s.rejected_at is null
    [[and s.id = :id]]
    [[and s.key = :key and exists (select from teams t where t.id = s.team_id and t.deleted_at is null)]]
  for no key update of s`)

/**
 * Held for the length of the transaction; a rejected draft is not there. Nothing is joined: whoever has waited for a
 * story that was moved meanwhile would otherwise find that it no longer fits its old column, and see none.
 */
export async function selectStoryForUpdate(
  tx: Tx,
  workspaceId: string,
  by: { key: string } | { id: string },
): Promise<LockedStory | undefined> {
  return (await write(tx, forUpdate, { workspaceId, ...by }))[0]
}

/** What can be written into a story that exists. What is not given stays. */
export interface StoryChanges
  extends Partial<
    Pick<
      LockedStory,
      | 'title'
      | 'description'
      | 'acceptanceCriteria'
      | 'demonstrate'
      | 'testPlan'
      | 'size'
      | 'complexity'
      | 'classOfService'
      | 'column'
      | 'draft'
      | 'readinessScore'
    >
  > {
  tracker?: NonNullable<StoryListed['tracker']>
  writtenAt?: Date
  approvedAt?: Date
  rejectedAt?: Date
  returnedNote?: string | null
}

export async function updateStory(
  tx: Tx,
  workspaceId: string,
  id: string,
  changes: StoryChanges,
  at: Date,
): Promise<void> {
  const { acceptanceCriteria, tracker, column } = changes
  const changed = assignments<Stories>({
    title: changes.title,
    description: changes.description,
    acceptance_criteria: acceptanceCriteria && JSON.stringify(acceptanceCriteria),
    demonstrate: changes.demonstrate,
    test_plan: changes.testPlan,
    size: changes.size,
    complexity: changes.complexity,
    class_of_service: changes.classOfService,
    draft: changes.draft,
    readiness_score: changes.readinessScore,
    tracker_platform: tracker?.platform,
    tracker_key: tracker?.key,
    tracker_url: tracker?.url,
    written_at: changes.writtenAt,
    approved_at: changes.approvedAt,
    rejected_at: changes.rejectedAt,
    returned_note: changes.returnedNote,
    column_id:
      column &&
      sql`(select c.id from columns c
        where c.workspace_id = s.workspace_id and c.team_id = s.team_id and c.role = ${column})`,
    updated_at: at,
  })
  await sql`update stories s set ${changed} where s.workspace_id = ${workspaceId} and s.id = ${id}`.execute(
    tx,
  )
}

const criteria = statement<{ criteria: AcceptanceCriterion[] }>(`
  select acceptance_criteria as criteria from stories where workspace_id = :workspaceId and id = :id`)

export async function selectCriteria(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<AcceptanceCriterion[]> {
  return (await read(tx, criteria, { workspaceId, id }))[0]!.criteria
}

export async function updateCriteria(
  tx: Tx,
  workspaceId: string,
  id: string,
  criteria: AcceptanceCriterion[],
  at: Date,
): Promise<void> {
  await sql`
    update stories set acceptance_criteria = ${JSON.stringify(criteria)}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

const isMirrored = statement(`
  select from mirrored_stories m
  join team_trackers b on b.workspace_id = m.workspace_id and b.team_id = m.team_id
    and b.connection_id = m.connection_id and b.project_id = m.project_id
  where m.workspace_id = :workspaceId and m.story_id = :storyId and m.issue_id is not null`)

/** Whether what is changed here is written to an issue. */
export async function selectIsMirrored(tx: Tx, workspaceId: string, storyId: string): Promise<boolean> {
  return (await read(tx, isMirrored, { workspaceId, storyId })).length > 0
}

const hasTracker = statement(`
  select from team_trackers where workspace_id = :workspaceId and team_id = :teamId`)

/** Whether a team's stories are issues of a tracker. */
export async function selectHasTracker(tx: Tx, workspaceId: string, teamId: string): Promise<boolean> {
  return (await read(tx, hasTracker, { workspaceId, teamId })).length > 0
}

const openRun = statement<{ key: string }>(`
  select key from runs
  where workspace_id = :workspaceId and story_id = :storyId
    and phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

/** The run that works on the story, or waits to. */
export async function selectOpenRun(
  tx: Tx,
  workspaceId: string,
  storyId: string,
): Promise<{ key: string } | undefined> {
  return (await read(tx, openRun, { workspaceId, storyId }))[0]
}

const teamOf = statement<{ teamId: string }>(`
  select team_id as "teamId" from stories where workspace_id = :workspaceId and id = :storyId`)

export async function selectTeamIdOf(tx: Tx, workspaceId: string, storyId: string): Promise<string> {
  return (await read(tx, teamOf, { workspaceId, storyId }))[0]!.teamId
}

// What was drafted without a person belongs to whoever wrote the requirement.
const filer = statement<{ personId: string; role: Role }>(`
  select m.person_id as "personId", m.role
  from stories s
  left join requirements q on q.workspace_id = s.workspace_id and q.id = s.requirement_id
  join memberships m on m.workspace_id = s.workspace_id and m.person_id = coalesce(q.submitted_by, s.filed_by)
  where s.workspace_id = :workspaceId and s.id = :storyId`)

export async function selectFiler(tx: Tx, workspaceId: string, storyId: string) {
  return (await read(tx, filer, { workspaceId, storyId }))[0]
}

/** The keys that were there before; undefined: they are the same, or the story is gone. */
export async function updateBlockers(
  tx: Tx,
  workspaceId: string,
  id: string,
  keys: readonly string[],
  at: Date,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ before: string[] }>`
    update stories s set blocked_by = ${keys}::text[], updated_at = ${at}
    from (select blocked_by from stories where workspace_id = ${workspaceId} and id = ${id}) as former
    where s.workspace_id = ${workspaceId} and s.id = ${id} and s.blocked_by is distinct from ${keys}::text[]
    returning former.blocked_by as before
  `.execute(tx)
  return rows[0]?.before
}

const blocked = statement<{ id: string }>(`
  select id from stories
  where workspace_id = :workspaceId and team_id = :teamId and blocked_by <> '{}' and rejected_at is null
  order by id
  limit #rows`)

/** Stories of a team that something blocks. */
export async function selectBlocked(db: Db, workspaceId: string, teamId: string, rows: number) {
  return (await read(db, blocked, { workspaceId, teamId, rows })).map(({ id }) => id)
}
