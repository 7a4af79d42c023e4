import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { type ProvisionedGroup, readGroup } from './read-groups.ts'
import { insertGroup, insertGroupMembers, lockProvisioning, selectGroups, selectKnownUsers } from './store.ts'

/** What a provider says of a group. */
export interface GroupGiven {
  displayName: string
  externalId: string | null
  /** Ids of users. */
  members: readonly string[]
}

/** Takes a group over from the provider. It gives no role until an owner says which. */
export async function createGroup(ctx: Context, given: GroupGiven): Promise<ProvisionedGroup> {
  const at = ctx.clock.now()
  const id = newId(at)
  const { displayName, externalId } = given
  await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    await refuseNamesake(ctx, tx, id, displayName)
    const members = await requireUsers(ctx, tx, given.members)
    await insertGroup(tx, ctx.workspaceId, { id, displayName, externalId, at })
    await insertGroupMembers(tx, ctx.workspaceId, id, members)
    return {
      value: undefined,
      audit: {
        event: 'provisioning_changed',
        entity: { type: 'group', id, name: displayName },
        details: { change: 'group_created', added: members },
      },
    }
  })
  return readGroup(ctx, id)
}

export async function refuseNamesake(ctx: Context, tx: Tx, id: string, displayName: string): Promise<void> {
  const one = { offset: 0, most: 1 }
  const [namesake] = await selectGroups(tx, ctx.workspaceId, one, { displayName })
  if (namesake && namesake.id !== id)
    throw new DomainError('conflict', `There is already a group \`${displayName}\` in this workspace.`, {
      scimType: 'uniqueness',
    })
}

/** The same ids, each once; refuses those of people whom the workspace does not know. */
export async function requireUsers(ctx: Context, tx: Tx, ids: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(ids)]
  const known = new Set(await selectKnownUsers(tx, ctx.workspaceId, wanted))
  const stranger = wanted.find((id) => !known.has(id))
  if (stranger !== undefined)
    throw new DomainError(
      'invalid_request',
      `\`members\`: there is no user \`${stranger}\` in this workspace.`,
      {
        scimType: 'invalidValue',
      },
    )
  return wanted
}
