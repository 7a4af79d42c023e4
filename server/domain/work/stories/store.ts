import type {
  BoardColumn,
  boardSorts,
  Obstacle,
  StoryPage,
  StoryRow,
} from '@signalbox/contract/app/stories.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { AcceptanceCriterion, Story, StoryListed } from '@signalbox/contract/story.ts'
import { type Db, read, readApart, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../../page.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { localHolder } from './local-holder.ts'
import { shortcoming } from './shortcoming.ts'
import type * as Sql from './store.types.ts'

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

const page = statement<Sql.Page, Rendered<StoryListed>>(`
  select s.id, (select row_to_json(story) from (select ${listed}) as story)::text as json
  from ${source}
  where s.workspace_id = :workspaceId
    and s.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team and deleted_at is null)
    and s.rejected_at is null
    [[and s.draft = :draft]]
    [[and s.id < :after]]
  order by s.id desc
  limit #rows`)

const obstacle = (by: string, reason: string) => `jsonb_build_object('by', '${by}', 'reason', ${reason})`

// The team's obstacles are passed in, because the dispatcher knows them. A run that waits for its turn has noted why.
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
        ${obstacle('blocked', `case when s.blocked_by = '{}' then 'Checking the tracker for issues that block it.' else 'Blocked by ' || array_to_string(s.blocked_by, ', ') || '.' end`)}
      ) || :obstacles
      else :obstacles::jsonb
    end
  else '[]' end as "heldBy"
`

const oldestWaiting = (column: string) => `(
    select ${column} from decisions d
    where d.workspace_id = s.workspace_id and d.story_id = s.id and d.status = 'pending'
    order by d.id
    limit 1
  )`

const spent = `(select sum(cost_cents) from attempts where workspace_id = r.workspace_id and run_id = r.id)`

// What a run is at is told by its phase; its status is that of its newest attempt.
const card = `
  ${listed},
  (select row_to_json(run) from (
    select r.key, a.status, a.stage, r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped') as open,
      a.executor, ${spent} as "costCents", iso(r.created_at) as "createdAt", ${localHolder} as local
    from runs r
    join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
    where r.workspace_id = s.workspace_id and r.story_id = s.id
    order by r.id desc
    limit 1
  ) as run) as run,
  ${oldestWaiting('d.key')} as waiting,
  ${oldestWaiting('d.kind')} as "waitingFor",
  ${heldBy}
`

export interface StoryRowFilter {
  team: string
  drafts: boolean
  q?: string | undefined
  size?: StoryListed['size'] | undefined
  /** Filed or asked for by this person, or worked on by them on their own machine. */
  mine?: string | undefined
  /** Of a list; a board shows them all. */
  column?: StoryListed['column']['role'] | undefined
}

/** Of a board: in which order each column has its stories. */
export interface BoardFilter extends StoryRowFilter {
  sort?: (typeof boardSorts)[number] | undefined
}

const matching = `
    and s.rejected_at is null
    [[and not s.draft and :onlyApproved]]
    [[and s.size = :size]]
    [[and (
      coalesce(
        (select q.submitted_by from requirements q where q.workspace_id = s.workspace_id and q.id = s.requirement_id),
        s.filed_by
      ) = :mine
      or exists (
        select from runs r
        join local_work l on l.workspace_id = r.workspace_id and l.run_id = r.id
        where r.workspace_id = s.workspace_id and r.story_id = s.id and l.person_id = :mine
      )
    )]]
    [[and (s.title ilike :like or s.key ilike :like)]]
`

/** The filter as the two statements below take it. What was typed is text, not a pattern. */
const parametersOf = ({ team, drafts, q, size, mine }: StoryRowFilter, obstacles: Obstacle[]) => ({
  team,
  mine,
  obstacles: JSON.stringify(obstacles),
  onlyApproved: drafts ? undefined : true,
  size,
  like: q ? `%${q.replaceAll(/[\\%_]/g, '\\$&')}%` : undefined,
})

const cardPage = statement<Sql.CardPage, Rendered<StoryRow>>(`
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

const inColumn = `s.workspace_id = c.workspace_id and s.team_id = c.team_id and s.column_id = c.id ${matching}`

