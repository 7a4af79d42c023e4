import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  aCertificateUrl,
  anSnsMessage,
  aTopicArn,
  certificatesOf,
  snsFixture,
} from '../../../../../test/on-call/sns.ts'
import { type Certificates, CertificateUnavailable } from '../../../../ports/certificates.ts'
import type { ProofResult } from '../../proving/proof.ts'
import { proving } from '../proof.ts'

const now = new Date('2026-03-31T12:00:00Z')
const key = 'the key of the source'

interface Given {
  certificates?: Certificates
  topicArn?: string
  at?: Date
  headers?: Record<string, string>
}

async function prove(message: unknown, given: Given = {}): Promise<ProofResult> {
  const { certificates = certificatesOf(), topicArn, at = now, headers = {} } = given
  const body = Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message))
  const settings: Record<string, string> = topicArn === undefined ? {} : { topicArn }
  return await proving.proof({ certificates })(
    { body, headers, query: { key } },
    { secrets: [key], settings },
    at,
  )
}

const accepts = async (message: unknown, given?: Given) =>
  assert.deepEqual(await prove(message, given), { proven: true })

async function refuses(message: unknown, because: RegExp, given?: Given) {
  const result = await prove(message, given)
  assert.ok(!result.proven, 'it was accepted')
  assert.match(result.reason, because)
  return true
}

/** Says at which address it was asked, and has nothing. */
function asked(): Certificates & { addresses: string[] } {
  const addresses: string[] = []
  return {
    addresses,
    async fetch({ href }) {
      addresses.push(href)
      return null
    },
  }
}

const message = (fields: Record<string, unknown> = {}) => anSnsMessage(fields, now)
const confirmation = {
  SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=x',
  Token: 'a1b2',
  Subject: undefined,
}
const types = [
  { Type: 'Notification' },
  { Type: 'Notification', Subject: undefined },
  { Type: 'Notification', Subject: null },
  { Type: 'SubscriptionConfirmation', ...confirmation },
  { Type: 'UnsubscribeConfirmation', ...confirmation },
]

test('every type of message is accepted with either version of the signature', async () => {
  for (const fields of types)
    for (const SignatureVersion of ['1', '2']) await accepts(message({ ...fields, SignatureVersion }))
})

test('whatever the text is, it is accepted as it was signed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      await accepts(message({ Message: text }))
    }),
    { numRuns: 50 },
  )
})

test('a change of anything that is signed is refused', async () => {
  for (const fields of types) {
    const honest = message(fields)
    for (const name of [
      'Message',
      'MessageId',
      'Subject',
      'SubscribeURL',
      'Token',
      'Timestamp',
      'TopicArn',
    ]) {
      if (typeof honest[name] !== 'string') continue
      const changed =
        { Timestamp: '2026-03-31T12:00:01.000Z', TopicArn: `${aTopicArn}2` }[name] ?? `${honest[name]}x`
      await refuses({ ...honest, [name]: changed }, /signature of the message is not one of Amazon SNS/)
    }
  }
  await refuses({ ...message(types[3]), Type: 'UnsubscribeConfirmation' }, /signature/)
  const { Subject: _, ...without } = message()
  await refuses(without, /signature/)
})

test('any other signature is refused', async () => {
  const honest = message()
  const signature = Buffer.from(honest.Signature as string, 'base64')
  await fc.assert(
    fc.asyncProperty(fc.nat(signature.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const changed = Buffer.from(signature)
      changed[at]! ^= change
      await refuses({ ...honest, Signature: changed.toString('base64') }, /signature/)
    }),
    { numRuns: 50 },
  )
  await refuses({ ...honest, SignatureVersion: '1' }, /signature/)
  for (const Signature of ['', 'AAAA', 'not base64', signature.toString('hex'), 'A'.repeat(4_000), null, 5])
    await refuses({ ...honest, Signature }, /signature/)
})

test('only the two versions of the signature are known', async () => {
  for (const SignatureVersion of ['0', '3', '', 1, 2, null, undefined, '__proto__', 'constructor'])
    await refuses({ ...message(), SignatureVersion }, /not a signed message/)
})

test('a body that is no message of SNS is refused, naming raw message delivery', async () => {
  const bodies = [
    '',
    'Hello world',
    '{',
    'null',
    '[]',
    '"x"',
    '1',
    '{"AlarmName":"checkout errors"}',
    '{"Type":"Notification"}',
  ]
  for (const body of bodies) await refuses(Buffer.from(body), /raw message delivery/)
  await refuses(Buffer.from([0xff, 0xfe, 0x00]), /raw message delivery/)
  const raw = { headers: { 'x-amz-sns-rawdelivery': 'true' } }
  await refuses(Buffer.from('{"AlarmName":"checkout errors"}'), /^Raw message delivery is on/, raw)
})

test('the certificate is asked for only at a host of SNS in the region of the topic', async () => {
  const certificates = asked()
  const file = new URL(aCertificateUrl).pathname
  const wrong = [
    `https://sns.eu-west-1.amazonaws.com${file}`,
    `https://sns.eu-central-1.amazonaws.com.cn${file}`,
    `https://sns.eu-central-1.amazonaws.com:8443${file}`,
    `https://sns.s3-us-west-2.amazonaws.com${file}`,
    `http://sns.eu-central-1.amazonaws.com${file}`,
    'https://169.254.169.254/latest/meta-data',
    '',
    undefined,
    { href: aCertificateUrl },
  ]
  for (const SigningCertURL of wrong)
    await refuses(message({ SigningCertURL }), /SigningCertURL of the message is not an address/, {
      certificates,
    })
  assert.deepEqual(certificates.addresses, [])
  await refuses(message(), /no certificate at the SigningCertURL/, { certificates })
  assert.deepEqual(certificates.addresses, [aCertificateUrl])
})

