import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectFileOfRun } from './store.ts'

/** The bytes with that hash. Only files uploaded for this run are found. */
export async function readFileOfRun(
  ctx: Pick<Context, 'db' | 'workspaceId'>,
  runId: string,
  sha256: string,
): Promise<Buffer> {
  const found = await selectFileOfRun(ctx.db, ctx.workspaceId, runId, sha256)
  if (!found) throw notFound('file', sha256)
  return found.bytes
}
