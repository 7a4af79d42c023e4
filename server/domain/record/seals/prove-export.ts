import type { KeyObject } from 'node:crypto'
import type { ExportProof } from '@signalbox/contract/audit.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { proveExport as proofOfExport } from './prove.ts'

/** The proof that goes with an exported file. */
export async function proveExport(
  ctx: Context,
  publicKey: KeyObject,
  exportId: string,
): Promise<ExportProof> {
  requireRole(ctx, 'admin', 'prove an export of the audit log')
  const proof = await proofOfExport(ctx.db, publicKey, ctx.workspaceId, exportId)
  if (!proof) throw notFound('export', exportId)
  if (!proof.sealed) {
    throw new DomainError(
      'service_unavailable',
      'The record of this export, or one of its entries, is not sealed yet. That takes a few seconds; try again.',
    )
  }
  return proof.bundle
}
