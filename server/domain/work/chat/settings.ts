import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { hookTokenRow } from '../../tools/connections/sealed-rows.ts'
import { selectSettings } from './store.ts'

/** Whether clicks arrive, where they are sent to, and who is taken for whom. */
export async function readChatSettings(
  ctx: Context,
  { secrets, publicUrl }: { secrets: Pick<Secrets, 'decrypt'>; publicUrl: () => string },
  connection: string,
) {
  const found = await selectSettings(ctx.db, ctx.workspaceId, connection)
  if (!found) throw notFound('connection', connection)
  const { byEmail, clickedAt, hookToken } = found
  const maySee = ctx.actor.type !== 'human' || isAtLeast(ctx.actor.role, 'admin')
  const requestUrl = maySee
    ? `${publicUrl()}/slack/${secrets.decrypt(hookToken, hookTokenRow(connection))}`
    : null
  return {
    byEmail,
    clickedAt: clickedAt?.toISOString() ?? null,
    requestUrl,
  }
}
