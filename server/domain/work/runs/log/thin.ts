import type { Tx } from '../../../../infra/db/db.ts'
import { firstIdAt } from '../../../../infra/ids.ts'
import { deleteLinesAfter, insertKeptLines, lockOldLogs, selectLastLines, updateSwept } from './store.ts'

/** What is left of a log: its beginning and its end, where people look first. */
export interface Thinning {
  swept: 'thinned' | 'removed'
  head: number
  tail: number
}

export const thinned: Thinning = { swept: 'thinned', head: 100, tail: 400 }
export const removed: Thinning = { swept: 'removed', head: 0, tail: 0 }

const runsAtATime = 100

/**
 * Takes lines out of logs of runs that are over and were last written to before then. One line says how many are gone.
 * Those behind it are numbered again: readers count on numbers without a gap. Returns how many lines that were.
 */
export async function thinLogs(
  tx: Tx,
  workspaceId: string,
  before: Date,
  { swept, head, tail }: Thinning,
): Promise<number> {
  let gone = 0
  for (const { runId, lines } of await lockOldLogs(tx, workspaceId, {
    ...{ swept, before, beforeId: firstIdAt(before), most: runsAtATime },
  })) {
    const excess = lines - head - tail
    // One line is written for those that go.
    if (excess <= 1) {
      await updateSwept(tx, workspaceId, runId, { swept, lines })
      continue
    }
    const kept = await selectLastLines(tx, workspaceId, runId, lines - tail - 1)
    const [last, ...rest] = kept
    await deleteLinesAfter(tx, workspaceId, runId, head)
    const said = `[${excess} lines were removed because of their age]`
    const left = [{ ...last!, text: said, colours: null }, ...rest]
    await insertKeptLines(tx, workspaceId, runId, {
      after: head,
      attempts: left.map(({ attempt }) => attempt),
      ats: left.map(({ at }) => at),
      texts: left.map(({ text }) => text),
      colours: left.map(({ colours }) => colours),
    })
    await updateSwept(tx, workspaceId, runId, { swept, lines: head + left.length })
    gone += excess
  }
  return gone
}
