import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectFile } from './store.ts'

/** The bytes with that hash. */
export async function readFile(ctx: Pick<Context, 'db' | 'workspaceId'>, sha256: string): Promise<Buffer> {
  const found = await selectFile(ctx.db, ctx.workspaceId, sha256)
  if (!found) throw notFound('file', sha256)
  return found.bytes
}