/** Only the one that was asked for is part of the statement, so that the others do not cost the index. */
const sorts = `
  [[case when :byUpdate then s.updated_at end desc,]]
  [[case when :byAge then s.created_at end desc,]]
  [[case when :byReadiness then s.readiness_score end desc,]]
`

// In the order in which Ready stories are taken; what is done, newest first.
const cards = `
  select coalesce(json_agg(row_to_json(listed)), '[]') from (
    (select ${card} from stories s where c.role <> 'done' and ${inColumn}
     order by ${sorts} s.class_of_service <> 'expedite', s.created_at, s.id
     limit #cards)
    union all
    (select ${card} from stories s where c.role = 'done' and ${inColumn}
     order by ${sorts} s.updated_at desc, s.class_of_service <> 'expedite', s.created_at, s.id
     limit #cards)
  ) as listed
`

const columnsOfTeam = `
  columns c
  join teams t on t.workspace_id = c.workspace_id and t.id = c.team_id
  where c.workspace_id = :workspaceId and t.slug = :team and t.deleted_at is null
  order by c.position
`

const board = statement<Sql.Board, Rendered<BoardColumn>>(`
  select c.id, (select row_to_json(col) from (select c.id, c.name, c.role,
    (
      select coalesce(sum(n.amount), 0)::int from story_counts n
      where n.workspace_id = c.workspace_id and n.team_id = c.team_id and n.column_id = c.id
        [[and not n.draft and :onlyApproved]] [[and n.size = :size]]
    ) as total,
    (${cards}) as stories
  ) as col)::text as json
  from ${columnsOfTeam}`)

// How many have some words in their title, or are someone's, is not kept.
const boardFound = statement<Sql.BoardFound, Rendered<BoardColumn>>(`
  select c.id, (select row_to_json(col) from (select c.id, c.name, c.role,
    (select count(*)::int from stories s where ${inColumn}) as total,
    (${cards}) as stories
  ) as col)::text as json
  from ${columnsOfTeam}`)

export async function selectBoard(
  db: Db,
  workspaceId: string,
  filter: BoardFilter,
  cards: number,
  obstacles: Obstacle[],
): Promise<readonly Rendered<BoardColumn>[]> {
  const { sort } = filter
  const wanted = (name: typeof sort) => (sort === name ? true : undefined)
  const parameters = {
    workspaceId,
    ...parametersOf(filter, obstacles),
    byUpdate: wanted('updated'),
    byAge: wanted('newest'),
    byReadiness: wanted('readiness'),
    cards,
  }
  const isCounted = parameters.like === undefined && parameters.mine === undefined
  return readApart(db, isCounted ? board : boardFound, parameters)
}

