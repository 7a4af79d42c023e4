import type { KeyObject } from 'node:crypto'
import type { Checked } from '@signalbox/contract/app/audit.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { change } from '../audit/change.ts'
import { extentOfLog } from './store.ts'
import { verifyLog } from './verify-log.ts'

/** A longer log takes longer to check than people wait for a page; use `verify-audit` on the command line for those. */
export const mostCheckedEntries = 100_000

/** Findings that an entry quotes; the answer has them all. */
const mostQuoted = 20

/** Workspaces whose log is being read on this node. */
const underWay = new Set<string>()

/** Reads the whole log of the workspace, holds it against its signed checkpoints, and records what was found. */
export async function verifyWorkspaceLog(ctx: Context, publicKey: KeyObject): Promise<Checked> {
  requireRole(ctx, 'admin', 'check the audit log')
  const { workspaceId } = ctx
  if (underWay.has(workspaceId))
    throw new DomainError('conflict', 'The log is already being verified. The result will be recorded in it.')
  underWay.add(workspaceId)
  try {
    await refuseLong(ctx)
    const at = ctx.clock.now()
    const { workspaces } = await verifyLog(ctx.db, publicKey, { now: at, workspaceId })
    const { entries, checkpoints, findings } = workspaces[0]!
    await record(ctx, { entries, checkpoints, findings })
    return { at: at.toISOString(), entries, checkpoints, findings }
  } finally {
    underWay.delete(workspaceId)
  }
}

async function refuseLong(ctx: Context): Promise<void> {
  const { leaves, sealed } = await extentOfLog(ctx.db, ctx.workspaceId)
  const entries = Math.max(leaves, sealed)
  if (entries <= mostCheckedEntries) return
  throw new DomainError(
    'conflict',
    `The log has ${entries.toLocaleString('en')} entries; up to ${mostCheckedEntries.toLocaleString('en')} can be verified here. Ask the server operator to run \`npm run signalbox -- verify-audit\`.`,
  )
}

async function record(ctx: Context, { entries, checkpoints, findings }: Omit<Checked, 'at'>): Promise<void> {
  await change(ctx, async () => ({
    value: undefined,
    audit: {
      event: 'audit_verified',
      result: findings.length === 0 ? 'success' : 'failure',
      entity: { type: 'audit_log', id: ctx.workspaceId },
      details: {
        entries,
        checkpoints,
        findings: findings.length,
        ...(findings.length > 0 ? { first: findings.slice(0, mostQuoted) } : {}),
      },
    },
  }))
}
