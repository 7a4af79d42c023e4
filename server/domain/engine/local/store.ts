import type { HandOff, ReportEvidence, ReportProgress } from '@signalbox/contract/local-work.ts'
import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import { sql } from 'kysely'
import { assignments } from '../../../infra/db/assignments.ts'
import { read, type Tx } from '../../../infra/db/db.ts'
import { statement } from '../../../infra/db/statement.ts'
import type { LocalWork } from '../../../infra/db/tables.ts'

export async function insertLocalWork(
  tx: Tx,
  workspaceId: string,
  work: { runId: string; attempt: number; personId: string; agent: string | null; at: Date },
): Promise<void> {
  await sql`
    insert into local_work (workspace_id, run_id, attempt, person_id, agent, begun_at)
    values (${workspaceId}, ${work.runId}, ${work.attempt}, ${work.personId}, ${work.agent}, ${work.at})
  `.execute(tx)
}

/** What was said last takes the place of what was said before. */
export async function updateLocalWork(
  tx: Tx,
  workspaceId: string,
  { id, attempt }: { id: string; attempt: number },
  said: {
    progress?: ReportProgress & { at: string }
    evidence?: ReportEvidence & { at: string }
    handedOff?: HandOff & { at: string }
  },
): Promise<void> {
  const { progress, evidence, handedOff } = said
  const changes = assignments<LocalWork>({
    progress: progress && JSON.stringify(progress),
    evidence: evidence && JSON.stringify(evidence),
    handed_off: handedOff && JSON.stringify(handedOff),
  })
  await sql`
    update local_work set ${changes}
    where workspace_id = ${workspaceId} and run_id = ${id} and attempt = ${attempt}
  `.execute(tx)
}

const openWork = statement<{ run: string; personId: string | null }>(`
  select r.key as run, o.person_id as "personId" from runs r
  left join work_orders o on o.workspace_id = r.workspace_id and o.run_id = r.id and o.state <> 'ended'
  where r.workspace_id = :workspaceId and r.story_id = :storyId
    and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

/** The run that works on a story, or waits to, and the person who has it where one has. */
export async function selectOpenWork(tx: Tx, workspaceId: string, storyId: string) {
  return (await read(tx, openWork, { workspaceId, storyId }))[0]
}

const teamOf = statement<{ id: string; teamId: string }>(`
  select id, team_id as "teamId" from stories
  where workspace_id = :workspaceId and key = :key and rejected_at is null`)

/** A story by its key, with its team, held by nobody. */
export async function selectTeamOfStory(
  tx: Tx,
  workspaceId: string,
  key: string,
): Promise<{ id: string; teamId: string } | undefined> {
  return (await read(tx, teamOf, { workspaceId, key }))[0]
}

const said = statement<{ evidence: ReportEvidence | null; criteria: AcceptanceCriterion[] }>(`
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
