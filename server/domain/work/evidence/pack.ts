import type { KeyObject } from 'node:crypto'
import { type EvidencePack, packFormat } from '@signalbox/contract/runner/evidence.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { archivedBefore } from '../../record/audit/archived-before.ts'
import { revealEntries } from '../../record/audit/reveal.ts'
import { proveEntry } from '../../record/seals/prove.ts'
import { readFile } from '../files/read.ts'
import { recordedStatements } from './recorded.ts'
import { selectEvidence, selectRecording } from './store.ts'

/** The evidence of a run in one file that anyone can check without us; one file per repository if there are several. */
export async function packEvidence(
  ctx: Context,
  publicKey: KeyObject,
  run: string,
  repository?: string,
): Promise<EvidencePack> {
  const found = await selectEvidence(ctx.db, ctx.workspaceId, run, repository)
  if (!found) throw notFound('run', run)
  if (!found.envelope || !found.runner || !found.key)
    throw new DomainError(
      'conflict',
      `Run \`${run}\` has no signed evidence${repository === undefined ? '' : ` of ${repository}`}. Runners sign it when the gates have run.`,
    )
  const recording = await selectRecording(ctx.db, ctx.workspaceId, run, found.envelope)
  if (!recording && (await archivedBefore(ctx.db, ctx.workspaceId)))
    throw new DomainError(
      'conflict',
      'The audit entry of this evidence is in an archived month. Ask the server operator for the file of that month.',
    )
  if (!recording) throw new Error(`The entry that records envelope ${found.envelope} is missing.`)
  const proof = await proveEntry(ctx.db, publicKey, ctx.workspaceId, recording.id)
  if (!proof)
    throw new DomainError(
      'service_unavailable',
      'The audit entry of this evidence is not sealed yet. That takes a few seconds; try again.',
    )
  const [shown] = await revealEntries(ctx.db, ctx.workspaceId, [recording.entry])
  const entry = fromJson(shown!)
  const textOf = async (file: string) => (await readFile(ctx, file)).toString('utf8')
  const statements = await Promise.all(recordedStatements(entry).map(textOf))
  return {
    format: packFormat,
    envelope: await textOf(found.envelope),
    ...(statements.length > 0 ? { statements } : {}),
    runner: { id: found.runner, key: found.key },
    audit: { ...proof, entry },
  }
}
