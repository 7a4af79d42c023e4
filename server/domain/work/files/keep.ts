import { createHash } from 'node:crypto'
import { asksFor } from '@signalbox/contract/remedy.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { OrderRef } from '../../ports/work.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { addToOrder, addToRun, addToWorkspace, insertFile } from './store.ts'

/** What one work order may bring: an honest one brings a few files, and one for each gate. */
const mostOfOrder = { files: 300, bytes: 256_000_000 }
/** What a workspace may keep, all its runs together. */
const mostOfWorkspaceBytes = 50_000_000_000

/**
 * Keeps a file that came back with a work order, under the hash of its bytes, as a file of its run. A file means
 * nothing on its own: the report that names it says what it is for, and has its own audit entries. Returns false when
 * the run already has it. The answer does not depend on other runs, so it does not reveal what they have.
 */
export async function keepFile(
  ctx: Context,
  { order, sha256, bytes }: { order: OrderRef; sha256: string; bytes: Buffer },
  { workspaceBytes = mostOfWorkspaceBytes, ofOrder = mostOfOrder } = {},
): Promise<boolean> {
  const measured = createHash('sha256').update(bytes).digest('hex')
  if (measured !== sha256)
    throw new DomainError('hash_mismatch', `The bytes that arrived have the hash ${measured}.`)
  const size = bytes.length
  return housekeeping(ctx.db, 'what a runner uploaded', async (tx) => {
    const isNew = await insertFile(tx, ctx.workspaceId, { sha256, bytes, at: ctx.clock.now() })
    if (!(await addToRun(tx, ctx.workspaceId, order.runId, sha256))) return false
    if (isNew && (await addToWorkspace(tx, ctx.workspaceId, size)) > workspaceBytes)
      throw new DomainError(
        'file_limit',
        `The workspace has reached its limit for files. Files of old runs can be removed sooner, or the limit can be raised. ${asksFor('WORKSPACE_FILES_GB', Math.round(workspaceBytes / 1e9))}`,
      )
    // Last, because beats wait for it.
    if (!(await addToOrder(tx, ctx.workspaceId, order, size, ofOrder)))
      throw new DomainError(
        'file_limit',
        `A work order can upload at most ${ofOrder.files} files with ${Math.round(ofOrder.bytes / 1e6)} MB in all. Leave generated files and large binaries out of the change.`,
      )
    return true
  })
}
