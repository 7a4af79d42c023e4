import type { KeyObject } from 'node:crypto'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Db } from '../../../infra/db/db.ts'
import { timeOfId } from '../../../infra/ids.ts'
import type { Range } from '../../../infra/merkle.ts'
import { textOf } from '../../../infra/signed-note.ts'
import { detailsOf } from '../audit/details.ts'
import { ArchivedMonths } from './archived-months.ts'
import { checkEntry, named } from './check-entry.ts'
import { checkPersonal } from './check-personal.ts'
import { checkTimestamps } from './check-timestamps.ts'
import { TreeCheck } from './check-tree.ts'
import { type Checkpoint, openWithAny, readCheckpoint } from './checkpoint.ts'
import { Findings } from './findings.ts'
import { keysOfLog } from './keys-of-log.ts'
import type { LogKeys } from './log-keys.ts'
import { openRestored, type Restored } from './restore-note.ts'
import {
  archivedMonthsOf,
  checkpointsWithin,
  erasedValues,
  erasuresOf,
  extentOfLog,
  isServedInAllWorkspaces,
  leavesWithEntries,
  nextPosition,
  restoresOf,
  sealStateOfEntries,
  smallestId,
  storedNodes,
  strayUnsealed,
  timestampsOf,
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
  /** Files with months that were taken out of the log. */
  files: ArchivedFile[]
}

/** The file of a month, with the note that was signed about it and the keys of the log, the newest first. */
export interface ArchivedFile {
  file: string
  note: string
  publicKeys: KeyObject[]
}

/** A checkpoint that was kept outside of the database, and when, if that is known. */
export interface KnownCheckpoint {
  note: string
  at?: Date | undefined
  /** What a timestamp authority has answered about it. */
  timestamp?: Buffer | undefined
}

interface SavedCheckpoint extends Checkpoint {
  note: string
  timestamp: Buffer | undefined
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
  archived: ArchivedMonths
}

const rowsPerRead = 2_000
const longestWaitSeconds = 60
const mostFindings = 1_000
/** No checkpoint goes before it is so old; the database sees to it. */
const youngestThinnedMs = 86_400_000

/**
 * Reads the whole log and names everything that is not as it was sealed. What is sealed after the start is left for
 * the next time, so a busy log does not keep it from ending.
 */
export async function verifyLog(
  db: Db,
  publicKey: KeyObject,
  options: {
    knownCheckpoints?: KnownCheckpoint[]
    now: Date
    workspaceId?: string
    /** Roots that timestamps have to lead to, as PEM. */
    authorities?: string | null
  },
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
    const stamped = (await timestampsOf(db, workspaceId)).map(({ note, response, stampedAt }) => ({
      ...{ note, timestamp: response, at: stampedAt },
    }))
    const ours = [...(saved.get(workspaceId) ?? []), ...stamped]
    const keys = await keysOfLog(db, publicKey, workspaceId)
    const read = ours.map((one) => readSaved(one, keys))
    workspaces.push(await verifyWorkspace(db, keys, workspaceId, read, options))
  }
  return { workspaces }
}

/** One that no key of the log has signed is a finding about its workspace. */
function readSaved({ note, at, timestamp }: KnownCheckpoint, keys: LogKeys): SavedCheckpoint {
  const checkpoint = readCheckpoint(textOf(note))
  try {
    return { ...openWithAny(note, keys), note, at, timestamp, distrust: null }
  } catch (error) {
    return { ...checkpoint, note, at, timestamp, distrust: (error as Error).message }
  }
}

async function verifyWorkspace(
  db: Db,
  keys: LogKeys,
  workspaceId: string,
  saved: SavedCheckpoint[],
  { now, authorities = null }: { now: Date; authorities?: string | null },
): Promise<WorkspaceReport> {
  const findings = new Findings(mostFindings)
  const tree = new TreeCheck(workspaceId, keys, findings, new Date(now.getTime() - youngestThinnedMs))
  const notes: string[] = []
  const months = await archivedMonthsOf(db, workspaceId)
  const archived = new ArchivedMonths(workspaceId, keys, months, findings)
  const log = { db, workspaceId, tree, findings, notes, archived }
  const carried = months.flatMap(({ restored }) => restored)
  const kept = explainLosses(log, await readRestores(log, keys, carried), trusted(saved, findings))
  const checkpoints = await walkSealed(log, kept)
  notes.push(...archived.end())
  const stamped = new Map(
    saved.flatMap(({ size, note, timestamp }) =>
      timestamp ? [[note + timestamp.toString('base64'), { size, note, response: timestamp }]] : [],
    ),
  )
  notes.push(...(await checkTimestamps([...stamped.values()], authorities, findings)))
  const entries = await findUnsealed(log, now)
  await findStrays(log)
  await explainErasures(log)
  const publicKeys = keys.map(({ publicKey }) => publicKey)
  const files = months.map(({ file, note }) => ({ file, note, publicKeys }))
  return { workspaceId, entries, checkpoints, findings: findings.all(), notes, files }
}

