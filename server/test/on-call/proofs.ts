import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { SenderKind } from '@signalbox/contract/signal.ts'
import { proofsWith } from '../../domain/on-call/senders/index.ts'
import type { ProofSource } from '../../domain/on-call/senders/proving/proof.ts'
import type { Delivered } from '../../domain/on-call/senders/reading/reading.ts'
import { certificatesOf } from './sns.ts'

/** Deliveries with right and wrong proofs, and what becomes of them. */

export const now = new Date('2026-03-31T12:00:00.400Z')
export const nowSeconds = Math.floor(now.getTime() / 1000)
export const secret = 'c2VjcmV0IHRoYXQgbG9va3MgbGlrZSBiYXNlNjQ='
const proofs = proofsWith(certificatesOf())

export const hex = (key: string, ...parts: (string | Buffer)[]) => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}
export const request = (
  body: string | Buffer,
  headers: Delivered['headers'] = {},
  query: Delivered['query'] = {},
): Delivered => ({ body: Buffer.from(body), headers, query })
export const source = (settings: Record<string, string> = {}, secrets = [secret]): ProofSource => ({
  secrets,
  settings,
})

export const check = async (kind: SenderKind, delivered: Delivered, from = source(), at = now) =>
  await proofs[kind](delivered, from, at)

export async function accepts(kind: SenderKind, delivered: Delivered, from = source(), at = now) {
  assert.deepEqual(await check(kind, delivered, from, at), { proven: true })
}

/** Refused, with a sentence that repeats neither the secret nor anything received. */
export async function refuses(
  kind: SenderKind,
  delivered: Delivered,
  because: RegExp,
  from = source(),
  at = now,
) {
  const result = await check(kind, delivered, from, at)
  assert.ok(!result.proven, 'it was accepted')
  assert.match(result.reason, because)
  assert.match(result.reason, /^[A-Z].*\.$/)
  const received = Object.values({ ...delivered.headers, ...delivered.query }).flat()
  for (const value of [...from.secrets, ...received])
    if (value && value.length > 8) assert.ok(!result.reason.includes(value), result.reason)
}

/** Something signed: not ASCII alone, escapes, and a line end. */
export const body = Buffer.from('{"title":"Übersicht \\u0026 1.0"}\n')
