import { base64Bytes } from '../../../../../infra/signatures.ts'
import { parseJson } from '../../../../parse-json.ts'
import { stringToSign } from './string-to-sign.ts'
import { readTopic, type Topic } from './topic.ts'

/** What of an SNS message is needed to check who sent it. */
export interface Envelope {
  topic: Topic
  sentAt: Date
  signedText: string
  signature: Buffer
  /** As `SignatureVersion` says. */
  digest: 'sha1' | 'sha256'
  certificateUrl: string
}

const digests = new Map<string, Envelope['digest']>([
  ['1', 'sha1'],
  ['2', 'sha256'],
])
const mostSignatureBytes = 512
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** Null for a body that is not a whole SNS message, as with raw message delivery. */
export function readEnvelope(body: Buffer): Envelope | null {
  const message = parsed(body)
  if (message === null) return null
  const signedText = stringToSign(message)
  const topic = readTopic(textOf(message.TopicArn))
  const signature = base64Bytes(textOf(message.Signature), mostSignatureBytes)
  const digest = digests.get(textOf(message.SignatureVersion))
  const sentAt = new Date(isoTime.test(textOf(message.Timestamp)) ? textOf(message.Timestamp) : Number.NaN)
  if (!signedText || !topic || !signature || !digest || Number.isNaN(sentAt.getTime())) return null
  return { topic, sentAt, signedText, signature, digest, certificateUrl: textOf(message.SigningCertURL) }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** SNS says text/plain and sends JSON. */
function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    const value = parseJson(body.toString('utf8'))
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
