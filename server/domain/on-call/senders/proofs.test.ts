import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/any-character.ts'
import {
  accepts,
  body,
  check,
  hex,
  now,
  nowSeconds,
  refuses,
  request,
  secret,
  source,
} from '../../../test/on-call/proofs.ts'
import { anSnsMessage } from '../../../test/on-call/sns.ts'
import { senders } from './index.ts'
import type { Delivered } from './reading/reading.ts'

const formerSecret = 'the secret before'

/** How senders prove themselves, written down once more; the others as they sign a test. */
const written: Partial<Record<SenderKind, (body: Buffer, key: string) => Delivered>> = {
  generic: (body, key) => request(body, { 'x-service-signature': `sha256=${hex(key, body)}` }),
  grafana: (body, key) => request(body, { 'x-grafana-alerting-signature': hex(key, body) }),
  pagerduty: (body, key) => request(body, { 'x-pagerduty-signature': `v1=${hex(key, body)}` }),
  sentry: (body, key) => request(body, { 'sentry-hook-signature': hex(key, body) }),
  alertmanager: (body, key) => request(body, { authorization: `Bearer ${key}` }),
  datadog: (body, key) => request(body, { 'x-service-token': key }),
  newrelic: (body, key) => request(body, { authorization: `bearer ${key}` }),
  opsgenie: (body, key) => request(body, { authorization: `BEARER ${key}`, 'x-service-token': key }),
  cloudwatch: (_, key) => request(JSON.stringify(anSnsMessage({}, now)), {}, { key }),
  azure_monitor: (body, key) => request(body, {}, { key }),
  statuspage: (body, key) => request(body, {}, { key }),
}

function honest(kind: SenderKind, sent: Buffer, key: string): Delivered {
  if (written[kind]) return written[kind](sent, key)
  const signed = senders[kind].proving.sign({ body: sent.toString(), secret: key, settings: {}, at: now })
  return request(sent, signed.headers, signed.query)
}

const signing = ['generic', 'grafana', 'pagerduty', 'sentry'] as const

describe('every kind of sender', () => {
  for (const kind of senderKinds) {
    test(`${kind}: the right proof is accepted, a wrong one and none are not`, async () => {
      await accepts(kind, honest(kind, body, secret))
      await refuses(kind, honest(kind, body, 'another secret'), /secret of this source/)
      const { body: sent } = honest(kind, body, secret)
      await refuses(kind, request(sent), /missing|lacks|neither/)
    })

    test(`${kind}: during a rotation both secrets are accepted, afterwards only the new one`, async () => {
      for (const secrets of [
        [secret, formerSecret],
        [formerSecret, secret],
      ]) {
        await accepts(kind, honest(kind, body, secret), source({}, secrets))
        await accepts(kind, honest(kind, body, formerSecret), source({}, secrets))
        await refuses(kind, honest(kind, body, 'neither'), /./, source({}, secrets))
      }
      await refuses(kind, honest(kind, body, formerSecret), /secret of this source/)
    })

    test(`${kind}: a source without a secret accepts no one, also not with an empty one`, async () => {
      for (const secrets of [[], ['']]) {
        await refuses(kind, honest(kind, body, ''), /./, source({}, secrets))
        await refuses(kind, honest(kind, body, secret), /./, source({}, secrets))
      }
    })
  }
})

describe('a signed body', () => {
  const anyBody = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
  const anySecret = fc.string({ minLength: 1, unit: anyCharacter }).filter((text) => text.isWellFormed())

  for (const kind of signing) {
    test(`${kind}: whatever the bytes are, they are accepted as they were signed and never otherwise`, async () => {
      await fc.assert(
        fc.asyncProperty(anyBody, anySecret, fc.nat(), fc.integer({ min: 1, max: 255 }), async (...given) => {
          const [sent, key, at, change] = given
          const delivered = honest(kind, sent, key)
          await accepts(kind, delivered, source({}, [key]))
          const longer = Buffer.concat([sent, Buffer.from([change])])
          assert.equal((await check(kind, { ...delivered, body: longer }, source({}, [key]))).proven, false)
          if (sent.length === 0) return
          const changed = Buffer.from(sent)
          changed[at % sent.length]! ^= change
          assert.equal((await check(kind, { ...delivered, body: changed }, source({}, [key]))).proven, false)
        }),
      )
    })

    test(`${kind}: a signature changed in any digit, shortened or written otherwise is refused`, async () => {
      const { headers } = honest(kind, body, secret)
      const [[name, value]] = Object.entries(headers) as [[string, string]]
      const digits = value.length - 64
      const wrong = [value.slice(0, -1), `${value}0`, ` ${value}`, `${value}\n`, value.slice(0, digits), '']
      for (let at = digits; at < value.length; at += 1) {
        const digit = (Number.parseInt(value[at]!, 16) ^ 1).toString(16)
        wrong.push(value.slice(0, at) + digit + value.slice(at + 1))
        wrong.push(`${value.slice(0, at)}g${value.slice(at + 1)}`)
      }
      for (const other of wrong.filter((text) => kind !== 'pagerduty' || text.trim() !== value))
        await refuses(kind, request(body, { [name]: other }), /./)
      await refuses(kind, request(body, { [name]: [value, value] }), /./)
      await accepts(
        kind,
        request(body, { [name]: value.slice(0, digits) + value.slice(digits).toUpperCase() }),
      )
    })
  }

  test('nothing is hashed for a signature that cannot be one, or a time that is over', async () => {
    const untouched = { body: new Proxy(body, { get: () => assert.fail('the body was read') }), query: {} }
    const signature = `sha256=${'0'.repeat(64)}`
    for (const headers of [
      {},
      { 'x-service-signature': 'sha256=00' },
      { 'x-service-signature': signature, 'x-service-timestamp': 'yesterday' },
      { 'x-service-signature': signature, 'x-service-timestamp': String(nowSeconds - 301) },
    ])
      assert.equal((await check('generic', { ...untouched, headers })).proven, false)
    assert.equal(
      (await check('pagerduty', { ...untouched, headers: { 'x-pagerduty-signature': 'v0=00' } })).proven,
      false,
    )
    assert.equal(
      (await check('sentry', { ...untouched, headers: { 'sentry-hook-signature': '00' } })).proven,
      false,
    )
    const grafana = { authorization: 'Bearer wrong', 'x-grafana-alerting-signature': '0'.repeat(64) }
    assert.equal((await check('grafana', { ...untouched, headers: grafana })).proven, false)
    assert.equal(
      (await check('cloudwatch', { ...untouched, headers: {}, query: { key: 'wrong' } })).proven,
      false,
    )
  })
})

test('a token is no signature and a signature no token', async () => {
  for (const kind of ['generic', 'pagerduty', 'sentry', 'azure_monitor', 'statuspage', 'cloudwatch'] as const)
    await refuses(
      kind,
      request(body, { authorization: `Bearer ${secret}`, 'x-service-token': secret }),
      /missing|lacks/,
    )
  await refuses('alertmanager', honest('generic', body, secret), /neither/)
  await refuses('alertmanager', request(body, {}, { key: secret }), /neither/)
})

test('a key that is given twice, or is not the whole secret, is refused', async () => {
  for (const kind of ['azure_monitor', 'statuspage', 'cloudwatch'] as const) {
    const sent = honest(kind, body, secret).body
    await refuses(kind, request(sent, {}, { key: [secret, secret] }), /more than one/)
    for (const key of ['', secret.slice(1), `${secret}0`, `${secret} `, secret.toLowerCase()])
      await refuses(kind, request(sent, {}, { key }), /key in the address/)
  }
})
