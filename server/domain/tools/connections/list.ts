import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { hookTokenRow } from './sealed-rows.ts'
import { type StoredConnection, selectConnections } from './store.ts'

interface Showing {
  secrets: Pick<Secrets, 'decrypt'>
  publicUrl: () => string
}

/** The connections of a workspace with how they fare, newest first. */
export async function listConnections(ctx: Context, showing: Showing): Promise<ConnectionRow[]> {
  return (await selectConnections(ctx.db, ctx.workspaceId, ctx.clock.now())).map((row) =>
    shown(ctx, showing, row),
  )
}

export async function readConnection(ctx: Context, showing: Showing, id: string): Promise<ConnectionRow> {
  const [row] = await selectConnections(ctx.db, ctx.workspaceId, ctx.clock.now(), { id })
  if (!row) throw notFound('connection', id)
  return shown(ctx, showing, row)
}

/** Where its webhooks go is for those who can set them up. */
function shown(
  ctx: Context,
  { secrets, publicUrl }: Showing,
  { hookToken, ...row }: StoredConnection,
): ConnectionRow {
  const may = ctx.actor.type !== 'human' || isAtLeast(ctx.actor.role, 'admin')
  return {
    ...row,
    hookUrl: may ? `${publicUrl()}/hooks/${secrets.decrypt(hookToken, hookTokenRow(row.id))}` : null,
  }
}
