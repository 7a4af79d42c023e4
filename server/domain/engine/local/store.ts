import type { HandOff, ReportEvidence, ReportProgress } from '@signalbox/contract/local-work.ts'
import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import { read, type Tx } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

export const insertLocalWork = writes.run<Sql.InsertLocalWork>('workspaceId, ...work')(`
  insert into local_work (workspace_id, run_id, attempt, person_id, agent, begun_at)
  values (:workspaceId, :runId, :attempt, :personId, :agent?, :at)`)

/** What was said last takes the place of what was said before. */
export const updateLocalWork = writes.run<
  Sql.UpdateLocalWork,
  Nothing,
  {
    progress?: ReportProgress & { at: string }
    evidence?: ReportEvidence & { at: string }
    handedOff?: HandOff & { at: string }
  }
>('workspaceId, { id, attempt }, { progress, evidence, handedOff }')(`
  update local_work set run_id = run_id
    [[, progress = :{progress}]] [[, evidence = :{evidence}]] [[, handed_off = :{handedOff}]]
  where workspace_id = :workspaceId and run_id = :id and attempt = :attempt`)

/** The run that works on a story, or waits to, and the person who has it where one has. */
export const selectOpenWork = reads.one<Sql.SelectOpenWork>('workspaceId, storyId')(`
  select r.key as run, o.person_id as "personId" from runs r
  left join work_orders o on o.workspace_id = r.workspace_id and o.run_id = r.id and o.state <> 'ended'
  where r.workspace_id = :workspaceId and r.story_id = :storyId
    and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

/** A story by its key, with its team, without a lock. */
export const selectTeamOfStory = reads.one<Sql.SelectTeamOfStory>('workspaceId, key')(`
  select id, team_id as "teamId" from stories
  where workspace_id = :workspaceId and key = :key and rejected_at is null`)

const said = statement<Sql.Said, { evidence: ReportEvidence | null; criteria: AcceptanceCriterion[] }>(`
  select l.evidence, s.acceptance_criteria as criteria from local_work l
  join runs r on r.workspace_id = l.workspace_id and r.id = l.run_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  where l.workspace_id = :workspaceId and l.run_id = :id and l.attempt = :attempt`)

/** The evidence that was reported so far, and the criteria it is about. */
export async function selectReported(
  tx: Tx,
  workspaceId: string,
  { id, attempt }: { id: string; attempt: number },
) {
  return (await read(tx, said, { workspaceId, id, attempt }))[0]
}
