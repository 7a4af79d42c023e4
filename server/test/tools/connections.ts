import { createHash, randomBytes } from 'node:crypto'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import type { Context } from '../../domain/context.ts'
import { change } from '../../domain/record/audit/change.ts'
import { credentialsRow, hookTokenRow, webhookSecretRow } from '../../domain/tools/connections/sealed-rows.ts'
import { insertConnection, type SignInMethod } from '../../domain/tools/connections/store.ts'
import { newId } from '../../infra/ids.ts'
import type { Secrets } from '../../infra/secrets.ts'

/** An account at a tool, as if a person had connected it. */
export async function aConnection(
  ctx: Context,
  secrets: Pick<Secrets, 'encrypt'>,
  {
    kind,
    baseUrl = `https://${kind}.example.com`,
    method = 'token',
    credentials = {},
  }: { kind: ConnectionKind; baseUrl?: string; method?: SignInMethod; credentials?: Record<string, string> },
): Promise<{ id: string; hookToken: string }> {
  const at = ctx.clock.now()
  const id = newId(at)
  const hookToken = randomBytes(24).toString('base64url')
  await change(ctx, async (tx) => {
    await insertConnection(tx, ctx.workspaceId, {
      ...{ id, kind, name: `A ${kind} account`, baseUrl, method, account: 'signalbox', missing: [], at },
      credentials: secrets.encrypt(JSON.stringify(credentials), credentialsRow(id)),
      hookToken: secrets.encrypt(hookToken, hookTokenRow(id)),
      hookTokenHash: createHash('sha256').update(hookToken).digest(),
      webhookSecret: secrets.encrypt('a secret', webhookSecretRow(id)),
    })
    return { value: undefined, audit: [] }
  })
  return { id, hookToken }
}
