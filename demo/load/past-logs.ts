import { coloursOf } from '@signalbox/contract/line-colours.ts'
import { runStages } from '@signalbox/contract/run.ts'
import { visible } from '@signalbox/contract/visible.ts'
import type { Tx } from '../../server/infra/db/db.ts'
import { tables } from '../../server/test/tables.ts'
import { checkout, failing, failingSpec, gating, type Printing, reading, testing } from '../play/printed.ts'
import type { DemoRun, DemoStory, DemoTeam } from '../script.ts'
import type { Past } from './past.ts'

interface PastLine {
  attempt: number
  at: Date
  text: string
  colours: string | null
}

/** What the runs from before the demo began have printed: by attempt, as far as each came. */
export async function insertPastLog(
  tx: Tx,
  past: Past,
  { id, key }: { id: string; key: string },
  team: DemoTeam,
  run: DemoRun,
  story: DemoStory,
): Promise<void> {
  const lines = run.attempts.flatMap((attempt, index): PastLine[] => {
    if (attempt.startedMinutesAgo === undefined) return []
    const texts = printedBy(key, team, run, story, index)
    const [from, to] = [attempt.startedMinutesAgo, attempt.completedMinutesAgo ?? 0]
    return texts.map((text, line) => ({
      attempt: index + 1,
      at: past.at(from - ((from - to) * (line + 1)) / (texts.length + 1)),
      text: visible(text),
      colours: coloursOf(text, visible(text)),
    }))
  })
  if (lines.length === 0) return
  await tables(tx)
    .insertInto('run_log_ends')
    .values({
      run_id: id,
      workspace_id: past.workspaceId,
      lines: lines.length,
      bytes: lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      fence: 0,
      chunk: 0,
      is_full: false,
    })
    .execute()
  await tables(tx)
    .insertInto('run_log')
    .values(
      lines.map((line, index) => ({
        workspace_id: past.workspaceId,
        run_id: id,
        position: index + 1,
        ...line,
      })),
    )
    .execute()
}

function printedBy(key: string, team: DemoTeam, run: DemoRun, story: DemoStory, index: number): string[] {
  const attempt = run.attempts[index]!
  const order: Printing = {
    run: key,
    attempt: index + 1,
    stage: attempt.stage,
    team: team.slug,
    guidance: [],
    story: {
      acceptanceCriteria: story.acceptanceCriteria.map((text, index) => ({
        id: `ac-${index + 1}`,
        text,
        status: 'unverified',
        verifiedAt: null,
      })),
    },
  }
  const reached = runStages.indexOf(attempt.stage)
  const failed = attempt.verification?.gates.filter(({ result }) => result === 'failed').length ?? 0
  return [
    ...checkout(order, run.evidence?.commit ?? '4f1c09d27ab3'),
    ...reading('src'),
    ...(reached >= 1 ? failingSpec(order) : []),
    ...(reached >= 2 ? testing(order, failed) : []),
    // What evidence quotes as a proof is a line of the log.
    ...(run.evidence && attempt === run.attempts.at(-1)
      ? run.evidence.criteria.map(({ proof }) => proof)
      : []),
    ...(attempt.verification ? gating(attempt.verification.gates) : []),
    ...(attempt.failureClass && attempt.error ? failing(attempt.error) : []),
  ]
}
