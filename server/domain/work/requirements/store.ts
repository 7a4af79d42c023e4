import type { Draft, RequirementPage, RequirementRow } from '@signalbox/contract/app/requirements.ts'
import type { ClarifyingQuestion, Requirement } from '@signalbox/contract/requirement.ts'
import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import { type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type * as Sql from './store.types.ts'

const rendered = `
  select q.id, (select row_to_json(requirement) from (select
    q.slug,
    t.slug as team,
    q.text,
    q.status,
    q.questions,
    q.notes,
    array(
      select s.key from stories s
      where s.workspace_id = q.workspace_id and s.requirement_id = q.id and s.rejected_at is null
      order by s.id
    ) as drafts,
    iso(q.created_at) as "createdAt"
  ) as requirement)::text as json
  from requirements q
  join teams t on t.workspace_id = q.workspace_id and t.id = q.team_id
`

export const selectRequirement = reads.one<Sql.SelectRequirement, Rendered<Requirement>>(
  'workspaceId, slug',
)(`
  ${rendered}
  where q.workspace_id = :workspaceId and q.slug = :slug`)

/** Whether a team's stories are issues of a tracker. */
export const selectIsBound = reads.exists<Sql.SelectIsBound>('workspaceId, team')(`
  select from team_trackers b join teams t on t.workspace_id = b.workspace_id and t.id = b.team_id
  where b.workspace_id = :workspaceId and t.slug = :team`)

/** Of a story `s`: one that came from the tracker was written there to begin with. */
const written = '(s.written_at is not null or s.tracker_key is not null)'

export const selectRequirementRows = reads.many<Sql.SelectRequirementRows, Rendered<RequirementRow>>(
  'workspaceId, { team, status }, { after, rows }',
)(`
  select q.id, (select row_to_json(requirement) from (select
    q.slug,
    t.slug as team,
    left(q.text, 200) as opening,
    q.status,
    (select count(*) from jsonb_array_elements(q.questions) as asked where asked ->> 'answer' is null) as "openQuestions",
    counted.drafts,
    counted.ready,
    counted.approved,
    counted.written,
    (select p.name from people p where p.id = q.submitted_by) as "submittedBy",
    iso(q.created_at) as "createdAt"
  ) as requirement)::text as json
  from requirements q
  join teams t on t.workspace_id = q.workspace_id and t.id = q.team_id
  cross join lateral (
    select
      count(*) filter (where s.draft) as drafts,
      count(*) filter (where s.draft and s.readiness_score = 100) as ready,
      count(*) filter (where not s.draft and not ${written}) as approved,
      count(*) filter (where ${written}) as written
    from stories s
    where s.workspace_id = q.workspace_id and s.requirement_id = q.id and s.rejected_at is null
  ) as counted
  where q.workspace_id = :workspaceId and t.deleted_at is null
    [[and q.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and q.status = :status]]
    [[and q.id < :after]]
  order by q.id desc
  limit #rows`)

/** A story of a requirement, with what the tracker said of it; what it lacks is told by the rules. */
export type DraftRow = Omit<Draft, 'missing' | 'state'> & { draft: boolean; written: boolean; asked: boolean }

export const selectRequirementPage = reads.one<
  Sql.SelectRequirementPage,
  Omit<RequirementPage, 'hasTracker' | 'drafts'> & { drafts: DraftRow[] }
>('workspaceId, slug')(`
  select
    q.slug, t.slug as team, q.text, q.status, q.questions, q.notes,
    (select p.name from people p where p.id = q.submitted_by) as "submittedBy",
    (
      select coalesce(json_agg(row_to_json(story) order by story.position), '[]') from (
        select
          s.key, s.title, s.description, s.acceptance_criteria as "acceptanceCriteria", s.demonstrate,
          s.test_plan as "testPlan", s.size,
          s.complexity, s.class_of_service as "classOfService", s.readiness_score as "readinessScore", s.draft,
          ${written} as written, s.id as position,
          case when s.tracker_key is not null then
            json_build_object('platform', s.tracker_platform, 'key', s.tracker_key, 'url', s.tracker_url)
          end as tracker,
          e.id is not null as asked,
          case when e.last_error is not null then
            json_build_object('message', e.last_error, 'attempts', e.attempts, 'nextAt', iso(e.due_at))
          end as failure,
          iso(s.updated_at) as "updatedAt"
        from stories s
        left join effects e on e.workspace_id = s.workspace_id and e.key = 'write_story/' || s.id
        where s.workspace_id = q.workspace_id and s.requirement_id = q.id and s.rejected_at is null
      ) as story
    ) as drafts,
    iso(q.created_at) as "createdAt"
  from requirements q
  join teams t on t.workspace_id = q.workspace_id and t.id = q.team_id
  where q.workspace_id = :workspaceId and q.slug = :slug`)

export interface NewRequirement {
  id: string
  slug: string
  teamId: string
  text: string
  status: Requirement['status']
  questions: ClarifyingQuestion[]
  splitter: string
  notes: string[]
  submittedBy: string | null
  at: Date
}

export const insertRequirement = writes.run<Sql.InsertRequirement, Nothing, NewRequirement>(
  'workspaceId, ...requirement',
)(`
  insert into requirements (id, workspace_id, team_id, slug, text, status, questions, splitter, notes,
    submitted_by, created_at, updated_at)
  values (:id, :workspaceId, :teamId, :slug, :text, :status, :{questions}, :splitter,
    :{notes}, :submittedBy?, :at, :at)`)

/** A requirement, locked for a change. */
export interface LockedRequirement {
  id: string
  slug: string
  text: string
  status: Requirement['status']
  questions: ClarifyingQuestion[]
  team: { id: string; slug: string; keyPrefix: string; name: string; description: string | null }
}

/**
 * Held for the length of the transaction; its key stays free, so that stories can refer to it. One of a
 * deleted team can still be read, but nothing more comes of it.
 */
export const selectRequirementForUpdate = writes.one<Sql.SelectRequirementForUpdate, LockedRequirement>(
  'workspaceId, slug',
)(`
  select q.id, q.slug, q.text, q.status, q.questions, json_build_object(
    'id', t.id, 'slug', t.slug, 'keyPrefix', t.key_prefix, 'name', t.name, 'description', t.description
  ) as team
  from requirements q
  join teams t on t.workspace_id = q.workspace_id and t.id = q.team_id
  where q.workspace_id = :workspaceId and q.slug = :slug and t.deleted_at is null
  for no key update of q`)

export const updateRequirement = writes.run<
  Sql.UpdateRequirement,
  Nothing,
  { status?: Requirement['status']; questions?: ClarifyingQuestion[]; notes?: string[] }
>('workspaceId, id, { status, questions, notes, splitter }, at')(`
  update requirements set updated_at = :at
    [[, status = :status]] [[, questions = :{questions}]] [[, notes = :{notes}]] [[, splitter = :splitter]]
  where workspace_id = :workspaceId and id = :id`)

export const lockRequirementById = writes.run<Sql.LockRequirementById>('workspaceId, id')(`
  select from requirements where workspace_id = :workspaceId and id = :id for no key update`)

const closeSettledSql = statement<Sql.CloseSettled>(`
  update requirements set status = 'closed', updated_at = :at
  where workspace_id = :workspaceId and id = :id and status = 'drafted' and not exists (
    select from stories s
    where s.workspace_id = :workspaceId and s.requirement_id = :id and s.rejected_at is null and not ${written}
  )`)

/**
 * Closes a requirement once every story is rejected or written. It is locked first: if two people settle its last
 * stories at the same time, the second sees what the first did.
 */
export async function closeSettled(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await lockRequirementById(tx, workspaceId, id)
  await write(tx, closeSettledSql, { workspaceId, id, at })
}

/** Approved stories of the requirement that are not written yet. */
export const selectUnwritten = reads.many<Sql.SelectUnwritten>('workspaceId, id')(`
  select s.id, s.key, s.title from stories s
  where s.workspace_id = :workspaceId and s.requirement_id = :id and s.approved_at is not null and not ${written}
  order by s.id`)

export interface Writing {
  key: string
  team: { id: string; slug: string }
  title: string
  description: string
  acceptanceCriteria: AcceptanceCriterion[]
  demonstrate: string | null
  testPlan: string | null
  isWritten: boolean
  requirement: { id: string; slug: string } | null
}

/** What is written of a story into the tracker. */
export const selectWriting = reads.one<Sql.SelectWriting, Writing>('workspaceId, id')(`
  select s.key, json_build_object('id', t.id, 'slug', t.slug) as team, s.title, s.description, s.acceptance_criteria as "acceptanceCriteria",
    s.demonstrate, s.test_plan as "testPlan", ${written} as "isWritten",
    (select json_build_object('id', q.id, 'slug', q.slug) from requirements q
      where q.workspace_id = s.workspace_id and q.id = s.requirement_id) as requirement
  from stories s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
  where s.workspace_id = :workspaceId and s.id = :id and t.deleted_at is null`)

/** Whether a chat tool shows it somewhere. */
export const isInChat = reads.exists<Sql.IsInChat>('workspaceId, slug')(`
  select from chat_messages where workspace_id = :workspaceId and subject = :slug limit 1`)
