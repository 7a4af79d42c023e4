import type { KeyObject } from 'node:crypto'
import type { AuditEntry, ExportProof, Opening } from '@signalbox/contract/audit.ts'
import { rootOfParts } from '../../../infra/merkle.ts'
import { exportDigest } from '../audit/export-digest.ts'
import { asSealed, hasErasedValue } from '../audit/personal.ts'
import { entryHash } from './canonical.ts'
import type { Checkpoint } from './checkpoint.ts'
import { openSealed } from './open-sealed.ts'

/**
 * Checks an exported file against its proof, without network or database. No findings: every entry in the file is in
 * the signed log unchanged, and the file holds all that was exported, because the record of the export, which is in the
 * signed log too, says so. Without a key of one's own the key in the proof is trusted.
 */
export function verifyExport(
  entries: AuditEntry[],
  bundle: ExportProof,
  publicKey: KeyObject | null,
): string[] {
  // The proof comes from outside: one whose record was taken out proves nothing, however well the rest fits.
  if (!bundle.record?.entry)
    return ['The proof is without the record of the export, so nothing shows that the file is complete.']
  return [
    ...proofFindings(bundle, publicKey),
    ...recordFindings(bundle),
    ...entryFindings(entries, bundle),
    ...orderFindings(entries, bundle),
  ]
}

function proofFindings(bundle: ExportProof, publicKey: KeyObject | null): string[] {
  let checkpoint: Checkpoint
  try {
    checkpoint = openSealed(bundle, publicKey)
  } catch (error) {
    return [`The signature of the checkpoint is wrong: ${(error as Error).message}`]
  }
  if (checkpoint.workspaceId !== bundle.workspace) {
    return [`The checkpoint is signed for workspace ${checkpoint.workspaceId}, not for ${bundle.workspace}.`]
  }
  const root = rootOfParts(checkpoint.size, partsOf(bundle))
  if (root?.equals(checkpoint.root)) return []
  return ['The hashes of the proof do not lead to the signed root, so it proves none of the entries.']
}

function partsOf(bundle: ExportProof) {
  // The record's hash is computed, never read from the proof: that is what ties its content to the tree.
  const { position, entry, personal } = bundle.record
  const record = { position, hash: sealedHash(entry, personal) ?? '' }
  const leaves = [...bundle.entries, record].map((leaf) => ({
    from: leaf.position,
    to: leaf.position + 1,
    hash: leaf.hash,
  }))
  return [...leaves, ...bundle.nodes].map((part) => ({ ...part, hash: Buffer.from(part.hash, 'base64') }))
}

/**
 * An attacker who shortens the file can shorten the proof's entries too, and pass off the remaining hashes as those of
 * subtrees. What they cannot change is what the export recorded about itself before it was sealed.
 */
function recordFindings({ exportId, entries, record }: ExportProof): string[] {
  const { event, entity, details } = record.entry
  if (event !== 'audit_exported' || entity?.type !== 'audit_export' || entity.id !== exportId)
    return [`The record in the proof is not that of export ${exportId}.`]
  if (details?.count !== entries.length) return [countFinding(entries.length, details?.count)]
  if (details.digest !== exportDigest(entries.map((entry) => entry.id)))
    return ['The proof lists other entries than the export recorded, or lists them in another order.']
  return []
}

function countFinding(listed: number, recorded: unknown): string {
  const what = Number(recorded) > listed ? 'entries were left out' : 'entries were added'
  return `The proof lists ${listed} entries but the export recorded ${recorded}: ${what}.`
}

/** What the tree holds of an entry in a file: the hash of it as it was sealed. Null if the proof does not fit it. */
function sealedHash(entry: AuditEntry, personal: readonly Opening[] | undefined): string | null {
  const sealed = asSealed(entry, personal)
  return sealed && entryHash(sealed).toString('base64')
}

function entryFindings(entries: AuditEntry[], bundle: ExportProof): string[] {
  const findings: string[] = []
  const sealed = new Map(bundle.entries.map((entry) => [entry.id, entry]))
  const seen = new Set<string>()
  for (const entry of entries) {
    const leaf = sealed.get(entry.id)
    if (leaf === undefined)
      findings.push(`Entry ${entry.id} is in the file but not in the proof: it was added.`)
    else if (seen.has(entry.id)) findings.push(`Entry ${entry.id} is in the file more than once.`)
    else if (hasErasedValue(entry, leaf.personal))
      findings.push(
        `Entry ${entry.id} has a personal value that was erased after this file was made: nothing shows that it was sealed. Export the entries again.`,
      )
    else if (sealedHash(entry, leaf.personal) !== leaf.hash)
      findings.push(`Entry ${entry.id} was changed: it is not what was sealed.`)
    seen.add(entry.id)
  }
  for (const id of sealed.keys()) if (!seen.has(id)) findings.push(`Entry ${id} is missing from the file.`)
  return findings
}

/** Names neighbours only: a block of entries that was moved is one finding, not one for each pair. */
function orderFindings(entries: AuditEntry[], bundle: ExportProof): string[] {
  const positions = new Map(bundle.entries.map((entry, position) => [entry.id, position]))
  const known = entries.filter((entry) => positions.has(entry.id))
  return known.flatMap((entry, index) => {
    const before = known[index - 1]
    if (!before || positions.get(before.id)! <= positions.get(entry.id)!) return []
    return [
      `Entries ${before.id} and ${entry.id} are out of order: in the export, the second came before the first.`,
    ]
  })
}
