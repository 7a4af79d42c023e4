import type { Details } from '@signalbox/contract/audit-details.ts'
import type { HandOff, ReportEvidence, ReportProgress } from '@signalbox/contract/local-work.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import type { LockedRun } from '../machine/lock.ts'
import { appendEvent } from '../machine/run-store.ts'
import { localLeaseFrom, renewOrder } from '../orders/orders.ts'
import { updateLocalWork } from './store.ts'

type Said = { progress: ReportProgress } | { evidence: ReportEvidence } | { handedOff: HandOff }

/** Writes down what a person said of their work, as theirs: with its entry, and the time they have from now on. */
export async function noteReport(
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  said: Said,
  details: Details['local_work_reported'],
): Promise<{ value: { leaseUntil: string }; audit: Entry }> {
  const at = ctx.clock.now()
  const [[what, report]] = Object.entries(said) as [[string, object]]
  await updateLocalWork(
    tx,
    ctx.workspaceId,
    { id: run.id, attempt: run.state.attempt },
    { [what]: { ...report, at: at.toISOString() } },
  )
  await appendEvent(
    tx,
    ctx.workspaceId,
    { id: run.id, version: run.version + 1, isAlive: true },
    { at, type: `${details.report}_reported`, data: report, fence: null, report: null },
  )
  await renewOrder(ctx, tx, run.id)
  return {
    value: { leaseUntil: localLeaseFrom(at).toISOString() },
    audit: {
      event: 'local_work_reported',
      team: run.team.slug,
      runKey: run.key,
      entity: { type: 'run', id: run.key, name: run.story.title },
      details,
    },
  }
}
