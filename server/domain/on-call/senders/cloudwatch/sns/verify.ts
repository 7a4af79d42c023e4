import { verify } from 'node:crypto'
import { certificateFault } from './certificate.ts'
import { certificateUrl } from './certificate-url.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import type { KnownCertificates } from './known-certificates.ts'

/** SNS tries for at most an hour to deliver a message; the rest is for clocks that differ. */
const oldestMs = 65 * 60 * 1000
const mostAheadMs = 5 * 60 * 1000

export const notSigned =
  'The body is not a signed message of Amazon SNS. If raw message delivery is on for the subscription, turn it off: raw messages carry no signature.'

/** Why SNS did not send this; null when it did. What costs nothing is asked first, the certificate last. */
export async function snsFault(
  body: Buffer,
  expected: { topicArn: string | undefined; now: Date },
  certificates: KnownCertificates,
): Promise<string | null> {
  const envelope = readEnvelope(body)
  if (envelope === null) return notSigned
  return (
    topicFault(envelope, expected.topicArn) ??
    ageFault(envelope, expected.now) ??
    (await signatureFault(envelope, expected.now, certificates))
  )
}

/** Anyone with an AWS account can have SNS sign a message; only the topic tells whose it is. */
function topicFault({ topic }: Envelope, topicArn: string | undefined): string | null {
  if (!topicArn || topic.arn === topicArn) return null
  return 'The message comes from another SNS topic than the one this source is bound to.'
}

function ageFault({ sentAt }: Envelope, now: Date): string | null {
  const ageMs = now.getTime() - sentAt.getTime()
  if (ageMs > oldestMs) return 'The message was signed more than an hour ago.'
  if (ageMs < -mostAheadMs) return 'The message was signed in the future. Check the clock of the server.'
  return null
}

async function signatureFault(
  { topic, certificateUrl: address, digest, signedText, signature }: Envelope,
  now: Date,
  certificates: KnownCertificates,
): Promise<string | null> {
  const url = certificateUrl(address)
  if (url?.hostname !== topic.host)
    return 'The SigningCertURL of the message is not an address of Amazon SNS in the region of the topic.'
  const certificate = await certificates.find(url, now)
  if (certificate === null) return 'There is no certificate at the SigningCertURL of the message.'
  const fault = certificateFault(certificate, topic, now)
  if (fault !== null) return fault
  return verify(digest, Buffer.from(signedText), certificate.publicKey, signature)
    ? null
    : 'The signature of the message is not one of Amazon SNS.'
}
