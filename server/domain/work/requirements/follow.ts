import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { isInChat } from './store.ts'

/** Has the messages that show a requirement in a chat tool brought up to date, where there are any. */
export async function followRequirement(ctx: Context, tx: Tx, slug: string): Promise<void> {
  if (!(await isInChat(tx, ctx.workspaceId, slug))) return
  const key = `show_requirement/${slug}/${newId(ctx.clock.now())}`
  await addEffect(ctx, tx, { kind: 'show_requirement', key, data: { requirement: slug, place: null } })
}
