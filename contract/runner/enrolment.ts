import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { keyFromRaw, preAuthentication } from '../dsse.ts'

/**
 * How a runner proves that an instance is its own: it signs what the server has just asked it with, together with who it
 * is and the token that it comes with. So a registration that was overheard is good for no other start, no other token
 * and no second time. Nothing in it is a time: only the server's clock counts.
 */
export interface Enrolment {
  /** What the server answered to `challenge`, for this start alone. */
  challenge: string
  instance: string
  boot: string
  /** The public key that the instance belongs to, as base64 of the raw 32 bytes. */
  evidenceKey: string
  /** SHA-256 of the API token, in hex: the server keeps no more of it. */
  tokenHash: string
}

/** The same key signs evidence; what is signed here can never be taken for some. */
const type = 'application/vnd.signalbox.runner-registration'

/** What is signed: one line each, in this order, as DSSE writes it. */
const saidBy = ({ challenge, instance, boot, evidenceKey, tokenHash }: Enrolment): Buffer =>
  preAuthentication(type, Buffer.from([challenge, instance, boot, evidenceKey, tokenHash].join('\n')))

/** In base64. */
export const signEnrolment = (enrolment: Enrolment, key: KeyObject): string =>
  sign(null, saidBy(enrolment), key).toString('base64')

/** Whether the key that it names has signed it. */
export function isSignedEnrolment(enrolment: Enrolment, signature: string): boolean {
  const key = keyFromRaw(enrolment.evidenceKey)
  const bytes = Buffer.from(signature, 'base64')
  return key !== null && bytes.length === 64 && verify(null, saidBy(enrolment), key, bytes)
}

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')
