import type { Secrets } from '../../../../infra/secrets.ts'
import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import type { Connectors } from '../../../ports/connector.ts'
import { requireRole } from '../../../roles.ts'
import { hookTokenRow } from '../sealed-rows.ts'
import { appsOf } from './apps-of.ts'
import { stateOf } from './state.ts'
import { selectApp } from './store.ts'

interface Rendering {
  connectors: Connectors
  secrets: Pick<Secrets, 'decrypt' | 'macKeys'>
  publicUrl: () => string
}

/** What the browser posts to GitHub, and where. */
export async function appForm(
  ctx: Context,
  { connectors, secrets, publicUrl }: Rendering,
  id: string,
): Promise<{ action: string; manifest: string }> {
  requireRole(ctx, 'admin', 'create a GitHub App')
  const app = await selectApp(ctx.db, ctx.workspaceId, id, ctx.clock.now())
  if (!app || app.usedAt || ctx.actor.type !== 'human' || ctx.actor.userId !== app.personId)
    throw notFound('connection', id)
  const { workspaceId } = ctx
  return appsOf(connectors).form({
    ...{ name: app.name, baseUrl: app.baseUrl, organization: app.organization, returnTo: app.returnTo },
    hookUrl: `${publicUrl()}/hooks/${secrets.decrypt(app.hookToken, hookTokenRow(id))}`,
    state: stateOf(secrets, 'create', { workspaceId, id, personId: app.personId }),
  })
}
