import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { type StoredSource, selectSource } from './store.ts'

export async function readSource(ctx: Context, id: string): Promise<Json<StoredSource>> {
  const source = await selectSource(ctx.db, ctx.workspaceId, id)
  if (!source) throw notFound('source', id)
  return source.json
}
