import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { deliverOwn } from '../../on-call/sources/deliver-own.ts'
import type { Intake } from '../../on-call/sources/send-test.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { practiceAlert } from './content.ts'
import { noPractice } from './no-practice.ts'
import { markAlerted, selectProgress } from './store.ts'

/** Sends the alert whose stack trace names the merged file, once the change is merged. Its delivery has the audit entry. */
export async function sendPracticeAlert(ctx: Context, intake: Intake): Promise<void> {
  requireRole(ctx, 'admin', 'send the practice alert')
  const project = await selectProgress(ctx.db, ctx.workspaceId, ctx.clock.now())
  if (!project) throw noPractice()
  if (!project.isMerged)
    throw new DomainError('conflict', 'Merge the change first: the alert is about what it does.')
  if (project.incident) return
  await deliverOwn(ctx, intake, project.sourceId, practiceAlert(project.service))
  await housekeeping(ctx.db, 'when the practice alert was sent', (tx) =>
    markAlerted(tx, ctx.workspaceId, ctx.clock.now()),
  )
}
