import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../../infra/secrets.ts'

/** As Standard Webhooks writes them. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** What a secret is bound to: it opens in this row and in no other. A former secret was the secret once. */
export const secretRow = (endpointId: string): string => `webhook_endpoints ${endpointId} secret`

interface Sealed {
  id: string
  secret: Buffer
  formerSecret: Buffer | null
  formerUntil: Date | null
}

/** What a message is signed with now: the newest first. */
export function secretsOf(
  { id, secret, formerSecret, formerUntil }: Sealed,
  secrets: Pick<Secrets, 'decrypt'>,
  now: Date,
): string[] {
  const former = formerSecret && formerUntil && formerUntil > now ? [formerSecret] : []
  return [secret, ...former].map((sealed) => secrets.decrypt(sealed, secretRow(id)))
}
