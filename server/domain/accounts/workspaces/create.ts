import { randomBytes } from 'node:crypto'
import { maxSlugLength } from '@signalbox/contract/limits.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { isReserved } from './reserved.ts'
import { insertWorkspace } from './store.ts'

type Workspace = { id: string; slug: string; name: string }

/** Makes a workspace. Its first audit entry is its own creation. */
export async function createWorkspace(
  ctx: Omit<Context, 'workspaceId'>,
  input: { slug: string; name: string },
) {
  const workspace = newWorkspace(ctx, input)
  return change({ ...ctx, workspaceId: workspace.id }, (tx) => addWorkspace(ctx, tx, workspace))
}

/** A workspace that is still to be written. */
export function newWorkspace(ctx: Pick<Context, 'clock'>, input: { slug: string; name: string }): Workspace {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(input.slug) || input.slug.length > maxSlugLength) {
    throw new DomainError(
      'invalid_request',
      `A workspace slug is lowercase words joined by hyphens, at most ${maxSlugLength} characters.`,
    )
  }
  if (isReserved(input.slug))
    throw new DomainError('invalid_request', `The slug ${input.slug} is reserved. Choose another.`)
  return { id: newId(ctx.clock.now()), slug: input.slug, name: input.name.trim() || input.slug }
}

/** Writes it as part of a transaction, with the entry it leaves. */
export async function addWorkspace(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  workspace: Workspace,
): Promise<{ value: Workspace; audit: Entry }> {
  const createdAt = ctx.clock.now()
  if (!(await insertWorkspace(tx, workspace.id, { ...workspace, keySecret: randomBytes(32), createdAt }))) {
    throw new DomainError(
      'conflict',
      `There is already a workspace ${workspace.slug}. Choose another address.`,
    )
  }
  return {
    value: workspace,
    audit: {
      event: 'workspace_created',
      entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
    },
  }
}
