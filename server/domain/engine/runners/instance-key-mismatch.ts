import type { Tx } from '../../../infra/db/db.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Entry } from '../../record/audit/change.ts'
import { type LockedRunner, markRefused, selectTokenOwner } from './store.ts'

/** However often someone tries, people are told at most this often. */
const tellEveryMs = 3_600_000

/**
 * A machine with the instance of a runner and another key is not that runner. Owners, admins and the person whose token
 * the runner has are told, because either its folder was copied or someone is trying to take its place.
 */
export async function notifyOfKeyMismatch(
  ctx: Context,
  tx: Tx,
  { id, name }: LockedRunner,
  tokenId: string,
): Promise<Entry[]> {
  const at = ctx.clock.now()
  const since = new Date(at.getTime() - tellEveryMs)
  if (!(await markRefused(tx, ctx.workspaceId, id, { at, since }))) return []
  const own = await selectTokenOwner(tx, ctx.workspaceId, { runnerId: id })
  const tried = await selectTokenOwner(tx, ctx.workspaceId, { tokenId })
  const admins = await membersAtLeast(tx, ctx.workspaceId, 'admin')
  await notify(ctx, tx, [...new Set([...admins, ...(own.isMember ? [own.personId] : [])])], {
    kind: 'runner',
    thing: id,
    what: `refused at ${at.toISOString()}`,
    title: `Another machine tried to connect as runner ${name}`,
    body: `It used the token ${tried.name} (${tried.prefix}…) of ${tried.owner} and has another key, so it was refused. If no one moved the runner, revoke that token.`,
  })
  return [
    {
      event: 'runner_changed',
      entity: { type: 'runner', id, name },
      result: 'denied',
      details: { change: 'refused', cause: 'foreign_key' },
    },
  ]
}

export const instanceTaken = (name: string): DomainError =>
  new DomainError(
    'instance_taken',
    `Runner ${name} has this instance and another key. If this machine should replace it, an owner or admin has to remove and forget the old runner in the app. Otherwise, start with a fresh data folder.`,
  )
