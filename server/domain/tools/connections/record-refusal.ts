import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { sourceThing } from '@signalbox/contract/notifications.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import { asService, type Context } from '../../context.ts'
import type { Holder, ToolRefused } from '../../ports/connection.ts'
import { pagerNames } from '../../ports/pager.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { clearRefusal } from './clear-refusal.ts'
import { markedEntry } from './marked-entry.ts'
import {
  insertRefusal,
  lockOpen,
  reopen,
  selectPagingSourceForUpdate,
  updateOpen,
  type WaitedFor,
} from './refusal-store.ts'
import { selectConnectionForUpdate } from './store.ts'

/** A refusal repeated within this time is the same trouble, and no one is told again. */
const sameTroubleMs = 10 * 60_000

type Said = Pick<ToolRefused, 'reason' | 'message'>

/**
 * Records in the ledger that a tool refuses something: what, when and what helps. The admins who can fix it are told
 * once. Null: the connection is gone, or the key of the source.
 */
export async function recordRefusal(
  base: Pick<Context, 'db' | 'clock' | 'queue' | 'workspaceId'>,
  { connectionId, sourceId, scope }: Holder & { scope: string },
  { reason, message }: Said,
): Promise<WaitedFor | null> {
  const ctx = asService(base, base.workspaceId)
  return change<WaitedFor | null>(ctx, async (tx) => {
    const holder = sourceId === undefined ? { connectionId } : { sourceId }
    const held = await lockMarked(tx, ctx.workspaceId, holder)
    if (!held) return { value: null, audit: [] }
    const at = ctx.clock.now()
    const refused = { ...holder, scope, reason, message, at }
    // Being refused in one place means the account is let in: whatever blocked the whole account is over.
    const over = scope === '' ? [] : await mendAccount(ctx, tx, holder)
    const known =
      (await updateOpen(tx, ctx.workspaceId, refused)) ??
      (await reopen(tx, ctx.workspaceId, refused, new Date(at.getTime() - sameTroubleMs)))
    if (known) return { value: known, audit: over }
    const made = await insertRefusal(tx, ctx.workspaceId, {
      ...{ connectionId: undefined, sourceId: undefined, ...refused },
      id: newId(at),
    })
    await tellAdmins(ctx, tx, held, made)
    const entry = markedEntry({ ...holder, name: held.name }, { change: 'refused', scope, reason: message })
    return { value: made, audit: [...over, entry] }
  })
}

async function mendAccount(ctx: Context, tx: Tx, holder: Holder): Promise<Entry[]> {
  const whole = (await lockOpen(tx, ctx.workspaceId, holder)).find(({ scope }) => scope === '')
  return whole ? clearRefusal(ctx, tx, whole.id) : []
}

/** Whose credentials are refused, as people are told about it. */
interface Held {
  tool: string
  name: string
  /** What its notification leads to. */
  thing: string
}

/** Undefined: it is gone. */
async function lockMarked(tx: Tx, workspaceId: string, holder: Holder): Promise<Held | undefined> {
  if (holder.sourceId === undefined) {
    const found = await selectConnectionForUpdate(tx, workspaceId, holder.connectionId)
    return found && { tool: toolNames[found.kind], name: found.name, thing: found.id }
  }
  const found = await selectPagingSourceForUpdate(tx, workspaceId, holder.sourceId)
  return found && { tool: pagerNames[found.kind], name: found.name, thing: sourceThing(found) }
}

/** Owners and admins: they are the ones who can change a connection or a source. */
async function tellAdmins(
  ctx: Context,
  tx: Tx,
  { tool, name, thing }: Held,
  refusal: WaitedFor,
): Promise<void> {
  await notify(ctx, tx, await membersAtLeast(tx, ctx.workspaceId, 'admin'), {
    kind: 'connection',
    thing,
    what: `refused/${refusal.id}`,
    title: `${tool} refuses Signalbox: ${name}`,
    body: `${refusal.message} What is to be sent there waits, and follows in order once it works again.`,
  })
}
