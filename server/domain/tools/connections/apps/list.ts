import type { PendingApp } from '@signalbox/contract/app/connections.ts'
import type { Secrets } from '../../../../infra/secrets.ts'
import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import { requireRole } from '../../../roles.ts'
import { stateOf } from './state.ts'
import { selectApp, selectPendingApps } from './store.ts'

/** GitHub Apps that were created from here and are not installed yet, newest first. */
export async function listPendingApps(ctx: Context): Promise<PendingApp[]> {
  requireRole(ctx, 'admin', 'see GitHub Apps')
  return selectPendingApps(ctx.db, ctx.workspaceId, ctx.clock.now())
}

/** Where such an app is installed. The state comes back with the browser. */
export async function readInstallUrl(
  ctx: Context,
  { secrets }: { secrets: Pick<Secrets, 'macKeys'> },
  id: string,
): Promise<{ name: string; url: string }> {
  requireRole(ctx, 'admin', 'install a GitHub App')
  const app = await selectApp(ctx.db, ctx.workspaceId, id, ctx.clock.now())
  if (!app?.installUrl) throw notFound('connection', id)
  const url = new URL(app.installUrl)
  const { workspaceId } = ctx
  url.searchParams.set('state', stateOf(secrets, 'install', { workspaceId, id, personId: app.personId }))
  return { name: app.name, url: url.href }
}
