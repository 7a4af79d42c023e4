import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { type Context, theService } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { changeTogether, type Entry } from '../../record/audit/change.ts'
import {
  deleteTracesOfPerson,
  eraseNamesByWorkspaces,
  eraseValuesOfPerson,
  lockOrphanedOfPerson,
  lockPersonById,
  selectMembershipIdsOfPerson,
  selectNamesOfPerson,
  selectWorkspacesOfPerson,
} from './person-store.ts'

export interface Erased {
  /** Logs that say so. */
  workspaces: number
  /** Personal values that the logs refer to. */
  values: number
  /** Sentences outside of the logs that had their name. */
  sentences: number
}

/** What the log has of a person is a name, or a sentence around it; only the former is looked for elsewhere. */
const longestName = 200

/**
 * Erases a person: they leave every workspace and cannot sign in, their name and address go, and so does what the
 * entries of the second format refer to. The id stays, and says only that it was the same person. `home` is where a
 * person asked for it: the other logs say that the service did it.
 */
export async function erasePerson(
  by: Omit<Context, 'workspaceId'>,
  personId: string,
  { home = null, again = false }: { home?: string | null; again?: boolean } = {},
): Promise<Erased> {
  const { sequence, ...erased } = await changeTogether(by, async (tx) => {
    const person = await lockPersonById(tx, personId)
    if (!person) throw new DomainError('not_found', 'There is no such person, or they were erased before.')
    if (!again) await refuseLastOwner(tx, personId)
    const erasure = newId(by.clock.now())
    const { logs, sentences } = await eraseEverywhere(tx, person, erasure, by.clock.now())
    const audit = [...logs].map(([workspaceId, gone]) => ({
      ctx: ctxOf(by, workspaceId, home),
      entry: entryOf(personId, { erasure, ...gone, ...(again ? { again } : {}) }),
    }))
    const values = [...logs.values()].reduce((sum, gone) => sum + gone.values, 0)
    return { value: { workspaces: logs.size, values, sentences, sequence: await invalidate(tx) }, audit }
  })
  await confirmed(by.db, sequence)
  return erased
}

/** Each log that they were in says how many of its values are gone, even if none are. */
async function eraseEverywhere(
  tx: Tx,
  { id, name, email }: { id: string; name: string; email: string },
  erasure: string,
  at: Date,
) {
  const members = await selectMembershipIdsOfPerson(tx, id)
  const workspaces = await selectWorkspacesOfPerson(tx, id)
  const names = [name, email, ...(await selectNamesOfPerson(tx, id, longestName))]
  const sentences = await eraseNamesByWorkspaces(tx, workspaces, [...new Set(names.flatMap(withJson))])
  const nothing = { values: 0, digest: null as string | null }
  const logs = new Map(members.map((workspaceId) => [workspaceId, nothing]))
  for (const { workspaceId, values, digest } of await eraseValuesOfPerson(tx, id, email, erasure))
    logs.set(workspaceId, { values, digest })
  await deleteTracesOfPerson(tx, id, email, at)
  return { logs, sentences }
}

/** A name as it is in plain text, and as it is in JSON. */
const withJson = (name: string): string[] => [name, JSON.stringify(name).slice(1, -1)]

async function refuseLastOwner(tx: Tx, personId: string): Promise<void> {
  const orphaned = await lockOrphanedOfPerson(tx, personId)
  if (orphaned.length > 0)
    throw new DomainError(
      'conflict',
      `They are the last owner of ${orphaned.join(', ')}. Make someone else an owner first.`,
    )
}

/** People of one workspace are not named in the log of another. */
const ctxOf = (by: Omit<Context, 'workspaceId'>, workspaceId: string, home: string | null): Context =>
  home === null || home === workspaceId
    ? { ...by, workspaceId }
    : { db: by.db, clock: by.clock, queue: by.queue, workspaceId, actor: theService, channel: by.channel }

const entryOf = (personId: string, details: Entry<'person_erased'>['details']): Entry => ({
  event: 'person_erased',
  entity: { type: 'member', id: personId },
  details,
})
