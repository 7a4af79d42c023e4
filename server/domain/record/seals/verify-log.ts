import type { KeyObject } from 'node:crypto'
import type { Db } from '../../../infra/db/db.ts'
import { timeOfId } from '../../../infra/ids.ts'
import type { Range } from '../../../infra/merkle.ts'
import { textOf } from '../../../infra/signed-note.ts'
import { checkEntry, named } from './check-entry.ts'
import { TreeCheck } from './check-tree.ts'
import { type Checkpoint, openCheckpoint, readCheckpoint } from './checkpoint.ts'
import { Findings } from './findings.ts'
import {
  checkpointsWithin,
  extentOfLog,
  leavesWithEntries,
  nextPosition,
  sealStateOfEntries,
  smallestId,
  storedNodes,
  strayUnsealed,
  workspaceIds,
} from './store.ts'

export interface LogReport {
  workspaces: WorkspaceReport[]
}

interface WorkspaceReport {
  workspaceId: string
  entries: number
  checkpoints: number
  findings: string[]
}

interface SavedCheckpoint extends Checkpoint {
  /** Why the signature does not hold; null when it does. */
  distrust: string | null
}

/** A workspace's log while it is being read. */
interface Log {
  db: Db
  workspaceId: string
  tree: TreeCheck
  findings: Findings
}

const rowsPerRead = 2_000
const longestWaitSeconds = 60
const mostFindings = 1_000

/**
 * Reads the whole log and names everything that is not as it was sealed. What is sealed after the start is left for
 * the next time, so a busy log does not keep it from ending.
 */
export async function verifyLog(
  db: Db,
  publicKey: KeyObject,
  options: { knownCheckpoints?: string[]; now: Date; workspaceId?: string },
): Promise<LogReport> {
  const known = (options.knownCheckpoints ?? []).map((note) => readSaved(note, publicKey))
  const saved = Map.groupBy(known, (checkpoint) => checkpoint.workspaceId)
  // A workspace of which only a checkpoint is left is to be reported on as well.
  const all = new Set([...(await workspaceIds(db)), ...saved.keys()])
  const chosen = options.workspaceId ? [options.workspaceId] : all
  const workspaces: WorkspaceReport[] = []
  for (const workspaceId of chosen) {
    const ours = saved.get(workspaceId) ?? []
    workspaces.push(await verifyWorkspace(db, publicKey, workspaceId, ours, options.now))
  }
  return { workspaces }
}

/** Throws on a text that is no checkpoint at all; one that this key did not sign is a finding about its workspace. */
function readSaved(note: string, publicKey: KeyObject): SavedCheckpoint {
  const checkpoint = readCheckpoint(textOf(note))
  try {
    return { ...openCheckpoint(note, publicKey), distrust: null }
  } catch (error) {
    return { ...checkpoint, distrust: (error as Error).message }
  }
}

async function verifyWorkspace(
  db: Db,
  publicKey: KeyObject,
  workspaceId: string,
  saved: SavedCheckpoint[],
  now: Date,
): Promise<WorkspaceReport> {
  const findings = new Findings(mostFindings)
  const tree = new TreeCheck(workspaceId, publicKey, findings)
  const log = { db, workspaceId, tree, findings }
  const checkpoints = await walkSealed(log, trusted(saved, findings))
  const entries = await findUnsealed(log, now)
  await findStrays(log)
  return { workspaceId, entries, checkpoints, findings: findings.all() }
}

/** The largest first: they are taken from the end. */
function trusted(saved: SavedCheckpoint[], findings: Findings): Checkpoint[] {
  for (const { size, distrust } of saved) {
    if (!distrust) continue
    findings.add(
      `The saved checkpoint of size ${size} is not from this log, or the log has a new key: ${distrust}`,
    )
  }
  return saved.filter((checkpoint) => !checkpoint.distrust).sort((a, b) => b.size - a.size)
}

/** Walks leaves and checkpoints side by side, a window of positions at a time. Returns how many checkpoints there are. */
async function walkSealed(log: Log, saved: Checkpoint[]): Promise<number> {
  const extent = await extentOfLog(log.db, log.workspaceId)
  const end = Math.max(extent.leaves, extent.sealed)
  let checkpoints = 0
  let from = 0
  while (from < end) {
    const window = { from, to: Math.min(from + rowsPerRead, end) }
    const found = await walkWindow(log, window, saved)
    checkpoints += found.checkpoints
    await checkNodes(log)
    // A hole can be of any length, and is not to be walked through in steps.
    const empty = found.leaves + found.checkpoints === 0
    from = empty ? ((await nextPosition(log.db, log.workspaceId, window.to)) ?? end) : window.to
  }
  log.tree.end()
  checkEnd(log, extent, saved)
  return checkpoints
}

