import { isolationLevelOf } from '@signalbox/contract/isolation.ts'
import { isSignedEnrolment } from '@signalbox/contract/runner/enrolment.ts'
import { protocolVersion, type Register, type Registered } from '@signalbox/contract/runner/messages.ts'
import { invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { readRunnerApproval } from '../../accounts/workspaces/runner-approval.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { offlineAfterSeconds } from '../orders/offline.ts'
import { keepOrders } from '../orders/renew-orders.ts'
import { giveUpOrders } from '../supervision/give-up-orders.ts'
import type { Challenges } from './challenges.ts'
import { instanceTaken, notifyOfKeyMismatch } from './instance-key-mismatch.ts'
import { notifyOfPendingRunner } from './notify-of-pending-runner.ts'
import { type MostRunners, refuseTooMany } from './refuse-too-many.ts'
import { insertRunner, type LockedRunner, lockRunner, type RunnerState, updateRegistration } from './store.ts'
import { wakeTeams } from './wake-teams.ts'

export interface Door {
  /** What the runner comes with. */
  token: { id: string; hash: string }
  challenges: Challenges
  most: MostRunners
}

type Admitted = Pick<Registered, 'runner' | 'session' | 'holds' | 'notice'>

const pendingNotice =
  'This runner is waiting for approval: an owner or admin approves it in the app under Settings, Runners. Until then it gets no work.'

/**
 * Lets a runner in, and settles with it what it has: the same instance is the same runner, which it proves with its key,
 * and one start of it at a time may speak for it. What an earlier start left behind is lost immediately, unless this
 * one says that it goes on with it.
 */
export async function registerRunner(ctx: Context, door: Door, input: Register): Promise<Admitted> {
  refuseProtocol(input.protocol)
  refuseUnsigned(input, door.token.hash)
  const outcome = await change<Admitted | { takenBy: string }>(ctx, async (tx) => {
    const at = ctx.clock.now()
    const { instance, boot } = input
    const fresh = { ...input, tokenId: door.token.id, at }
    const approves = await readRunnerApproval({ db: tx, workspaceId: ctx.workspaceId })
    const first = approves ? 'pending' : 'active'
    const isNew = await insertRunner(tx, ctx.workspaceId, newId(at), { ...fresh, state: first })
    const before = (await lockRunner(tx, ctx.workspaceId, { instance }, at))!
    const asked = { workspaceId: ctx.workspaceId, instance, boot, registrations: before.registrations }
    if (!door.challenges.isFor(input.proof!.challenge, asked, at)) throw challengeOver()
    // What was written down of it stays although it is refused.
    if (before.evidenceKey !== input.evidenceKey)
      return {
        value: { takenBy: before.name },
        audit: await notifyOfKeyMismatch(ctx, tx, before, door.token.id),
      }
    if (!isNew) refuseSecond(before, boot, at)
    const isNewStart = isNew || before.boot !== boot || before.leftAt !== null
    const state = isNew ? first : stateAfter(before, isNewStart, first)
    await updateRegistration(tx, ctx.workspaceId, before.id, { ...fresh, state }, isNewStart && !isNew)
    // Under the same number other nodes may know it as it was.
    if (!isNewStart) await invalidate(tx)
    if (isNew || before.state === 'removed' || before.tokenId !== door.token.id)
      await refuseTooMany(ctx, tx, door.token.id, door.most)
    const runner = (await lockRunner(tx, ctx.workspaceId, { instance }, at))!
    if (state === 'pending' && (isNew || before.state === 'removed'))
      await notifyOfPendingRunner(ctx, tx, runner)
    const { holds, entries } = await settle(ctx, tx, runner, input, isNewStart)
    return {
      value: {
        runner: runner.id,
        session: runner.session,
        holds,
        notice: state === 'pending' ? pendingNotice : null,
      },
      audit: [...(isNewStart ? [connected(runner, input)] : []), ...entries],
    }
  })
  if ('takenBy' in outcome) throw instanceTaken(outcome.takenBy)
  return outcome
}

/** What it has of earlier starts, and what of it is still wanted. */
async function settle(
  ctx: Context,
  tx: Tx,
  { id, session }: LockedRunner,
  { holds }: Register,
  isNewStart: boolean,
): Promise<{ holds: Registered['holds']; entries: Entry[] }> {
  const isGiven = (order: { run: string; fence: number }, states: string[]) =>
    holds.some(
      ({ run, fence, state }) => run === order.run && fence === order.fence && states.includes(state),
    )
  const { entries } = await giveUpOrders(ctx, tx, id, 'lost', (order) =>
    isNewStart ? !isGiven(order, ['working', 'reported']) : isGiven(order, ['lost']),
  )
  const verdicts = await keepOrders(ctx, tx, { runnerId: id, session }, holds)
  await wakeTeams(ctx, tx)
  return { holds: verdicts.map(({ run, fence, verdict }) => ({ run, fence, verdict })), entries }
}

const connected = ({ id, name }: LockedRunner, input: Register): Entry => ({
  event: 'runner_changed',
  entity: { type: 'runner', id, name },
  details: {
    change: 'connected',
    version: input.version,
    executors: input.executors.map(({ name: executor }) => executor),
    isolation: isolationLevelOf(input.isolation),
    slots: input.slots,
  },
})

/**
 * A drain is over with the start that was drained; a pause is not, and starting a runner again does not approve it.
 * One that was removed counts as new.
 */
function stateAfter({ state }: LockedRunner, isNewStart: boolean, first: RunnerState): RunnerState {
  if (state === 'removed') return first
  return state === 'draining' && isNewStart ? 'active' : state
}

function refuseProtocol({ least, most }: Register['protocol']): void {
  if (least <= protocolVersion && protocolVersion <= most) return
  const which = most < protocolVersion ? 'runner' : 'server'
  throw new DomainError(
    'upgrade_required',
    `This server speaks version ${protocolVersion} of the runner protocol, the runner ${least === most ? `version ${least}` : `versions ${least} to ${most}`}. Upgrade the ${which}.`,
  )
}

function refuseUnsigned({ proof, instance, boot, evidenceKey }: Register, tokenHash: string): void {
  if (!proof)
    throw new DomainError(
      'upgrade_required',
      'This runner does not sign its registration, which this server requires. Install the runner that belongs to the server.',
    )
  const { challenge, signature } = proof
  if (isSignedEnrolment({ challenge, instance, boot, evidenceKey, tokenHash }, signature)) return
  throw new DomainError(
    'proof_refused',
    'The registration is not signed with the key that it names. Sign the challenge with the runner’s own Ed25519 key and the token that is sent.',
  )
}

const challengeOver = () =>
  new DomainError(
    'challenge_over',
    'The challenge that was signed is over or was for another registration. Ask for a new one.',
  )

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
