import { asService, type Context } from '../../context.ts'
import { type Connection, ToolBusy, ToolRefused } from '../../ports/connection.ts'
import type { HookHealth } from '../../ports/connector.ts'
import { change, housekeeping } from '../../record/audit/change.ts'
import type { Connecting } from './connect.ts'
import { openConnection } from './open.ts'
import { hookTokenRow, webhookSecretRow } from './sealed-rows.ts'
import { selectHook, selectHookScopes, takeHookLookOfAllWorkspaces, updateHookHealth } from './store.ts'

const everyMs = 3_600_000
/** In one pass; the rest is looked at a minute later. */
const most = 20

interface Looking extends Pick<Connecting, 'connectors' | 'secrets'> {
  publicUrl: () => string
}

/**
 * Looks, once an hour, how the webhooks of each connection fare over there: turns on what was turned off, has what failed
 * sent again, and writes down in words what it found. Nothing depends on it: the sweeps find what no hook told.
 */
export async function lookAfterHooks(
  base: Pick<Context, 'db' | 'clock' | 'queue'>,
  tools: Looking,
  onError: (error: Error) => void,
): Promise<void> {
  for (let done = 0; done < most; done += 1) {
    const now = base.clock.now()
    const due = await housekeeping(base.db, 'take the look at webhooks', (tx) =>
      takeHookLookOfAllWorkspaces(tx, now, new Date(now.getTime() - everyMs)),
    )
    if (!due) return
    const { workspaceId, id, since } = due
    await lookAtHooksOf(asService(base, workspaceId), tools, { id, since }).catch(onError)
  }
}

/** The same for one connection, now. */
export async function lookAtHooksOf(
  ctx: Context,
  { connectors, secrets, publicUrl }: Looking,
  { id, since }: { id: string; since: Date | null },
): Promise<void> {
  const { db, workspaceId } = ctx
  const [opened, hook, scopes] = await Promise.all([
    openConnection({ db, secrets }, workspaceId, id),
    selectHook(db, workspaceId, id),
    selectHookScopes(db, workspaceId, id),
  ])
  const connector = connectors[opened.kind]
  if (!hook || !connector?.lookAfterHooks || scopes.length === 0) return
  const look = {
    url: `${publicUrl()}/hooks/${secrets.decrypt(hook.hookToken, hookTokenRow(id))}`,
    secret: secrets.decrypt(hook.webhookSecret, webhookSecretRow(id)),
    ...{ scopes, since },
  }
  const health = await connector.lookAfterHooks(opened, look).catch(orTrouble)
  await note(ctx, opened, health)
}

/** That we could not look is what there is to say. */
function orTrouble(error: Error): HookHealth {
  if (error instanceof ToolRefused || error instanceof ToolBusy)
    return { state: 'unknown', note: error.message, mended: false }
  throw error
}

const note = (ctx: Context, { id, name }: Connection, { state, note: said, mended }: HookHealth) =>
  change(ctx, async (tx) => {
    await updateHookHealth(tx, ctx.workspaceId, id, { state, note: said })
    return {
      value: undefined,
      audit: mended
        ? {
            event: 'connection_changed',
            entity: { type: 'connection', id, name },
            details: { change: 'webhook_mended', note: said },
          }
        : [],
    }
  })