test('nothing is fetched for a message that is refused anyway', async () => {
  const certificates = asked()
  await refuses(message({ MessageId: undefined }), /not a signed message/, { certificates })
  await refuses(message(), /another SNS topic/, { certificates, topicArn: `${aTopicArn}-other` })
  await refuses(message(), /more than an hour ago/, {
    certificates,
    at: new Date(now.getTime() + 65 * 60_000 + 1),
  })
  assert.deepEqual(certificates.addresses, [])
})

test('a source that is bound to a topic accepts no other', async () => {
  await accepts(message(), { topicArn: aTopicArn })
  await accepts(message(), { topicArn: '' })
  await refuses(message(), /another SNS topic/, { topicArn: aTopicArn.toUpperCase() })
})

test('SNS tries for an hour; what is older, or from the future, is refused', async () => {
  const minutes = (count: number) => ({ at: new Date(now.getTime() + count * 60_000) })
  await accepts(message(), minutes(60))
  await accepts(message(), minutes(65))
  await refuses(message(), /more than an hour ago/, minutes(66))
  await accepts(message(), minutes(-5))
  await refuses(message(), /future/, minutes(-6))
  for (const Timestamp of [
    '',
    'yesterday',
    '2026-03-31',
    '2026-03-31T12:00:00+00:00',
    '2026-13-31T12:00:00Z',
  ])
    await refuses(message({ Timestamp }), /not a signed message/)
})

test('the certificate has to be valid, of SNS, and of an RSA key', async () => {
  const before = new Date('2019-12-31T23:59:59Z')
  const after = new Date('2120-01-01T00:00:01Z')
  for (const at of [before, after]) await refuses(anSnsMessage({}, at), /not valid at this time/, { at })
  await refuses(message(), /not issued to Amazon SNS/, { certificates: certificatesOf('test-host.crt') })
  await refuses(message(), /RSA key/, { certificates: certificatesOf('test-elliptic.crt') })
  await refuses(message(), /no certificate/, { certificates: { fetch: async () => 'nothing' } })
})

test('in China and in regions that are opted into, SNS signs under names of their own', async () => {
  const china = {
    TopicArn: 'arn:aws-cn:sns:cn-north-1:123456789012:alarms',
    SigningCertURL: aCertificateUrl.replace('eu-central-1.amazonaws.com', 'cn-north-1.amazonaws.com.cn'),
  }
  await accepts(message(china), { certificates: certificatesOf('test-signing-china.crt') })
  await refuses(message(china), /not issued/, { certificates: certificatesOf('test-signing.crt') })
  await refuses(message(), /not issued/, { certificates: certificatesOf('test-signing-china.crt') })
  const africa = {
    TopicArn: aTopicArn.replace('eu-central-1', 'af-south-1'),
    SigningCertURL: aCertificateUrl.replace('eu-central-1', 'af-south-1'),
  }
  await accepts(message(africa), { certificates: certificatesOf('test-signing-opt-in.crt') })
  await refuses(message(), /not issued/, { certificates: certificatesOf('test-signing-opt-in.crt') })
})

test('a certificate that cannot be had for now is neither yes nor no', async () => {
  const certificates: Certificates = {
    fetch: async () => {
      throw new CertificateUnavailable('the line is down')
    },
  }
  await assert.rejects(prove(message(), { certificates }), { code: 'service_unavailable' })
})

test('messages that follow each other cost one fetch', async () => {
  let fetches = 0
  const certificates: Certificates = {
    async fetch() {
      fetches += 1
      return snsFixture('test-signing.crt')
    },
  }
  const proof = proving.proof({ certificates })
  const body = Buffer.from(JSON.stringify(message()))
  const results = await Promise.all(
    [1, 2, 3].map(() => proof({ body, headers: {}, query: { key } }, { secrets: [key], settings: {} }, now)),
  )
  assert.deepEqual(results, Array(3).fill({ proven: true }))
  assert.equal(fetches, 1)
})

const payloads = process.env.SIGNALBOX_PAYLOADS
const recorded = payloads ? path.join(payloads, 'cloudwatch-sns') : ''

test('recorded messages of SNS are proven with its own certificate', {
  skip: !existsSync(recorded),
}, async () => {
  let genuine = 0
  const certificates: Certificates = {
    async fetch({ pathname }) {
      const file = path.join(recorded, '_certs', path.basename(pathname))
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    },
  }
  for (const file of readdirSync(recorded).filter((name) => name.endsWith('.expect.json'))) {
    const body = readFileSync(path.join(recorded, file.replace('.expect.json', '.json')))
    const { signature } = JSON.parse(readFileSync(path.join(recorded, file), 'utf8'))
    const { Timestamp, TopicArn } = JSON.parse(body.toString())
    const given = { certificates, at: new Date(Timestamp), topicArn: TopicArn }
    if (!signature.valid) {
      await refuses(body, /./, given)
      continue
    }
    await accepts(body, given)
    await refuses(
      Buffer.from(
        body.toString().replace('Message" : "', 'Message" : "x').replace('Message": "', 'Message": "x'),
      ),
      /not one of Amazon/,
      given,
    )
    genuine += 1
  }
  assert.ok(genuine > 0)
})
