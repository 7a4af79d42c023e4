import { isolationLevelOf } from '@signalbox/contract/isolation.ts'
import { protocolVersion, type Register, type Registered } from '@signalbox/contract/runner/messages.ts'
import { invalidate } from '../../infra/cluster.ts'
import { newId } from '../../infra/ids.ts'
import { change, type Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { giveUpOrders } from '../engine/give-up-orders.ts'
import { offlineAfterSeconds } from '../engine/offline.ts'
import { keepOrders } from '../engine/renew-orders.ts'
import { DomainError } from '../errors.ts'
import { insertRunner, type LockedRunner, lockRunner, updateRegistration } from './store.ts'
import { wakeTeams } from './wake-teams.ts'

/**
 * Lets a runner in, and settles with it what it has: the same instance is the same runner, and one start of it at a
 * time may speak for it. What an earlier start has left behind is lost at once, unless this one says that it goes on
 * with it.
 */
export async function registerRunner(
  ctx: Context,
  tokenId: string,
  input: Register,
): Promise<Pick<Registered, 'runner' | 'session' | 'holds'>> {
  refuseProtocol(input.protocol)
  return change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const { instance, boot, holds } = input
    const fresh = { ...input, tokenId, at, state: 'active' } as const
    const isNew = await insertRunner(tx, ctx.workspaceId, newId(at), fresh)
    const before = (await lockRunner(tx, ctx.workspaceId, { instance }, at))!
    if (!isNew) refuseSecond(before, boot, at)
    const isNewStart = isNew || before.boot !== boot || before.leftAt !== null
    if (!isNew) {
      // A drain is over with the start that was drained; a pause is not.
      const state = before.state === 'paused' || !isNewStart ? before.state : 'active'
      await updateRegistration(tx, ctx.workspaceId, before.id, { ...fresh, state }, isNewStart)
      // Under the same number other nodes may know it as it was.
      if (!isNewStart) await invalidate(tx)
    }
    const { id, session, name } = (await lockRunner(tx, ctx.workspaceId, { instance }, at))!
    const isGiven = (order: { run: string; fence: number }, states: string[]) =>
      holds.some(
        ({ run, fence, state }) => run === order.run && fence === order.fence && states.includes(state),
      )
    const { entries } = await giveUpOrders(ctx, tx, id, 'lost', (order) =>
      isNewStart ? !isGiven(order, ['working', 'reported']) : isGiven(order, ['lost']),
    )
    const verdicts = await keepOrders(ctx, tx, { runnerId: id, session }, holds)
    await wakeTeams(ctx, tx)
    const connected: Entry = {
      event: 'runner_changed',
      entity: { type: 'runner', id, name },
      details: {
        change: 'connected',
        version: input.version,
        executors: input.executors.map(({ name: executor }) => executor),
        isolation: isolationLevelOf(input.isolation),
        slots: input.slots,
      },
    }
    return {
      value: {
        runner: id,
        session,
        holds: verdicts.map(({ run, fence, verdict }) => ({ run, fence, verdict })),
      },
      audit: [...(isNewStart ? [connected] : []), ...entries],
    }
  })
}

function refuseProtocol({ least, most }: Register['protocol']): void {
  if (least <= protocolVersion && protocolVersion <= most) return
  const which = most < protocolVersion ? 'runner' : 'server'
  throw new DomainError(
    'upgrade_required',
    `This server speaks version ${protocolVersion} of the runner protocol, the runner ${least === most ? `version ${least}` : `versions ${least} to ${most}`}. Upgrade the ${which}.`,
  )
}

function refuseSecond(before: LockedRunner, boot: string, at: Date): void {
  if (before.boot === boot) {
    if (before.state !== 'removed') return
    throw new DomainError(
      'runner_removed',
      `Runner ${before.name} was removed. Start it again to reconnect it.`,
    )
  }
  const aliveUntil = before.lastSeenAt.getTime() + offlineAfterSeconds * 1000
  if (!before.isConnected || aliveUntil <= at.getTime()) return
  const retrySeconds = Math.ceil((aliveUntil - at.getTime()) / 1000)
  throw new DomainError(
    'session_alive',
    `Runner ${before.name} is connected under another start. If that has ended, try again in ${retrySeconds} seconds.`,
    { retrySeconds },
  )
}
