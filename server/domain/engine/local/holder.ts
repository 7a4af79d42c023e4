import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { type LockedRun, lockRun } from '../machine/lock.ts'
import { isHeldByPerson } from '../machine/machine.ts'

/** The person who acts: the product itself has no machine of its own to work on. */
export function personOf({ actor }: Context): { id: string; name: string } {
  if (actor.type === 'human') return { id: actor.userId, name: actor.name }
  throw new DomainError('insufficient_role', 'Only people can work on a story themselves.')
}

/** A run that the person who acts is working on, held. */
export async function lockOwnRun(ctx: Context, tx: Tx, key: string): Promise<LockedRun> {
  const { run, isOwn } = await lockLocalRun(ctx, tx, key)
  if (isOwn) return run
  throw new DomainError(
    'conflict',
    `${run.state.memory.local!.name} is working on ${run.story.key}, not you. Only they can report on \`${key}\`.`,
  )
}

/** The same for the people who may end it: the person who has it, or an owner or admin. */
export async function lockRunToGiveBack(ctx: Context, tx: Tx, key: string): Promise<LockedRun> {
  const { run, isOwn } = await lockLocalRun(ctx, tx, key)
  if (isOwn || ctx.actor.type !== 'human' || isAtLeast(ctx.actor.role, 'admin')) return run
  throw new DomainError(
    'insufficient_role',
    `${run.state.memory.local!.name} is working on ${run.story.key}. They, an owner or an admin can give it back.`,
  )
}

async function lockLocalRun(ctx: Context, tx: Tx, key: string) {
  const person = personOf(ctx)
  const run = await lockRun(tx, ctx.workspaceId, { key })
  if (!isHeldByPerson(run.state)) {
    const { phase, memory } = run.state
    throw new DomainError(
      'conflict',
      memory.local?.handedOff
        ? `Run \`${key}\` was already handed off. It is ${phase}.`
        : `No one is working on run \`${key}\` on their own machine. It is ${phase}.`,
    )
  }
  return { run, isOwn: run.state.memory.local!.personId === person.id }
}
