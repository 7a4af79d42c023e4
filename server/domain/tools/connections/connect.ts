import { createHash, randomBytes } from 'node:crypto'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import { newId } from '../../../infra/ids.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Connectors } from '../../ports/connector.ts'
import { change } from '../../record/audit/change.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { asking, connectorOf } from './ask.ts'
import { checkedBaseUrl } from './base-url.ts'
import { checkedCredentials } from './check-credentials.ts'
import { credentialsRow, hookTokenRow, webhookSecretRow } from './sealed-rows.ts'
import { countConnections, insertConnection } from './store.ts'

/** Each is looked after, once an hour and with every change. */
const mostConnections = 100

/** What connecting needs in addition to the context. */
export interface Connecting {
  connectors: Connectors
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
}

export interface NewConnection {
  kind: ConnectionKind
  name: string
  /** Left out: where most customers are. */
  baseUrl?: string
  credentials: Record<string, string>
}

/**
 * Connects an account at an outside tool. The tool is asked first: what it refuses is not kept. The webhook secret is
 * shown here and never again.
 */
export async function connect(
  ctx: Context,
  { connectors, secrets }: Connecting,
  input: NewConnection,
  creating?: Creating,
): Promise<{ id: string; account: string; missing: string[]; hookToken: string; webhookSecret: string }> {
  requireRole(ctx, 'admin', 'connect a tool')
  const { kind } = input
  const name = checkedText('name', input.name, { least: 1, most: maxNameLength })
  const baseUrl = checkedBaseUrl(kind, input.baseUrl)
  const { method, credentials } = checkedCredentials(kind, input.credentials)
  if ((await countConnections(ctx.db, ctx.workspaceId)) >= mostConnections)
    throw new DomainError(
      'conflict',
      `A workspace can have ${mostConnections} connections. Disconnect one that is no longer used.`,
    )
  const at = ctx.clock.now()
  const id = newId(at)
  const { workspaceId } = ctx
  const opened = { id, workspaceId, kind, name, baseUrl, credentials, account: null }
  const { account, missing } = await asking(connectorOf(connectors, kind).check(opened))
  const hookToken = randomBytes(24).toString('base64url')
  const webhookSecret = newWebhookSecret(kind)
  return change(ctx, async (tx) => {
    await insertConnection(tx, ctx.workspaceId, {
      ...{ id, kind, name, baseUrl, method, account, missing, at },
      credentials: secrets.encrypt(JSON.stringify(credentials), credentialsRow(id)),
      hookToken: secrets.encrypt(hookToken, hookTokenRow(id)),
      hookTokenHash: hookDigest(hookToken),
      webhookSecret: secrets.encrypt(webhookSecret, webhookSecretRow(id)),
    })
    return {
      value: { id, account, missing, hookToken, webhookSecret },
      audit: [
        {
          event: 'connection_changed',
          entity: { type: 'connection', id, name },
          details: { change: 'connected', kind, baseUrl, account },
        },
        ...(creating ? [await creating(tx, id)] : []),
      ],
    }
  })
}

export const hookDigest = (token: string): Buffer => createHash('sha256').update(token).digest()

/** GitLab signs with a key that is written as Standard Webhooks say. */
export const newWebhookSecret = (kind: ConnectionKind): string =>
  kind === 'gitlab' ? `whsec_${randomBytes(32).toString('base64')}` : randomBytes(32).toString('base64url')
