import type { KeyObject } from 'node:crypto'
import type { ExportProof, Opening } from '@signalbox/contract/audit.ts'
import type { EvidencePack } from '@signalbox/contract/runner/evidence.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Db } from '../../../infra/db/db.ts'
import {
  completeSubtrees,
  type Part,
  type Range,
  rangesBeside,
  rootOf,
  rootOfRow,
  splitHashes,
} from '../../../infra/merkle.ts'
import { verifierKey } from '../../../infra/signed-note.ts'
import { DomainError } from '../../errors.ts'
import { monthOf } from '../audit/month.ts'
import { revealEntries } from '../audit/reveal.ts'
import { originOf } from './checkpoint.ts'
import { keptLevels, levelUnder } from './kept-levels.ts'
import { readOpenings } from './openings.ts'
import {
  archivedMonthsOf,
  checkpointCovering,
  entriesOfExport,
  hashesOfSpans,
  keyChangesOf,
  leavesOfEntries,
  recordOfExport,
} from './store.ts'

/** A proof, or the entries that it has to wait for. */
export type ProofState = { sealed: true; bundle: ExportProof } | { sealed: false; waiting: string[] }

const spansPerQuery = 500

/**
 * The proof for an exported file; null when there is no such export. Entries newer than the last seal have to wait, and
 * the record of the export is one more entry to be proven: without it, a proof could be shortened with its file.
 */
export async function proveExport(
  db: Db,
  publicKey: KeyObject,
  workspaceId: string,
  exportId: string,
): Promise<ProofState | null> {
  const ids = await entriesOfExport(db, workspaceId, exportId)
  if (!ids) return null
  const record = await recordOfExport(db, workspaceId, exportId)
  if (!record) {
    const month = monthOf(exportId)
    if ((await archivedMonthsOf(db, workspaceId)).some((one) => one.month === month))
      throw new DomainError(
        'conflict',
        `The entry that records this export is in the archived month ${month}. Verify with the file of that month.`,
      )
    throw damaged(workspaceId, `the record of export ${exportId} is missing`)
  }
  const needed = [...ids, record.id]
  const found = await leavesOfEntries(db, workspaceId, needed)
  const leaves = new Map(found.map((leaf) => [leaf.entry_id, leaf]))
  const positions = [...leaves.values()].map((leaf) => leaf.position).sort((a, b) => a - b)
  const checkpoint = await checkpointCovering(db, workspaceId, positions.at(-1) ?? 0)
  const waiting = needed.filter((id) => !leaves.has(id))
  if (!checkpoint || waiting.length > 0) return { sealed: false, waiting }

  const nodes = await hashesOf(db, workspaceId, rangesBeside(checkpoint.size, positions))
  const entries = ids.map((id) => leaves.get(id)!)
  const openings = await readOpenings(db, workspaceId, needed)
  const [entry] = await revealEntries(db, workspaceId, [record.entry])
  const bundle = {
    workspace: workspaceId,
    exportId,
    checkpoint: checkpoint.note,
    ...(await keyPart(db, publicKey, workspaceId)),
    entries: entries.map(({ entry_id, position, hash }) => ({
      id: entry_id,
      position,
      hash: hash.toString('base64'),
      ...personalPart(openings.get(entry_id)),
    })),
    record: {
      position: leaves.get(record.id)!.position,
      entry: fromJson(entry!),
      ...personalPart(openings.get(record.id)),
    },
    nodes: nodes.map(({ from, to, hash }) => ({ from, to, hash: hash.toString('base64') })),
  }
  return { sealed: true, bundle }
}

const personalPart = (openings: Opening[] | undefined) => (openings ? { personal: openings } : {})

/** The key of the log, and how to get to it from an older one, or back, if it was ever replaced. */
export async function keyPart(db: Db, publicKey: KeyObject, workspaceId: string) {
  const keyChanges = await keyChangesOf(db, workspaceId)
  return {
    key: verifierKey(originOf(workspaceId), publicKey),
    ...(keyChanges.length > 0 ? { keyChanges } : {}),
  }
}

/** That an entry is in the log, up to a signed checkpoint; null while it waits for its seal. */
export async function proveEntry(
  db: Db,
  publicKey: KeyObject,
  workspaceId: string,
  entryId: string,
): Promise<Omit<EvidencePack['audit'], 'entry'> | null> {
  const [leaf] = await leavesOfEntries(db, workspaceId, [entryId])
  const checkpoint = leaf && (await checkpointCovering(db, workspaceId, leaf.position))
  if (!checkpoint) return null
  const nodes = await hashesOf(db, workspaceId, rangesBeside(checkpoint.size, [leaf.position]))
  return {
    workspace: workspaceId,
    checkpoint: checkpoint.note,
    ...(await keyPart(db, publicKey, workspaceId)),
    position: leaf.position,
    ...personalPart((await readOpenings(db, workspaceId, [entryId])).get(entryId)),
    nodes: nodes.map(({ from, to, hash }) => ({ from, to, hash: hash.toString('base64') })),
  }
}

/** Only the range at the ragged right edge of a tree is made up of more than one complete subtree. */
export async function hashesOf(db: Db, workspaceId: string, ranges: Range[]): Promise<Part[]> {
  const subtrees = ranges.flatMap(completeSubtrees)
  const roots = new Map<number, Buffer>()
  for (const level of keptLevels) {
    const here = subtrees.filter((subtree) => levelUnder(subtree) === level)
    for (let at = 0; at < here.length; at += spansPerQuery) {
      const some = here.slice(at, at + spansPerQuery)
      for (const { from, hash } of await rootsOf(db, workspaceId, level, some)) roots.set(from, hash)
    }
  }
  return ranges.map((range) => {
    const peaks = completeSubtrees(range).map((subtree) => roots.get(subtree.from)!)
    return { ...range, hash: rootOf({ size: range.to - range.from, roots: peaks }) }
  })
}

async function rootsOf(db: Db, workspaceId: string, level: number, subtrees: Range[]): Promise<Part[]> {
  const width = 2 ** level
  const spans = subtrees.map(({ from, to }) => ({ from: from / width, to: to / width }))
  const rows = await hashesOfSpans(db, workspaceId, level, spans)
  return subtrees.map((subtree, index) => {
    const hashes = splitHashes(rows[index]!)
    const { from, to } = spans[index]!
    if (hashes?.length !== to - from) {
      throw damaged(workspaceId, `hashes are missing between positions ${subtree.from} and ${subtree.to}`)
    }
    return { ...subtree, hash: rootOfRow(hashes) }
  })
}

function damaged(workspaceId: string, how: string): Error {
  return new Error(
    `The audit log of workspace ${workspaceId} is damaged: ${how}. Nothing can be proven with it.`,
  )
}
