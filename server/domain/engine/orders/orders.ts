import { tellNodes } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import type { LockedRun } from '../machine/lock.ts'
import { isHeldByPerson } from '../machine/machine.ts'
import { agentFor } from '../machine/race.ts'
import { payloadOf } from './order-payload.ts'
import { insertLocalOrder, insertOrder, markEnded, updateLease } from './order-store.ts'

/** Without a report for this long, a work order counts as lost. */
export const leaseSeconds = 60

/** How long an order waits for a runner that takes it. */
export const offerSeconds = 600
/** How long a runner that fell silent, and may well be there, is given to come back. */
export const reconnectSeconds = 300

const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)

/** A person who works on a story themselves reports when they come to it. */
export const localLeaseHours = 24

export const localLeaseFrom = (at: Date) => later(at, localLeaseHours * 3_600)

export const leaseFrom = (at: Date) => later(at, leaseSeconds)

/**
 * Gives out the stage that a run is at. What a person works on is theirs already. Where there is a repository, the
 * order waits until a runner asks for it; otherwise it is handed to the worker in this process.
 */
export async function offerOrder(ctx: Context, tx: Tx, run: LockedRun): Promise<void> {
  const { fence, attempt, stage } = run.state
  const at = ctx.clock.now()
  const runId = run.id
  const { isolation, runnerLabels: labels = [] } = run.policy
  const executor = agentFor(run.state.memory, run.policy, stage)
  const { local } = run.state.memory
  if (local && isHeldByPerson(run.state)) {
    await insertLocalOrder(tx, ctx.workspaceId, {
      ...{ runId, fence, attempt, stage, at },
      personId: local.personId,
      holder: local.name,
      leaseUntil: localLeaseFrom(at),
    })
    return
  }
  const isForRunners = (await teamRepository(tx, ctx.workspaceId, run.team.id)) !== null
  const offeredUntil = isForRunners ? later(at, offerSeconds) : null
  await insertOrder(tx, ctx.workspaceId, {
    ...{ runId, fence, attempt, stage, executor, isolation, labels, at, offeredUntil },
    job: payloadOf(run.state.memory).job,
    leaseUntil: offeredUntil ?? leaseFrom(at),
  })
  if (isForRunners) await announceOffer(ctx, tx)
  else
    await addEffect(ctx, tx, { kind: 'hand_out', key: `hand_out/${runId}/${fence}`, data: { fence }, runId })
}

/** Tells every node that there is work, for the runners that wait for it. */
export const announceOffer = (ctx: Context, tx: Tx): Promise<void> => tellNodes(tx, offered(ctx.workspaceId))

/** What the nodes tell each other when there is an order to be taken. */
const offered = (workspaceId: string) => `offered ${workspaceId}`

/** The workspace in which an order is to be taken; null: the news is another. */
export const workspaceOfOffer = (news: string): string | null => /^offered (.+)$/.exec(news)?.[1] ?? null

/** Extends the lease after a sign of life from the runner or person who has the order. */
export const renewOrder = (ctx: Context, tx: Tx, runId: string): Promise<void> =>
  updateLease(tx, ctx.workspaceId, runId, {
    until: leaseFrom(ctx.clock.now()),
    untilOfPerson: localLeaseFrom(ctx.clock.now()),
  })

/** The order is done, or nothing more of it is wanted. True: a slot of a runner is free. */
export const endOrder = (ctx: Context, tx: Tx, runId: string): Promise<boolean> =>
  markEnded(tx, ctx.workspaceId, runId, ctx.clock.now())

/** Has the teams that wait for a runner's slot look again, in turn. */
export const announceSlot = (ctx: Context, tx: Tx): Promise<void> =>
  ctx.queue.send(tx, { task: 'slots', workspaceId: ctx.workspaceId, id: ctx.workspaceId })
