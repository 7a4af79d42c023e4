import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../audit/change.ts'
import {
  deleteManaged,
  insertManaged,
  removeNamesakes,
  selectWorkspaceNamed,
  updateApplied,
  upsertManaged,
} from './store.ts'

export interface Marked {
  kind: ResourceKind
  name: string
  id: string
}

/** With what the file says of it. Secrets are not among it. */
export interface Stated extends Marked {
  applied: object
}

/**
 * Marks resources as managed by a file, which locks them, and notes what it says of them. Those that are marked already
 * leave no entry: what was changed of them has its own.
 */
export async function markManaged(ctx: Context, resources: readonly Stated[]): Promise<void> {
  if (resources.length === 0) return
  const workspace = await selectWorkspaceNamed(ctx.db, ctx.workspaceId)
  await change(ctx, async (tx) => {
    const marked: Marked[] = []
    for (const resource of resources) {
      await removeNamesakes(tx, ctx.workspaceId, resource)
      if (await upsertManaged(tx, ctx.workspaceId, resource, ctx.clock.now())) marked.push(resource)
      await updateApplied(tx, ctx.workspaceId, resource)
    }
    return {
      value: undefined,
      audit: marked.length > 0 ? entryOf(workspace, { before: null, after: marked }) : [],
    }
  })
}

/**
 * Marks what is being created, in the transaction that creates it: of two that create the same at the same time, the
 * second finds the name taken, and nothing of its own is left.
 */
export async function markCreated(ctx: Context, tx: Tx, resource: Stated): Promise<Entry> {
  const workspace = await selectWorkspaceNamed(tx, ctx.workspaceId)
  if (!(await insertManaged(tx, ctx.workspaceId, resource, ctx.clock.now()))) throw overtaken()
  return entryOf(workspace, { before: null, after: [resource] })
}

/** Someone else has just created what was to be created. */
export const overtaken = () =>
  new DomainError('changed_meanwhile', 'Someone else has just created this. Make a new plan and review it.')

/** Forgets the mark of what the file has let go, or of what was deleted. */
export const unmark = (ctx: Context, { kind, id }: Marked): Promise<void> =>
  change(ctx, async (tx) => ({ value: undefined, audit: await forgetMark(ctx, tx, kind, id) }))

/** The same in the transaction that deletes it: nothing is marked that is not there. Of what was not marked: nothing. */
export async function forgetMark(ctx: Context, tx: Tx, kind: ResourceKind, id: string): Promise<Entry[]> {
  const name = await deleteManaged(tx, ctx.workspaceId, kind, id)
  if (name === undefined) return []
  const workspace = await selectWorkspaceNamed(tx, ctx.workspaceId)
  return [entryOf(workspace, { before: [{ kind, name, id }], after: null })]
}

const keyOf = ({ kind, name }: Marked) => `${kind}.${name}`

/** The workspace says which of its resources a file manages. Members have their address for a name, which can be erased. */
export const entryOf = (
  { slug, name }: { slug: string; name: string },
  { before, after }: { before: readonly Marked[] | null; after: readonly Marked[] | null },
): Entry => ({
  event: 'workspace_changed',
  entity: { type: 'workspace', id: slug, name },
  details: {
    changes: [
      { field: 'managedByFile', before: before?.map(keyOf) ?? null, after: after?.map(keyOf) ?? null },
    ],
  },
  people: [...(before ?? []), ...(after ?? [])]
    .filter(({ kind }) => kind === 'members')
    .map((member) => ({ id: member.id, name: keyOf(member) })),
})