/** When the log was set back by someone who has the key. An entry that says so without their signature is a finding. */
async function readRestores(
  { db, workspaceId, findings }: Log,
  keys: LogKeys,
  carried: string[],
): Promise<Restored[]> {
  const opened = (note: string) =>
    keys.map((key) => openRestored(note, workspaceId, key.publicKey)).find(Boolean)
  // Entries about the others are in the files of their months.
  const restores: Restored[] = carried.flatMap((note) => opened(note) ?? [])
  for (const { id, entry } of await restoresOf(db, workspaceId)) {
    const note = detailsOf(fromJson(entry), 'workspace_restored')?.signedNote ?? ''
    const restored = opened(note)
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
    const known = lost.length > 0 ? `: at least ${entries(Math.max(...lost) - size)}` : ''
    notes.push(
      `Restored at ${restoredAt.toISOString()} from a backup of ${takenAt.toISOString()}, which had ${entries(size)}. What was recorded between the two is lost${known}.`,
    )
  }
  return saved.filter((checkpoint) => !lostIn(checkpoint))
}

const entries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`)

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
async function walkWindow(log: Log, window: Range, saved: Checkpoint[]) {
  const { db, workspaceId, tree, findings, archived } = log
  const leaves = await leavesWithEntries(db, workspaceId, window, (id) => archived.has(id))
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
    const isInFile = archived.take(leaf)
    if (!isInFile || leaf.entry !== null) findings.add(...checkEntry(workspaceId, leaf))
  }
  findings.add(...(await checkPersonal(db, workspaceId, leaves)))
  compareUpTo(window.to)
  return { leaves: leaves.length, checkpoints: checkpoints.length }
}

/** Stored subtrees alone prove nothing, but a wrong one makes every proof that uses it fail. */
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
        ? `${late.length} entries have been waiting to be sealed for more than ${longestWaitSeconds} seconds, the first of them ${named(late[0]!)}.`
        : `Entry ${named(late[0]!)} has been waiting to be sealed for more than ${longestWaitSeconds} seconds.`,
    )
  else
    notes.push(
      `${several ? `${late.length} entries are` : '1 entry is'} waiting to be sealed. The server does that while it runs.`,
    )
}

async function findStrays({ db, workspaceId, findings }: Log): Promise<void> {
  for (const { entry_id, sealed } of await strayUnsealed(db, workspaceId, mostFindings)) {
    if (sealed) findings.add(`Entry ${named(entry_id)} is waiting to be sealed, but is sealed already.`)
    else findings.add(`Entry ${named(entry_id)} was deleted before it was sealed.`)
  }
}

/**
 * Values that are gone are told as what was erased, if an entry of the log says which. Others were deleted by someone
 * who left no entry.
 */
async function explainErasures({ db, workspaceId, findings, notes }: Log): Promise<void> {
  const erased = await erasedValues(db, workspaceId)
  if (erased.length === 0) return
  const recorded = (await erasuresOf(db, workspaceId)).map(({ entry }) =>
    detailsOf(fromJson(entry), 'person_erased'),
  )
  const isRecorded = (gone: (typeof erased)[number]) =>
    recorded.some(
      (said) => said?.erasure === gone.erasure && said.values === gone.values && said.digest === gone.digest,
    )
  for (const { erasure, values } of erased.filter((gone) => !isRecorded(gone)))
    findings.add(
      `${values} personal values are marked as erased by ${erasure}, but no entry of the log says so: they were deleted, or the entry was.`,
    )
  const explained = erased.filter(isRecorded)
  const total = explained.reduce((sum, { values }) => sum + values, 0)
  if (total > 0)
    notes.push(
      `${total === 1 ? '1 personal value was' : `${total} personal values were`} erased on request. The entries themselves are as they were sealed.`,
    )
}
