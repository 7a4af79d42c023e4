import { invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { giveUpOrders } from '../supervision/give-up-orders.ts'
import { lockRunner, updateState } from './store.ts'
import { wakeTeams } from './wake-teams.ts'

/** Each verb with where it leads, and what the log says of it. */
const verbs = {
  pause: { to: 'paused', change: 'paused' },
  resume: { to: 'active', change: 'resumed' },
  drain: { to: 'draining', change: 'draining' },
  remove: { to: 'removed', change: 'removed' },
  approve: { to: 'active', change: 'approved' },
  reject: { to: 'removed', change: 'rejected' },
} as const

const isAnswer = (verb: keyof typeof verbs) => verb === 'approve' || verb === 'reject'

/** Puts a runner into a state. It is told with its next beat; what work it may be given changes immediately. */
export async function setState(ctx: Context, id: string, verb: keyof typeof verbs): Promise<void> {
  requireRole(ctx, 'admin', `${verb} a runner`)
  const { to, change: changed } = verbs[verb]
  await change(ctx, async (tx) => {
    const runner = await lockRunner(tx, ctx.workspaceId, { id }, ctx.clock.now())
    if (!runner || runner.state === 'removed') throw notFound('runner', id)
    const isPending = runner.state === 'pending'
    if (isPending && !isAnswer(verb) && to !== 'removed')
      throw new DomainError('conflict', `Runner ${runner.name} is waiting for approval. Approve it first.`)
    if (runner.state === to || (!isPending && isAnswer(verb)))
      throw new DomainError('conflict', `Runner ${runner.name} is already ${runner.state}.`)
    await updateState(tx, ctx.workspaceId, id, to)
    await invalidate(tx)
    const { runs, entries } =
      to === 'removed' ? await giveUpOrders(ctx, tx, id, 'handed_back') : { runs: [], entries: [] }
    if (to === 'active') await wakeTeams(ctx, tx)
    const said: Entry = {
      event: 'runner_changed',
      entity: { type: 'runner', id, name: runner.name },
      details: { change: changed, ...(runs.length > 0 ? { handedBack: runs } : {}) },
    }
    return { value: undefined, audit: [said, ...entries] }
  })
}
