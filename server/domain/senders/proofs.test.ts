import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import fc from 'fast-check'
import { anSnsMessage, certificatesOf } from '../../test/sns.ts'
import { proofsWith } from './index.ts'
import type { ProofSource } from './proving/proof.ts'
import type { Delivered } from './reading/reading.ts'

const now = new Date('2026-03-31T12:00:00.400Z')
const nowSeconds = Math.floor(now.getTime() / 1000)
const secret = 'c2VjcmV0IHRoYXQgbG9va3MgbGlrZSBiYXNlNjQ='
const formerSecret = 'the secret before'
const proofs = proofsWith(certificatesOf())

const hex = (key: string, ...parts: (string | Buffer)[]) => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}
const request = (
  body: string | Buffer,
  headers: Delivered['headers'] = {},
  query: Delivered['query'] = {},
): Delivered => ({ body: Buffer.from(body), headers, query })
const source = (settings: Record<string, string> = {}, secrets = [secret]): ProofSource => ({
  secrets,
  settings,
})

const check = async (kind: SenderKind, delivered: Delivered, from = source(), at = now) =>
  await proofs[kind](delivered, from, at)

async function accepts(kind: SenderKind, delivered: Delivered, from = source(), at = now) {
  assert.deepEqual(await check(kind, delivered, from, at), { proven: true })
}

/** Refused, with a sentence that repeats neither the secret nor anything received. */
async function refuses(kind: SenderKind, delivered: Delivered, because: RegExp, from = source(), at = now) {
  const result = await check(kind, delivered, from, at)
  assert.ok(!result.proven, 'it was accepted')
  assert.match(result.reason, because)
  assert.match(result.reason, /^[A-Z].*\.$/)
  const received = Object.values({ ...delivered.headers, ...delivered.query }).flat()
  for (const value of [...from.secrets, ...received])
    if (value && value.length > 8) assert.ok(!result.reason.includes(value), result.reason)
}

