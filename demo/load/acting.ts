import { operator } from '../../server/app/operator.ts'
import { findMemberByEmail } from '../../server/domain/accounts/workspaces/find-member.ts'
import { findWorkspace } from '../../server/domain/accounts/workspaces/find-workspace.ts'
import type { Context } from '../../server/domain/context.ts'
import type { Clock } from '../../server/infra/clock.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { silentQueue } from '../../server/infra/jobs/queue.ts'

export type Acting = Context & { actor: { type: 'human'; userId: string } }

/** A person of the demo, as the context in which that person acts. */
export async function acting(db: Db, clock: Clock, slug: string, email: string): Promise<Acting> {
  const { id } = await findWorkspace(db, slug)
  const person = await findMemberByEmail(db, id, email)
  if (!person) throw new Error(`${email} is not in the demo's workspace ${slug}.`)
  return {
    db,
    clock,
    workspaceId: id,
    actor: { type: 'human', name: person.name, userId: person.id, role: person.role },
    channel: 'app',
    queue: silentQueue,
  }
}

/**
 * For what has to be set up again at each start, because addresses on this machine are new: a file may manage it by
 * now, which people cannot change.
 */
export const asOperator = (ctx: Acting): Context => ({ ...ctx, actor: operator(), channel: 'operator' })
