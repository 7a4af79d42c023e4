import { randomBytes } from 'node:crypto'
import { maxNameLength, secretLength } from '@signalbox/contract/limits.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { type SourceKind, sourceKinds } from '@signalbox/contract/source.ts'
import { invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { credentialsRow, secretRow } from './secret-row.ts'
import { checkCredentials, checkedSourceSettings, invalid } from './settings.ts'
import { insertSource, type StoredSource, selectSource, selectUnknownServices } from './store.ts'

export interface NewSource {
  kind: SourceKind
  name: string
  /** Ids of the services it feeds. */
  services: string[]
  settings?: Record<string, unknown>
  /** Given by the sender (PagerDuty, Sentry); for the others one is made. */
  secret?: string
  /** For acknowledging and resolving alerts in the sender. */
  credentials?: string
}

/** Makes an address for a sender. The secret is shown here and never again. */
export async function addSource(
  ctx: Context,
  secrets: Pick<Secrets, 'encrypt'>,
  input: NewSource,
  creating?: Creating,
): Promise<{ source: Json<StoredSource>; secret: string | null }> {
  requireRole(ctx, 'admin', 'add a source')
  return change(ctx, async (tx) => {
    const { id, secret, entry } = await insertNewSource(ctx, tx, secrets, input)
    const source = (await selectSource(tx, ctx.workspaceId, id))!.json
    return { value: { source, secret }, audit: [entry, ...(creating ? [await creating(tx, id)] : [])] }
  })
}

/** The same as part of a transaction that wants more. */
export async function insertNewSource(
  ctx: Context,
  tx: Tx,
  secrets: Pick<Secrets, 'encrypt'>,
  input: NewSource,
): Promise<{ id: string; secret: string | null; entry: Entry }> {
  if (!sourceKinds.includes(input.kind)) throw invalid(`kind must be one of ${sourceKinds.join(', ')}`)
  const name = checkedText('name', input.name, { least: 1, most: maxNameLength })
  const settings = checkedSourceSettings(input.kind, input.settings ?? {})
  checkCredentials(input.kind, input.credentials)
  if (input.secret) checkGivenSecret(input.kind, input.secret)
  const secret = input.kind === 'uptime' ? null : checkedSecret(input.secret ?? newSecret())
  const unknown = await selectUnknownServices(tx, ctx.workspaceId, input.services)
  if (unknown.length > 0) throw invalid(`there is no service ${unknown[0]}`)
  const at = ctx.clock.now()
  const id = newId(at)
  await insertSource(tx, ctx.workspaceId, {
    id,
    kind: input.kind,
    name,
    token: randomBytes(24).toString('base64url'),
    secret: secret === null ? null : secrets.encrypt(secret, secretRow(id)),
    credentials: input.credentials ? secrets.encrypt(input.credentials, credentialsRow(id)) : null,
    settings,
    services: [...new Set(input.services)],
    at,
  })
  await invalidate(tx)
  const { services } = fromJson((await selectSource(tx, ctx.workspaceId, id))!.json)
  return {
    id,
    secret,
    entry: {
      event: 'signal_source_changed',
      entity: { type: 'signal_source', id, name },
      details: { change: 'added', kind: input.kind, services },
    },
  }
}

/** Refuses a secret of the sender's own that cannot be one; undefined: it is not known here. */
export function checkGivenSecret(kind: SourceKind, secret: string | undefined): void {
  if (kind === 'uptime') throw invalid('an uptime source takes no secret')
  if (secret !== undefined) checkedSecret(secret)
}

export const newSecret = () => randomBytes(32).toString('base64url')

export function checkedSecret(secret: string): string {
  const { least, most } = secretLength
  if (secret.length >= least && secret.length <= most && /^[\x21-\x7e]+$/.test(secret)) return secret
  throw invalid(`secret must have ${least} to ${most} printable characters without spaces`)
}
