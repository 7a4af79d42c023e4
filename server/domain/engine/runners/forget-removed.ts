import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockRunner, markForgotten } from './store.ts'

/**
 * Frees the instance of a removed runner: the next machine to connect with it, with any key, is a new runner. What the
 * old one did stays on record.
 */
export async function forgetRunner(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'forget a runner')
  await change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const runner = await lockRunner(tx, ctx.workspaceId, { id }, at)
    if (!runner) throw notFound('runner', id)
    if (runner.state !== 'removed')
      throw new DomainError(
        'conflict',
        `Runner ${runner.name} is still connected to the workspace. Remove it first.`,
      )
    await markForgotten(tx, ctx.workspaceId, id, at)
    return {
      value: undefined,
      audit: {
        event: 'runner_changed',
        entity: { type: 'runner', id, name: runner.name },
        details: { change: 'forgotten' },
      },
    }
  })
}
