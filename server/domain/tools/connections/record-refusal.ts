import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import { asService, type Context } from '../../context.ts'
import type { ToolRefused } from '../../ports/connection.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { clearRefusal } from './clear-refusal.ts'
import { wordsFor } from './refusal-scope.ts'
import { insertRefusal, lockOpen, reopen, updateOpen, type WaitedFor } from './refusal-store.ts'
import { type LockedConnection, selectConnectionForUpdate } from './store.ts'

/** A refusal repeated within this time is the same trouble, and no one is told again. */
const sameTroubleMs = 10 * 60_000

type Said = Pick<ToolRefused, 'reason' | 'message'>

/**
 * Records in the ledger that a tool refuses something: what, when and what helps. The admins who can fix it are told
 * once. Null: the connection is gone.
 */
export async function recordRefusal(
  base: Pick<Context, 'db' | 'clock' | 'queue' | 'workspaceId'>,
  { connectionId, scope }: { connectionId: string; scope: string },
  { reason, message }: Said,
): Promise<WaitedFor | null> {
  const ctx = asService(base, base.workspaceId)
  return change<WaitedFor | null>(ctx, async (tx) => {
    const connection = await selectConnectionForUpdate(tx, ctx.workspaceId, connectionId)
    if (!connection) return { value: null, audit: [] }
    const at = ctx.clock.now()
    const refused = { connectionId, scope, reason, message, at }
    // Being refused in one place means the account is let in: whatever blocked the whole account is over.
    const over = scope === '' ? [] : await mendAccount(ctx, tx, connectionId)
    const known =
      (await updateOpen(tx, ctx.workspaceId, refused)) ??
      (await reopen(tx, ctx.workspaceId, refused, new Date(at.getTime() - sameTroubleMs)))
    if (known) return { value: known, audit: over }
    const made = await insertRefusal(tx, ctx.workspaceId, { ...refused, id: newId(at) })
    await tellAdmins(ctx, tx, connection, made)
    return {
      value: made,
      audit: [
        ...over,
        {
          event: 'connection_changed',
          result: 'failure',
          entity: { type: 'connection', id: connectionId, name: connection.name },
          details: { change: 'refused', scope: wordsFor(scope), reason: message },
        },
      ],
    }
  })
}

async function mendAccount(ctx: Context, tx: Tx, connectionId: string): Promise<Entry[]> {
  const whole = (await lockOpen(tx, ctx.workspaceId, connectionId)).find(({ scope }) => scope === '')
  return whole ? clearRefusal(ctx, tx, whole.id) : []
}

/** Owners and admins: they are the ones who can change a connection. */
async function tellAdmins(
  ctx: Context,
  tx: Tx,
  { id, kind, name }: LockedConnection,
  refusal: WaitedFor,
): Promise<void> {
  await notify(ctx, tx, await membersAtLeast(tx, ctx.workspaceId, 'admin'), {
    kind: 'connection',
    thing: id,
    what: `refused/${refusal.id}`,
    title: `${toolNames[kind]} refuses Signalbox: ${name}`,
    body: `${refusal.message} What is to be sent there waits, and follows in order once it works again.`,
  })
}
