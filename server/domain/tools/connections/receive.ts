import { newId } from '../../../infra/ids.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Connectors, HookDelivery } from '../../ports/connector.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { hookDigest } from './connect.ts'
import { webhookSecretRow } from './sealed-rows.ts'
import { type HookedConnection, insertDelivery, selectConnectionByDigest } from './store.ts'

/** What receiving needs. There is no signed-in user: the address and the proof say whose delivery it is. */
export interface Receiving extends Pick<Context, 'db' | 'clock' | 'queue'> {
  connectors: Connectors
  secrets: Pick<Secrets, 'decrypt'>
}

/** The connection behind an address of a hook; null: there is none. */
export async function findHook(
  { db }: Pick<Receiving, 'db'>,
  token: string,
): Promise<HookedConnection | null> {
  if (!/^[\w-]{22,64}$/.test(token)) return null
  return (await selectConnectionByDigest(db, hookDigest(token))) ?? null
}

/** Takes what a hook brought: proven over its raw bytes, kept once, understood later. */
export async function receiveHook(
  { db, clock, queue, connectors, secrets }: Receiving,
  connection: HookedConnection,
  delivery: HookDelivery,
): Promise<{ repeated: boolean }> {
  const now = clock.now()
  const { id: connectionId, kind, workspaceId, webhookSecret, formerSecret, formerUntil } = connection
  const opened = (bytes: Buffer) => secrets.decrypt(bytes, webhookSecretRow(connectionId))
  const valid = [webhookSecret, ...(formerSecret && formerUntil && formerUntil > now ? [formerSecret] : [])]
  const proven = valid
    .map((bytes) => connectors[kind]?.proof(delivery, opened(bytes), now) ?? null)
    .find((one) => one !== null)
  if (!proven)
    throw new DomainError(
      'invalid_proof',
      'The signature or the secret of this delivery is missing or wrong.',
    )
  const id = newId(now)
  const row = { id, connectionId, senderId: clean(proven.id, 200), event: clean(proven.event, 100) }
  let inside: Parameters<Context['queue']['committed']>[0] | undefined
  const kept = await housekeeping(db, 'keep what a hook brought', async (tx) => {
    inside = tx
    const inserted = await insertDelivery(tx, workspaceId, { ...row, body: delivery.body, at: now })
    if (inserted) await queue.send(tx, { task: 'hook', workspaceId, id })
    return inserted
  })
  if (inside) queue.committed(inside)
  return { repeated: kept === null }
}

const clean = (text: string, most: number) => text.replaceAll('\0', '').toWellFormed().slice(0, most)
