import type { KeyObject } from 'node:crypto'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Db } from '../../../infra/db/db.ts'
import { timeOfId } from '../../../infra/ids.ts'
import type { Range } from '../../../infra/merkle.ts'
import { textOf } from '../../../infra/signed-note.ts'
import { detailsOf } from '../audit/details.ts'
import { checkEntry, named } from './check-entry.ts'
import { TreeCheck } from './check-tree.ts'
import { type Checkpoint, openWithAny, readCheckpoint } from './checkpoint.ts'
import { Findings } from './findings.ts'
import { keysOfLog } from './keys-of-log.ts'
import type { LogKeys } from './log-keys.ts'
import { openRestored, type Restored } from './restored.ts'
import {
  checkpointsWithin,
  extentOfLog,
  isServedInAllWorkspaces,
  leavesWithEntries,
  nextPosition,
  restoresOf,
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
  /** What is as it should be, and worth knowing. */
  notes: string[]
}

/** A checkpoint that was kept outside of the database, and when, if that is known. */
export interface KnownCheckpoint {
  note: string
  at?: Date | undefined
}

interface SavedCheckpoint extends Checkpoint {
  at: Date | undefined
  /** Why the signature does not hold; null when it does. */
  distrust: string | null
}

/** A workspace's log while it is being read. */
interface Log {
  db: Db
  workspaceId: string
  tree: TreeCheck
  findings: Findings
  notes: string[]
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
  options: { knownCheckpoints?: KnownCheckpoint[]; now: Date; workspaceId?: string },
): Promise<LogReport> {
  const saved = Map.groupBy(
    options.knownCheckpoints ?? [],
    ({ note }) => readCheckpoint(textOf(note)).workspaceId,
  )
  // A workspace of which only a checkpoint is left is to be reported on as well.
  const all = new Set([...(await workspaceIds(db)), ...saved.keys()])
  const chosen = options.workspaceId ? [options.workspaceId] : all
  const workspaces: WorkspaceReport[] = []
  for (const workspaceId of chosen) {
    const ours = saved.get(workspaceId) ?? []
    const keys = await keysOfLog(db, publicKey, workspaceId)
    const read = ours.map((one) => readSaved(one, keys))
    workspaces.push(await verifyWorkspace(db, keys, workspaceId, read, options.now))
  }
  return { workspaces }
}

/** One that no key of the log has signed is a finding about its workspace. */
function readSaved({ note, at }: KnownCheckpoint, keys: LogKeys): SavedCheckpoint {
  const checkpoint = readCheckpoint(textOf(note))
  try {
    return { ...openWithAny(note, keys), at, distrust: null }
  } catch (error) {
    return { ...checkpoint, at, distrust: (error as Error).message }
  }
}

async function verifyWorkspace(
  db: Db,
  keys: LogKeys,
  workspaceId: string,
  saved: SavedCheckpoint[],
  now: Date,
): Promise<WorkspaceReport> {
  const findings = new Findings(mostFindings)
  const tree = new TreeCheck(workspaceId, keys, findings)
  const notes: string[] = []
  const log = { db, workspaceId, tree, findings, notes }
  const kept = explainLosses(log, await readRestores(log, keys), trusted(saved, findings))
  const checkpoints = await walkSealed(log, kept)
  const entries = await findUnsealed(log, now)
  await findStrays(log)
  return { workspaceId, entries, checkpoints, findings: findings.all(), notes }
}

/** When the log was set back by whoever has the key. An entry that says so without their signature is a finding. */
async function readRestores({ db, workspaceId, findings }: Log, keys: LogKeys): Promise<Restored[]> {
  const restores: Restored[] = []
  for (const { id, entry } of await restoresOf(db, workspaceId)) {
    const note = detailsOf(fromJson(entry), 'workspace_restored')?.signedNote ?? ''
    const restored = keys.map((key) => openRestored(note, workspaceId, key.publicKey)).find(Boolean)
    if (restored) restores.push(restored)
    else
      findings.add(
        `Entry ${named(id)} says that the log was restored from a backup, but is not signed with the key of this log.`,
      )
  }
  return restores
}

/**
 * Checkpoints of entries that a restore did not bring back are no sign of tampering: they are told as what was lost.
 * Only those that were kept before it; whatever is missing of what came after was removed. Returns the others.
 */
function explainLosses({ notes }: Log, restores: Restored[], saved: SavedCheckpoint[]): SavedCheckpoint[] {
  const lostIn = ({ size, at }: SavedCheckpoint) =>
    restores.find((restored) => at && at < restored.restoredAt && size > restored.size)
  for (const restored of restores) {
    const lost = saved.filter((checkpoint) => lostIn(checkpoint) === restored).map(({ size }) => size)
    const { takenAt, restoredAt, size } = restored
    const known = lost.length > 0 ? `: at least ${Math.max(...lost) - size} entries` : ''
    notes.push(
      `Restored at ${restoredAt.toISOString()} from a backup of ${takenAt.toISOString()}, which had ${size} entries. What was recorded between the two is lost${known}.`,
    )
  }
  return saved.filter((checkpoint) => !lostIn(checkpoint))
}

/** The largest first: they are taken from the end. */
function trusted(saved: SavedCheckpoint[], findings: Findings): SavedCheckpoint[] {
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
async function findUnsealed(log: Log, now: Date): Promise<number> {
  const { db, workspaceId, findings } = log
  const late: string[] = []
  let count = 0
  let afterId = smallestId
  for (;;) {
    const entries = await sealStateOfEntries(db, workspaceId, afterId, rowsPerRead)
    for (const { id, sealed, waiting } of entries) {
      if (sealed) continue
      if (!waiting)
        findings.add(
          `Entry ${named(id)} was never sealed, and does not wait to be: it was added, or its seal was removed.`,
        )
      else if (now.getTime() - timeOfId(id).getTime() > longestWaitSeconds * 1000) late.push(id)
    }
    count += entries.length
    if (entries.length < rowsPerRead) break
    afterId = entries.at(-1)!.id
  }
  await reportLate(log, late)
  return count
}

/** Entries are sealed within seconds by a server that runs. Where none does, they wait for it, and nothing is wrong. */
async function reportLate({ db, findings, notes }: Log, late: string[]): Promise<void> {
  if (late.length === 0) return
  const several = late.length > 1
  if (await isServedInAllWorkspaces(db))
    findings.add(
      several
        ? `${late.length} entries have waited for their seal for more than ${longestWaitSeconds} seconds, the first of them ${named(late[0]!)}.`
        : `Entry ${named(late[0]!)} has waited for its seal for more than ${longestWaitSeconds} seconds.`,
    )
  else
    notes.push(
      `${several ? `${late.length} entries wait` : '1 entry waits'} for a seal. The server adds it when it runs.`,
    )
}

async function findStrays({ db, workspaceId, findings }: Log): Promise<void> {
  for (const { entry_id, sealed } of await strayUnsealed(db, workspaceId, mostFindings)) {
    if (sealed) findings.add(`Entry ${named(entry_id)} waits for a seal that it has already.`)
    else findings.add(`Entry ${named(entry_id)} was deleted before it was sealed.`)
  }
}
