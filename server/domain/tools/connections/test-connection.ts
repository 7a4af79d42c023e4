import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { ToolBusy, ToolRefused } from '../../ports/connection.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { asking, connectorOf } from './ask.ts'
import { tryAgain } from './clear-refusal.ts'
import type { Connecting } from './connect.ts'
import { openConnection } from './open.ts'
import { selectConnectionForUpdate, updateConnection } from './store.ts'

/** Asks the tool whether it still takes our credentials, and which permission is missing. */
export async function testConnection(
  ctx: Context,
  { connectors, secrets }: Connecting,
  id: string,
): Promise<{ account: string; missing: string[] }> {
  requireRole(ctx, 'admin', 'test a connection')
  const opened = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, id)
  const checked = connectorOf(connectors, opened.kind).check(opened)
  const tested = await checked.catch((error: Error) => {
    if (error instanceof ToolRefused || error instanceof ToolBusy) return error
    throw error
  })
  const isFailure = tested instanceof Error
  await change(ctx, async (tx) => {
    const found = await selectConnectionForUpdate(tx, ctx.workspaceId, id)
    if (!found) throw notFound('connection', id)
    if (!isFailure)
      await updateConnection(
        tx,
        ctx.workspaceId,
        id,
        { account: tested.account, missing: tested.missing },
        ctx.clock.now(),
      )
    const mended = isFailure ? [] : await tryAgain(ctx, tx, { connectionId: id })
    const tried: Entry = {
      event: 'connection_changed',
      result: isFailure ? 'failure' : 'success',
      entity: { type: 'connection', id, name: found.name },
      details: {
        change: 'tested',
        ...(isFailure ? { missing: [], reason: tested.message } : { missing: tested.missing }),
      },
    }
    return { value: undefined, audit: [tried, ...mended] }
  })
  return asking(checked)
}
