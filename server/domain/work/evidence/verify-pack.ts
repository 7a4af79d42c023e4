import { createHash, type KeyObject } from 'node:crypto'
import { EvidencePack, type Statement } from '@signalbox/contract/runner/evidence.ts'
import { rootOfParts } from '../../../infra/merkle.ts'
import { asSealed } from '../../record/audit/personal.ts'
import { entryHash } from '../../record/seals/canonical.ts'
import { openSealed } from '../../record/seals/open-sealed.ts'
import { Shapes } from '../../shapes.ts'
import { type Attached, attachedTo } from './attached.ts'
import { recordedStatements } from './recorded.ts'
import { statementIn } from './statement.ts'

const shapes = new Shapes({ pack: EvidencePack })

export interface Verified {
  statement: Statement
  /** Null: the file is from before gates and the summary were signed apart. */
  attached: Attached | null
}

/**
 * Checks a file of evidence without network or database: the runner's signature, what it is about, and that the log
 * held its hash when the checkpoint was signed. Without a key of one's own, the one in the file is believed for the log.
 */
export function verifyPack(pack: unknown, publicKey: KeyObject | null): Verified | { findings: string[] } {
  if (!shapes.fits('pack', pack))
    return { findings: ['This is not an evidence file, or parts of it are missing.'] }
  const { envelope, statements = [], runner, audit } = pack as EvidencePack
  const found = statementIn(envelope, runner.key)
  const findings = [...logFindings(audit, publicKey)]
  if (audit.entry.event !== 'run_state_changed' || audit.entry.details.evidence !== digestOf(envelope))
    findings.push('The audit entry holds the hash of another envelope.')
  if (recordedStatements(audit.entry).join() !== statements.map(digestOf).join())
    findings.push('The audit entry holds the hashes of other statements.')
  if ('wrong' in found) return { findings: [found.wrong, ...findings] }
  const { predicate } = found.statement
  if (predicate.runner.id !== runner.id)
    findings.push(`The statement is by runner ${predicate.runner.id}, not by ${runner.id}.`)
  if (audit.entry.runKey !== predicate.run)
    findings.push(`The audit entry is about ${audit.entry.runKey}, and the statement about ${predicate.run}.`)
  const attached =
    statements.length > 0 ? attachedTo(found.statement, envelope, statements, runner.key) : null
  if (attached && 'wrong' in attached) findings.push(attached.wrong)
  else if (findings.length === 0) return { ...found, attached }
  return { findings }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

function logFindings(audit: EvidencePack['audit'], publicKey: KeyObject | null): string[] {
  try {
    const checkpoint = openSealed(audit, publicKey)
    if (checkpoint.workspaceId !== audit.workspace)
      return [`The checkpoint is signed for workspace ${checkpoint.workspaceId}, not for ${audit.workspace}.`]
    // The hash is computed, never read from the file: that is what ties the entry to the tree.
    const sealed = asSealed(audit.entry, audit.personal)
    if (!sealed) return ['The audit entry in the file is not the one in the signed log.']
    const leaf = { from: audit.position, to: audit.position + 1, hash: entryHash(sealed) }
    const nodes = audit.nodes.map((node) => ({ ...node, hash: Buffer.from(node.hash, 'base64') }))
    const root = rootOfParts(checkpoint.size, [leaf, ...nodes])
    const isPlain = nodes.every(({ hash }, index) => hash.toString('base64') === audit.nodes[index]!.hash)
    return isPlain && root?.equals(checkpoint.root)
      ? []
      : ['The audit entry in the file is not the one in the signed log.']
  } catch (error) {
    return [`The signature of the checkpoint is wrong: ${(error as Error).message}`]
  }
}
