import { sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { stringToSign } from '../../domain/on-call/senders/cloudwatch/sns/string-to-sign.ts'
import type { Certificates } from '../../domain/ports/certificates.ts'

/** Messages as SNS sends them, signed with a key that only these tests trust. */

const folder = path.join(
  import.meta.dirname,
  '..',
  '..',
  'domain',
  'on-call',
  'senders',
  'cloudwatch',
  'sns',
  'fixtures',
)

export const snsFixture = (name: string): string => readFileSync(path.join(folder, name), 'utf8')

export const aTopicArn = 'arn:aws:sns:eu-central-1:123456789012:alarms'

export const aCertificateUrl =
  'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem'

/** Has one certificate, whichever address is asked. */
export const certificatesOf = (name = 'test-signing.crt'): Certificates => ({
  fetch: async () => snsFixture(name),
})

/** A notification, unless `fields` say otherwise; an undefined field is left out. Signed after that. */
export function anSnsMessage(fields: Record<string, unknown>, sentAt: Date): Record<string, unknown> {
  const message: Record<string, unknown> = {
    Type: 'Notification',
    MessageId: '0f0a8f3e-5b0c-5a53-9d26-d5b0a7f1c9aa',
    TopicArn: aTopicArn,
    Subject: 'ALARM: "checkout errors" in EU (Frankfurt)',
    Message: '{"AlarmName":"checkout errors","NewStateValue":"ALARM"}',
    Timestamp: sentAt.toISOString(),
    SignatureVersion: '2',
    SigningCertURL: aCertificateUrl,
    ...fields,
  }
  for (const [key, value] of Object.entries(message)) if (value === undefined) delete message[key]
  const digest = message.SignatureVersion === '1' ? 'sha1' : 'sha256'
  const signature = sign(digest, Buffer.from(stringToSign(message) ?? ''), snsFixture('test-signing.key'))
  return { ...message, Signature: signature.toString('base64') }
}
