import { invalidate } from '../../infra/cluster.ts'
import { change, type Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { giveUpOrders } from '../engine/give-up-orders.ts'
import { DomainError, notFound } from '../errors.ts'
import { requireRole } from '../roles.ts'
import { lockRunner, type RunnerState, updateState } from './store.ts'
import { wakeTeams } from './wake-teams.ts'

const changes = { active: 'resumed', paused: 'paused', draining: 'draining', removed: 'removed' } as const

/** Puts a runner into a state; it hears of it with its next beat, and is given no work that it should not have at once. */
export async function setState(ctx: Context, id: string, state: RunnerState, verb: string): Promise<void> {
  requireRole(ctx, 'admin', `${verb} a runner`)
  await change(ctx, async (tx) => {
    const runner = await lockRunner(tx, ctx.workspaceId, { id }, ctx.clock.now())
    if (!runner || runner.state === 'removed') throw notFound('runner', id)
    if (runner.state === state)
      throw new DomainError('conflict', `Runner ${runner.name} is ${state} already.`)
    await updateState(tx, ctx.workspaceId, id, state)
    await invalidate(tx)
    const { runs, entries } =
      state === 'removed' ? await giveUpOrders(ctx, tx, id, 'handed_back') : { runs: [], entries: [] }
    if (state === 'active') await wakeTeams(ctx, tx)
    const changed: Entry = {
      event: 'runner_changed',
      entity: { type: 'runner', id, name: runner.name },
      details: { change: changes[state], ...(runs.length > 0 ? { handedBack: runs } : {}) },
    }
    return { value: undefined, audit: [changed, ...entries] }
  })
}
