import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { requireRole } from '../roles.ts'
import { lockRunner, markForgotten } from './store.ts'

/**
 * Gives the instance of a removed runner free: whoever comes under it next, with whatever key, is a new runner. What the
 * old one did stays where it is told.
 */
export async function forgetRunner(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'forget a runner')
  await change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const runner = await lockRunner(tx, ctx.workspaceId, { id }, at)
    if (!runner) throw notFound('runner', id)
    if (runner.state !== 'removed')
      throw new DomainError('conflict', `Runner ${runner.name} is on the list. Remove it first.`)
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