/** Takes from `saved` what lies in the window. A checkpoint comes after the last leaf that it covers. */
async function walkWindow({ db, workspaceId, tree, findings }: Log, window: Range, saved: Checkpoint[]) {
  const leaves = await leavesWithEntries(db, workspaceId, window)
  const checkpoints = await checkpointsWithin(db, workspaceId, window)
  const stored = checkpoints.toReversed()
  const isUpTo = (size: number, checkpoint: { size: number } | undefined) =>
    checkpoint && checkpoint.size <= size
  const compareSaved = (size: number) => {
    while (isUpTo(size, saved.at(-1))) tree.saved(saved.pop()!)
  }
  const compareUpTo = (size: number) => {
    while (isUpTo(size, stored.at(-1))) {
      const next = stored.pop()!
      compareSaved(next.size - 1)
      tree.checkpoint(next)
    }
    compareSaved(size)
  }
  for (const leaf of leaves) {
    compareUpTo(leaf.position)
    tree.leaf(leaf)
    findings.add(...checkEntry(workspaceId, leaf))
  }
  compareUpTo(window.to)
  return { leaves: leaves.length, checkpoints: checkpoints.length }
}

/** Stored subtrees prove nothing by themselves, but a wrong one makes every proof that uses it fail. */
async function checkNodes({ db, workspaceId, tree, findings }: Log): Promise<void> {
  const nodes = tree.takeConfirmedNodes()
  if (nodes.length === 0) return
  const stored = await storedNodes(db, workspaceId, nodes)
  for (const [index, { level, position, hash }] of nodes.entries()) {
    if (stored[index]?.equals(hash)) continue
    const span = `${position * 2 ** level} to ${(position + 1) * 2 ** level - 1}`
    const fault = stored[index] ? 'wrong' : 'missing'
    findings.add(`The stored hash of positions ${span} is ${fault}: proofs that need it fail.`)
  }
}

function checkEnd(
  { findings }: Log,
  extent: { leaves: number; sealed: number },
  unreached: Checkpoint[],
): void {
  const { leaves, sealed } = extent
  if (leaves > sealed) {
    findings.add(
      `No checkpoint covers positions ${sealed} to ${leaves - 1}: checkpoints were removed, or leaves were added.`,
    )
  }
  for (const { size } of unreached.filter((checkpoint) => checkpoint.size > 0).reverse()) {
    findings.add(
      `The log was cut short: the saved checkpoint of size ${size} was signed for ${size} entries, the log has ${Math.max(leaves, sealed)}.`,
    )
  }
}

/** Names entries that are under no seal. Returns how many entries there are in all. */
async function findUnsealed({ db, workspaceId, findings }: Log, now: Date): Promise<number> {
  let count = 0
  let afterId = smallestId
  for (;;) {
    const entries = await sealStateOfEntries(db, workspaceId, afterId, rowsPerRead)
    for (const entry of entries) if (!entry.sealed) findings.add(...waitFindings(entry, now))
    count += entries.length
    if (entries.length < rowsPerRead) return count
    afterId = entries.at(-1)!.id
  }
}

function waitFindings({ id, waiting }: { id: string; waiting: boolean }, now: Date): string[] {
  if (!waiting) {
    return [
      `Entry ${named(id)} was never sealed, and does not wait to be: it was added, or its seal was removed.`,
    ]
  }
  const waitedSeconds = (now.getTime() - timeOfId(id).getTime()) / 1000
  if (waitedSeconds <= longestWaitSeconds) return []
  return [`Entry ${named(id)} has waited for its seal for more than ${longestWaitSeconds} seconds.`]
}

async function findStrays({ db, workspaceId, findings }: Log): Promise<void> {
  for (const { entry_id, sealed } of await strayUnsealed(db, workspaceId, mostFindings)) {
    if (sealed) findings.add(`Entry ${named(entry_id)} waits for a seal that it has already.`)
    else findings.add(`Entry ${named(entry_id)} was deleted before it was sealed.`)
  }
}
