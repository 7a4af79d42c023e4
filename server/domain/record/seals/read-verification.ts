import type { KeyObject } from 'node:crypto'
import type { Verification } from '@signalbox/contract/app/audit.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { textOf, verifierKey } from '../../../infra/signed-note.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { archivedBefore } from '../audit/archived-before.ts'
import { detailsOf } from '../audit/details.ts'
import { listAudit } from '../audit/list.ts'
import { isSigned, originOf, readCheckpoint } from './checkpoint.ts'
import { sealState } from './store.ts'
import { mostCheckedEntries } from './verify-workspace.ts'

/** How much of the log is signed, with which key, and when it was last checked. */
export async function readVerification(ctx: Context, publicKey: KeyObject): Promise<Verification> {
  requireRole(ctx, 'admin', 'see how the audit log is sealed')
  const [{ checkpoint, waiting }, { data }, archived] = await Promise.all([
    sealState(ctx.db, ctx.workspaceId),
    listAudit(ctx, { event: 'audit_verified' }, { limit: 1, after: null }),
    archivedBefore(ctx.db, ctx.workspaceId),
  ])
  return {
    checkpoint: checkpoint && {
      ...signedPart(ctx.workspaceId, checkpoint.note, publicKey),
      sealedAt: checkpoint.sealedAt.toISOString(),
    },
    archivedBefore: archived?.toISOString() ?? null,
    waiting,
    lastCheck: data[0] ? lastCheck(fromJson(data[0])) : null,
    mostEntries: mostCheckedEntries,
  }
}

/** Read from the signed note alone: the columns next to it are not signed. */
function signedPart(workspaceId: string, note: string, publicKey: KeyObject) {
  const { size, root } = readCheckpoint(textOf(note))
  const key = verifierKey(originOf(workspaceId), publicKey)
  return {
    entries: size,
    root: root.toString('base64'),
    key,
    keyId: key.split('+')[1]!,
    trusted: isSigned(note, { workspaceId, size, root }, publicKey),
  }
}

function lastCheck(entry: AuditEntry): Verification['lastCheck'] {
  const details = detailsOf(entry, 'audit_verified')
  if (!details) return null
  const { entries, findings } = details
  return { at: entry.timestamp, by: entry.actor.name, entries, findings }
}
