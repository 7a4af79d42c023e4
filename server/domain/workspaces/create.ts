import { randomBytes } from 'node:crypto'
import { newId } from '../../infra/ids.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { insertWorkspace } from './store.ts'

/** Makes a workspace. Its first audit entry is its own creation. */
export async function createWorkspace(
  ctx: Omit<Context, 'workspaceId'>,
  wanted: { slug: string; name: string },
) {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(wanted.slug) || wanted.slug.length > 64) {
    throw new DomainError(
      'invalid_request',
      'A workspace slug is lowercase words joined by hyphens, at most 64 characters.',
    )
  }
  const createdAt = ctx.clock.now()
  const workspace = { id: newId(createdAt), slug: wanted.slug, name: wanted.name.trim() || wanted.slug }
  return change({ ...ctx, workspaceId: workspace.id }, async (tx) => {
    if (!(await insertWorkspace(tx, { ...workspace, keySecret: randomBytes(32), createdAt }))) {
      throw new DomainError('conflict', `There is a workspace ${wanted.slug} already.`)
    }
    return {
      value: workspace,
      audit: {
        event: 'workspace_created',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
      },
    }
  })
}
