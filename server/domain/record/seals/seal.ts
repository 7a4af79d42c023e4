import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../infra/clock.ts'
import { type Db, pipelined, type Tx } from '../../../infra/db/db.ts'
import {
  addLeaf,
  decodeFrontier,
  emptyFrontier,
  encodeFrontier,
  type Frontier,
  rootOf,
  type TreeNode,
} from '../../../infra/merkle.ts'
import type { Secrets, SigningKey } from '../../../infra/secrets.ts'
import { housekeeping, type Seal } from '../audit/change.ts'
import { entryHash } from './canonical.ts'
import { isSigned, signCheckpoint } from './checkpoint.ts'
import { isKept } from './kept-levels.ts'
import {
  deleteUnsealed,
  insertCheckpoint,
  insertLeaves,
  insertNodes,
  lockSeals,
  type NewLeaf,
  newestCheckpoint,
  rowsToSeal,
  type StoredCheckpoint,
  smallestId,
  workspacesToSeal,
} from './store.ts'

const entriesPerSeal = 2_000
const entriesPerTurn = 100

/** Seals everything that waits, in every workspace. Returns how many entries were sealed. */
export async function sealAll(db: Db, signing: Secrets['signing'], clock: Clock): Promise<number> {
  let total = 0
  const failures: unknown[] = []
  for (const workspaceId of await workspacesToSeal(db)) {
    try {
      total += await drain(db, signing, clock, workspaceId)
    } catch (error) {
      // A log that cannot be extended is its own trouble; the others are sealed all the same.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '))
  return total
}

async function drain(
  db: Db,
  signing: Secrets['signing'],
  clock: Clock,
  workspaceId: string,
): Promise<number> {
  let total = 0
  for (;;) {
    const sealed = await sealWorkspace(db, signing, clock, workspaceId)
    total += sealed
    if (sealed < entriesPerSeal) return total
  }
}

/**
 * Adds the oldest waiting entries to the workspace's tree and signs its new root.
 * Returns how many; 0 also when another node is sealing this workspace.
 */
export async function sealWorkspace(
  db: Db,
  signing: Secrets['signing'],
  clock: Clock,
  workspaceId: string,
): Promise<number> {
  return housekeeping(db, 'seal the audit log', async (tx) => {
    if (!(await lockSeals(tx, workspaceId))) return 0
    const entries = await entriesToSeal(tx, workspaceId)
    if (entries.length === 0) return 0

    await deleteUnsealed(tx, workspaceId, await extend(tx, signing, clock, workspaceId, entries))
    return entries.length
  })
}

/**
 * Seals entries in the transaction that writes them. If another node is sealing this workspace, they are left for the
 * next round, so no writer waits for a seal.
 */
export const sealWith =
  (signing: Secrets['signing'], clock: Clock, onSealed: (count: number) => void): Seal =>
  async (tx, workspaceId, entries) => {
    if (!(await lockSeals(tx, workspaceId))) return false
    const given = entries.map((entry) => ({ id: entry.id, read: () => entry }))
    await extend(tx, signing, clock, workspaceId, given)
    onSealed(entries.length)
    return true
  }

/** Adds entries to the workspace's tree and signs its new root. The caller holds the lock on its seals. */
async function extend(
  tx: Tx,
  signing: Secrets['signing'],
  clock: Clock,
  workspaceId: string,
  entries: readonly { id: string; read: () => unknown }[],
): Promise<NewLeaf[]> {
  const keys = [signing, ...(signing.also ?? [])]
  const frontier = resume(workspaceId, await newestCheckpoint(tx, workspaceId), keys)
  const first = frontier.size
  const leaves = await leavesOf(entries)
  const kept: TreeNode[] = []
  for (const leaf of leaves) addLeaf(frontier, leaf.hash, (node) => isKept(node) && kept.push(node))

  const pipeline = pipelined(tx)
  await insertLeaves(pipeline, workspaceId, first, leaves)
  if (kept.length > 0) await insertNodes(pipeline, workspaceId, kept)
  await insertCheckpoint(pipeline, workspaceId, signed(workspaceId, frontier, keys), clock.now())
  return leaves
}

/** Skips rows that can never be sealed, so that they do not block the rest; verify-audit names them. */
async function entriesToSeal(tx: Tx, workspaceId: string): Promise<{ id: string; read: () => unknown }[]> {
  let afterId = smallestId
  for (;;) {
    const rows = await rowsToSeal(tx, workspaceId, afterId, entriesPerSeal)
    const entries = rows.flatMap(({ id, entry }) =>
      entry === null ? [] : [{ id, read: () => JSON.parse(entry) }],
    )
    if (entries.length > 0 || rows.length < entriesPerSeal) return entries
    afterId = rows.at(-1)!.id
  }
}

/** In turns: hashing a full seal in one go would keep requests waiting for 50 ms. */
async function leavesOf(entries: readonly { id: string; read: () => unknown }[]): Promise<NewLeaf[]> {
  const leaves: NewLeaf[] = []
  for (const { id, read } of entries) {
    leaves.push({ entryId: id, hash: entryHash(read()) })
    if (leaves.length % entriesPerTurn === 0) await setImmediate()
  }
  return leaves
}

function signed(workspaceId: string, frontier: Frontier, keys: readonly SigningKey[]): StoredCheckpoint {
  const { size } = frontier
  const root = rootOf(frontier)
  const note = signCheckpoint({ workspaceId, size, root }, ...keys.map((key) => key.privateKey))
  return { size, root, frontier: encodeFrontier(frontier), note }
}

/** Extends only what was signed here: on a doctored frontier the next signature would make the damage official. */
function resume(
  workspaceId: string,
  newest: StoredCheckpoint | undefined,
  keys: readonly SigningKey[],
): Frontier {
  if (!newest) return emptyFrontier()
  const frontier = decodeFrontier(newest.size, newest.frontier)
  const expected = frontier && { workspaceId, size: newest.size, root: rootOf(frontier) }
  if (expected && keys.some(({ publicKey }) => isSigned(newest.note, expected, publicKey))) return frontier
  throw new Error(
    `The audit log of workspace ${workspaceId} is not sealed further: its newest checkpoint (size ${newest.size}) is not what was signed.`,
  )
}