/** How each kind of sender proves itself, with the given secret. */
const honest: Record<SenderKind, (body: Buffer, key: string) => Delivered> = {
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
const signing = ['generic', 'grafana', 'pagerduty', 'sentry'] as const
const body = Buffer.from('{"title":"Übersicht \\u0026 1.0"}\n')

describe('every kind of sender', () => {
  for (const kind of senderKinds) {
    test(`${kind}: the right proof is accepted, a wrong one and none are not`, async () => {
      await accepts(kind, honest[kind](body, secret))
      await refuses(kind, honest[kind](body, 'another secret'), /secret of this source/)
      const { body: sent } = honest[kind](body, secret)
      await refuses(kind, request(sent), /missing|lacks|neither/)
    })

    test(`${kind}: during a rotation both secrets are accepted, afterwards only the new one`, async () => {
      for (const secrets of [
        [secret, formerSecret],
        [formerSecret, secret],
      ]) {
        await accepts(kind, honest[kind](body, secret), source({}, secrets))
        await accepts(kind, honest[kind](body, formerSecret), source({}, secrets))
        await refuses(kind, honest[kind](body, 'neither'), /./, source({}, secrets))
      }
      await refuses(kind, honest[kind](body, formerSecret), /secret of this source/)
    })

    test(`${kind}: a source without a secret accepts nobody, also not with an empty one`, async () => {
      for (const secrets of [[], ['']]) {
        await refuses(kind, honest[kind](body, ''), /./, source({}, secrets))
        await refuses(kind, honest[kind](body, secret), /./, source({}, secrets))
      }
    })
  }
})

describe('a signed body', () => {
  const anyBody = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
  const anySecret = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed())

  for (const kind of signing) {
    test(`${kind}: whatever the bytes are, they are accepted as they were signed and never otherwise`, async () => {
      await fc.assert(
        fc.asyncProperty(anyBody, anySecret, fc.nat(), fc.integer({ min: 1, max: 255 }), async (...given) => {
          const [sent, key, at, change] = given
          const delivered = honest[kind](sent, key)
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
      const { headers } = honest[kind](body, secret)
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

  test('the scheme in front of the generic signature is part of it', async () => {
    const signature = hex(secret, body)
    for (const value of [signature, `SHA256=${signature}`, `sha1=${signature}`, `v1=${signature}`])
      await refuses('generic', request(body, { 'x-service-signature': value }), /sha256=<64/)
  })

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

describe('the generic timestamp', () => {
  const stamped = (timestamp: string, signedText = `${timestamp}.`) =>
    request(body, {
      'x-service-timestamp': timestamp,
      'x-service-signature': `sha256=${hex(secret, signedText, body)}`,
    })

  test('a request of exactly five minutes ago, or ahead, is accepted; a second more is not', async () => {
    for (const seconds of [0, 1, -1, 299, -299, 300, -300])
      await accepts('generic', stamped(String(nowSeconds + seconds)))
    await refuses('generic', stamped(String(nowSeconds - 301)), /older than five minutes/)
    await refuses('generic', stamped(String(nowSeconds + 301)), /future/)
    const later = (ms: number) => new Date(nowSeconds * 1000 + ms)
    await accepts('generic', stamped(String(nowSeconds)), source(), later(300_999))
    await refuses('generic', stamped(String(nowSeconds)), /older/, source(), later(301_000))
  })

  test('a signature that leaves the timestamp out is refused', async () => {
    await refuses('generic', stamped(String(nowSeconds), ''), /timestamp, a dot and the body/)
    await refuses('generic', stamped(String(nowSeconds), `${nowSeconds}:`), /a dot/)
    await refuses('generic', stamped(String(nowSeconds), `${nowSeconds - 1}.`), /a dot/)
  })

  test('a signature with a timestamp does not hold without it', async () => {
    const { headers } = stamped(String(nowSeconds))
    await refuses('generic', request(body, { ...headers, 'x-service-timestamp': undefined }), /does not fit/)
  })

  test('what is not a number of seconds is refused', async () => {
    const exact = String(nowSeconds)
    for (const timestamp of [
      '',
      ' ',
      `${exact}.0`,
      `${exact} `,
      `+${exact}`,
      `-${exact}`,
      '1e9',
      '0x10',
      'now',
      '9'.repeat(13),
      `${exact}, ${exact}`,
    ])
      await refuses('generic', stamped(timestamp), /Unix seconds/)
    await refuses('generic', stamped(`${exact}000`), /Unix seconds|future/)
    const { headers } = stamped(exact)
    await refuses(
      'generic',
      request(body, { ...headers, 'x-service-timestamp': [exact, exact] }),
      /Unix seconds/,
    )
  })

  test('a source can require it', async () => {
    const strict = source({ timestamp: 'required' })
    await accepts('generic', stamped(String(nowSeconds)), strict)
    await refuses('generic', honest.generic(body, secret), /X-Service-Timestamp is missing/, strict)
  })
})

describe('grafana', () => {
  test('the signature header is the one that the contact point sends', async () => {
    const renamed = source({ signatureHeader: 'X-My-Signature' })
    await accepts('grafana', request(body, { 'x-my-signature': hex(secret, body) }), renamed)
    await refuses('grafana', honest.grafana(body, secret), /neither a header X-My-Signature/, renamed)
  })

  test('with a timestamp header the signed text is the time, a colon and the body', async () => {
    const timed = source({ timestampHeader: 'X-Sent-At' })
    const at = (timestamp: string, between = ':') =>
      request(body, {
        'x-sent-at': timestamp,
        'x-grafana-alerting-signature': hex(secret, timestamp + between, body),
      })
    await accepts('grafana', at(String(nowSeconds)), timed)
    await accepts('grafana', at(String(nowSeconds - 300)), timed)
    await refuses('grafana', at(String(nowSeconds), '.'), /does not fit X-Sent-At/, timed)
    await refuses('grafana', at(String(nowSeconds - 301)), /older than five minutes/, timed)
    await refuses('grafana', at(String(nowSeconds + 301)), /future/, timed)
    await refuses('grafana', at('soon'), /Unix seconds/, timed)
    await refuses('grafana', honest.grafana(body, secret), /X-Sent-At is missing/, timed)
    await refuses('grafana', at(String(nowSeconds)), /its name has to be set/)
  })

  test('a bearer token does as well; beside a wrong signature it does not', async () => {
    const authorization = `Bearer ${secret}`
    const right = hex(secret, body)
    const both = (token: string, signature: string) =>
      request(body, { authorization: token, 'x-grafana-alerting-signature': signature })
    await accepts('grafana', request(body, { authorization }))
    await accepts('grafana', request(body, { authorization }), source({ timestampHeader: 'X-Sent-At' }))
    await accepts('grafana', both(authorization, right))
    await accepts('grafana', both('Basic dXNlcjpwYXNz', right))
    await refuses('grafana', both(authorization, hex('other', body)), /does not fit/)
    await refuses('grafana', both(authorization, 'none'), /64 hexadecimal/)
    await refuses('grafana', both('Bearer wrong token', right), /token in the header Authorization/)
    await refuses('grafana', request(body, { 'x-service-token': secret }), /neither/)
  })
})

describe('pagerduty', () => {
  const right = `v1=${hex(secret, body)}`
  const wrong = `v1=${hex('another', body)}`
  const signed = (value: string) => request(body, { 'x-pagerduty-signature': value })

  test('one good signature among several is enough; other versions are passed over', async () => {
    for (const value of [`${wrong},${right}`, `${right}, ${wrong}`, `v2=abc,${right},v1=,,v1`])
      await accepts('pagerduty', signed(value))
    await refuses('pagerduty', signed(`${wrong},${wrong}`), /No signature/)
    await refuses('pagerduty', signed(right.replace('v1', 'v2')), /v1=/)
  })
})

describe('a token', () => {
  const given = (headers: Delivered['headers']) => request(body, headers)
  const authorization = `Bearer ${secret}`

  test('nothing but the scheme is read leniently', async () => {
    for (const value of [
      `Bearer  ${secret}`,
      ` ${authorization}`,
      `${authorization} `,
      `Bearer\t${secret}`,
      `Bearer${secret}`,
      'Bearer',
      'Bearer ',
      secret,
      `Basic ${secret}`,
      `Bearer "${secret}"`,
      `${authorization}, ${authorization}`,
    ])
      await refuses('alertmanager', given({ authorization: value }), /Authorization/)
    for (const value of [
      `${secret} `,
      ` ${secret}`,
      '',
      secret.toUpperCase(),
      `Bearer ${secret}`,
      `${secret}, ${secret}`,
    ])
      await refuses('datadog', given({ 'x-service-token': value }), /X-Service-Token/)
  })

  test('of two, both have to be right', async () => {
    await accepts('newrelic', given({ authorization, 'x-service-token': secret }))
    await refuses('newrelic', given({ authorization, 'x-service-token': 'wrong' }), /X-Service-Token/)
    await refuses(
      'newrelic',
      given({ authorization: 'Bearer wrong', 'x-service-token': secret }),
      /Authorization/,
    )
    await refuses('newrelic', given({ authorization: [authorization, authorization] }), /twice/)
    await refuses('newrelic', given({ 'x-service-token': [secret, secret] }), /twice/)
    await accepts('newrelic', given({ authorization: 'Basic dXNlcjpwYXNz', 'x-service-token': secret }))
  })

  test('a secret beyond ASCII is compared by its bytes, which Node reads as Latin-1', async () => {
    const key = 'schlüssel – 鍵'
    const wire = Buffer.from(key).toString('latin1')
    await accepts('opsgenie', given({ authorization: `Bearer ${wire}` }), source({}, [key]))
    await accepts('statuspage', request(body, {}, { key }), source({}, [key]))
  })

  test('a token is no signature and a signature no token', async () => {
    for (const kind of [
      'generic',
      'pagerduty',
      'sentry',
      'azure_monitor',
      'statuspage',
      'cloudwatch',
    ] as const)
      await refuses(kind, given({ authorization, 'x-service-token': secret }), /missing|lacks/)
    await refuses('alertmanager', honest.generic(body, secret), /neither/)
    await refuses('alertmanager', request(body, {}, { key: secret }), /neither/)
  })
})

test('a key that is given twice, or is not the whole secret, is refused', async () => {
  for (const kind of ['azure_monitor', 'statuspage', 'cloudwatch'] as const) {
    const sent = honest[kind](body, secret).body
    await refuses(kind, request(sent, {}, { key: [secret, secret] }), /more than one/)
    for (const key of ['', secret.slice(1), `${secret}0`, `${secret} `, secret.toLowerCase()])
      await refuses(kind, request(sent, {}, { key }), /key in the address/)
  }
})

const payloads = process.env.SIGNALBOX_PAYLOADS
const recorded = payloads ? path.join(payloads, 'pagerduty') : ''

test('recorded deliveries of PagerDuty are proven', { skip: !existsSync(recorded) }, async () => {
  let proven = 0
  for (const file of readdirSync(recorded).filter((name) => name.endsWith('.expect.json'))) {
    const { signature } = JSON.parse(readFileSync(path.join(recorded, file), 'utf8'))
    if (!signature) continue
    const sent = readFileSync(path.join(recorded, file.replace('.expect.json', '.json')))
    const headers = { [signature.header.toLowerCase()]: signature.value }
    await accepts('pagerduty', request(sent, headers), source({}, [signature.secret]))
    await refuses('pagerduty', request(sent, headers), /No signature/)
    proven += 1
  }
  assert.ok(proven > 0)
})