const opened = statement<Sql.Opened, Rendered<Omit<StoryPage, 'missing' | 'mirror'>>>(`
  select s.id, (select row_to_json(story) from (select
    ${listed},
    s.description,
    s.acceptance_criteria as "acceptanceCriteria",
    t.name as "teamName",
    s.demonstrate,
    s.test_plan as "testPlan",
    s.returned_note as "returnedNote",
    s.repositories,
    array(
      select tr.name from team_repositories tr
      where tr.workspace_id = s.workspace_id and tr.team_id = s.team_id
      order by tr.name
    ) as "teamRepositories",
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
          ${spent} as "costCents", ${localHolder} as local, a.failure_class as "failureClass", iso(r.created_at) as "createdAt", iso(a.completed_at) as "completedAt"
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

export const selectStory = reads.one<Sql.SelectStory, Rendered<Story>>('workspaceId, key')(`
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

/** The team's next story number. Two people who file at the same time wait for each other here. */
export const takeStoryNumber = (tx: Tx, workspaceId: string, teamId: string): Promise<number> =>
  takeStoryNumbers(tx, workspaceId, teamId, 1)

/** The same for several in a row: the last of them. */
export const takeStoryNumbers = writes.onlyValue<Sql.TakeStoryNumbers>('workspaceId, teamId, count')(`
  update teams set last_story_number = last_story_number + :count
  where workspace_id = :workspaceId and id = :teamId
  returning last_story_number as number`)

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

const insertStorySql = statement<Sql.InsertStory>(`
  insert into stories (id, workspace_id, team_id, key, title, description, acceptance_criteria, demonstrate,
    test_plan, column_id, draft, readiness_score, size, complexity, class_of_service, requirement_id, filed_by, created_at,
    updated_at)
  values (:id, :workspaceId, :teamId, :key, :title, :description, :acceptanceCriteria, :demonstrate?,
    :testPlan?,
    (select id from columns where workspace_id = :workspaceId and team_id = :teamId and role = :column), :draft,
    :readinessScore, :size?, :complexity?, :classOfService, :requirementId?, :filedBy?, :at, :at)`)

export async function insertStory(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  story: NewStory,
): Promise<void> {
  await write(
    tx,
    insertStorySql,
    handedIn({
      ...story,
      workspaceId,
      teamId,
      acceptanceCriteria: JSON.stringify(story.acceptanceCriteria),
      testPlan: story.testPlan,
      requirementId: story.requirementId,
    }),
  )
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

/** Inserts several together, as a tracker delivers them. */
export const insertMirroredStories = writes.run<
  Sql.InsertMirroredStories,
  Nothing,
  { stories: FiledStory[] }
>('workspaceId, teamId, stories, at')(`
  insert into stories (id, workspace_id, team_id, key, title, description, acceptance_criteria, demonstrate,
    test_plan, column_id, draft, readiness_score, size, complexity, class_of_service, tracker_platform, tracker_key,
    tracker_url, created_at, updated_at)
  select s.id, :workspaceId, :teamId, s.key, s.title, s.description, s."acceptanceCriteria", s.demonstrate,
    s."testPlan", c.id, false, s."readinessScore", s.size, s.complexity, s."classOfService", s.tracker ->> 'platform',
    s.tracker ->> 'key', s.tracker ->> 'url', :at, :at
  from jsonb_to_recordset(:{stories}::jsonb) as s (id uuid, key text, title text, description text,
    "acceptanceCriteria" jsonb, demonstrate text, "testPlan" text, "column" text, "readinessScore" integer,
    size text, complexity text, "classOfService" text, tracker jsonb)
  join columns c on c.workspace_id = :workspaceId and c.team_id = :teamId and c.role = s."column"`)

const repositories = statement<Sql.Repositories>(`
  select repositories from stories where workspace_id = :workspaceId and id = :id`)

/** Which of its team's repositories a story is about; null: all of them. */
export async function selectStoryRepositories(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<string[] | null> {
  return (await read(tx, repositories, { workspaceId, id }))[0]?.repositories ?? null
}

export const updateStoryRepositories = writes.run<Sql.UpdateStoryRepositories>('workspaceId, id, names, at')(`
  update stories set repositories = :names?, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

/** A story, locked for a change. */
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

/**
 * Locked for the length of the transaction; a rejected draft is not found. There is no join: if the story was moved
 * while this waited for the lock, it would no longer match its old column, and no row would be returned.
 */
export const selectStoryForUpdate = writes.one<
  Sql.SelectStoryForUpdate,
  LockedStory,
  { key: string } | { id: string }
>('workspaceId, ...by')(`
  select s.id, s.key, s.title, s.description, s.acceptance_criteria as "acceptanceCriteria", s.demonstrate,
    s.test_plan as "testPlan", s.size, s.complexity, s.class_of_service as "classOfService", s.draft,
    (select t.slug from teams t where t.id = s.team_id) as "team!",
    (select c.role from columns c where c.id = s.column_id) as "column!",
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

const updateStorySql = statement<Sql.UpdateStory>(`
  update stories s set updated_at = :at
    [[, title = :title]] [[, description = :description]] [[, acceptance_criteria = :acceptanceCriteria]]
    [[, demonstrate = :demonstrate?]] [[, test_plan = :testPlan?]] [[, size = :size?]]
    [[, complexity = :complexity?]] [[, class_of_service = :classOfService]] [[, draft = :draft]]
    [[, readiness_score = :readinessScore]] [[, tracker_platform = :trackerPlatform]]
    [[, tracker_key = :trackerKey]] [[, tracker_url = :trackerUrl?]] [[, written_at = :writtenAt]]
    [[, approved_at = :approvedAt]] [[, rejected_at = :rejectedAt]] [[, returned_note = :returnedNote?]]
    [[, column_id = (
      select c.id from columns c
      where c.workspace_id = s.workspace_id and c.team_id = s.team_id and c.role = :column
    )]]
  where s.workspace_id = :workspaceId and s.id = :id`)

export async function updateStory(
  tx: Tx,
  workspaceId: string,
  id: string,
  changes: StoryChanges,
  at: Date,
): Promise<void> {
  const { acceptanceCriteria, tracker, ...others } = changes
  await write(
    tx,
    updateStorySql,
    handedIn({
      ...others,
      ...{ workspaceId, id, at },
      acceptanceCriteria: acceptanceCriteria && JSON.stringify(acceptanceCriteria),
      trackerPlatform: tracker?.platform,
      trackerKey: tracker?.key,
      trackerUrl: tracker?.url,
    }),
  )
}

export const selectCriteria = reads.onlyValue<Sql.SelectCriteria, { criteria: AcceptanceCriterion[] }>(
  'workspaceId, id',
)(`
  select acceptance_criteria as criteria from stories where workspace_id = :workspaceId and id = :id`)

export const updateCriteria = writes.run<Sql.UpdateCriteria, Nothing, { criteria: AcceptanceCriterion[] }>(
  'workspaceId, id, criteria, at',
)(`
  update stories set acceptance_criteria = :{criteria}, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

/** Whether what is changed here is written to an issue. */
export const selectIsMirrored = reads.exists<Sql.SelectIsMirrored>('workspaceId, storyId')(`
  select from mirrored_stories m
  join team_trackers b on b.workspace_id = m.workspace_id and b.team_id = m.team_id
    and b.connection_id = m.connection_id and b.project_id = m.project_id
  where m.workspace_id = :workspaceId and m.story_id = :storyId and m.issue_id is not null`)

/** Whether a team's stories are issues of a tracker. */
export const selectHasTracker = reads.exists<Sql.SelectHasTracker>('workspaceId, teamId')(`
  select from team_trackers where workspace_id = :workspaceId and team_id = :teamId`)

/** The run that works on the story, or waits to. */
export const selectOpenRun = reads.one<Sql.SelectOpenRun>('workspaceId, storyId')(`
  select key from runs
  where workspace_id = :workspaceId and story_id = :storyId
    and phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

export const selectTeamIdOf = reads.onlyValue<Sql.SelectTeamIdOf>('workspaceId, storyId')(`
  select team_id as "teamId" from stories where workspace_id = :workspaceId and id = :storyId`)

// A story drafted from a requirement belongs to the person who submitted the requirement.
export const selectFiler = reads.one<Sql.SelectFiler, { personId: string; role: Role }>(
  'workspaceId, storyId',
)(`
  select m.person_id as "personId", m.role
  from stories s
  left join requirements q on q.workspace_id = s.workspace_id and q.id = s.requirement_id
  join memberships m on m.workspace_id = s.workspace_id and m.person_id = coalesce(q.submitted_by, s.filed_by)
  where s.workspace_id = :workspaceId and s.id = :storyId`)

/** The keys that were there before; undefined: they are the same and were known, or the story is gone. */
export const updateBlockers = writes.value<Sql.UpdateBlockers>('workspaceId, id, keys, at')(`
  update stories s set blocked_by = :keys::text[], blockers_unread = false, updated_at = :at
  from (select blocked_by from stories where workspace_id = :workspaceId and id = :id) as former
  where s.workspace_id = :workspaceId and s.id = :id
    and (s.blocked_by is distinct from :keys::text[] or s.blockers_unread)
  returning former.blocked_by as before`)

/** What blocks these has not been read, or could not be. */
export const updateBlockersUnread = writes.run<Sql.UpdateBlockersUnread>('workspaceId, ids')(`
  update stories set blockers_unread = true
  where workspace_id = :workspaceId and id = any (:ids::uuid[]) and not blockers_unread`)

/**
 * Stories of a team that something blocks, or of which that is not known and which would be started: those that were
 * asked about longest ago. They are noted as asked about.
 */
export const takeBlocked = writes.column<Sql.TakeBlocked>('workspaceId, teamId, at, rows')(`
  update stories set blockers_asked_at = :at
  where workspace_id = :workspaceId and id in (
    select s.id from stories s
    join columns c on c.workspace_id = s.workspace_id and c.id = s.column_id
    where s.workspace_id = :workspaceId and s.team_id = :teamId and s.rejected_at is null
      and (s.blocked_by <> '{}' or s.blockers_unread and c.role = 'ready')
    order by s.blockers_asked_at nulls first, s.id
    limit #rows
  )
  returning id`)
