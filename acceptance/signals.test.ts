import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { type AuditEntry, auditEvents } from '../contract/audit.ts'
import { type SenderKind, type Severity, senderKinds } from '../contract/signal.ts'
import { type Page, quotaOf, type Reply, refused, startDemo, until, withQuery } from './demo.ts'
import {
  type Alert,
  accepted,
  bodies,
  component,
  type Proof,
  playable,
  proofs,
  type Sent,
  timed,
  trials,
  unixSeconds,
} from './senders.ts'

/**
 * "Service on-call settings", "Severity mapping", "Generic alert" and "Authentication of the alert intake": alerts are
 * sent as each tool sends them, and what becomes of them is read from the audit log. Each source of the demo feeds a
 * service of its own with default settings, and the tests run one after the other: an incident that one of them opens
 * is resolved before the next begins.
 */

const demo = await startDemo()
const sources = demo.started.sources as Record<SenderKind, { url: string; secret: string }>

async function post(
  kind: SenderKind,
  body: string | Buffer,
  { headers = {}, query = {} }: Proof = {},
  method = 'POST',
): Promise<Reply> {
  const response = await fetch(withQuery(sources[kind].url, query), {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    redirect: 'manual',
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const proofOf = (kind: SenderKind) => proofs[accepted[kind][0]!]

/** Sends with the right proof; the answer must be 202. */
async function deliver(kind: SenderKind, { body, headers = {} }: Sent): Promise<Receipt> {
  const bytes = JSON.stringify(body)
  const proof = proofOf(kind)(sources[kind].secret, bytes)
  return receipt(await post(kind, bytes, { ...proof, headers: { ...headers, ...proof.headers } }))
}

interface Receipt {
  accepted: number
  deliveryId: string
}

function receipt(reply: Reply): Receipt {
  assert.equal(reply.status, 202, reply.text)
  const body = JSON.parse(reply.text)
  assert.deepEqual(Object.keys(body).sort(), ['accepted', 'deliveryId'])
  assert.ok(Number.isInteger(body.accepted))
  assert.match(body.deliveryId, /^[0-9a-f-]{36}$/)
  quotaOf(reply)
  return body
}

const generic = (alert: unknown) => deliver('generic', { body: alert })

let made = 0
/** An unknown alert. */
function anAlert(word?: string): Alert {
  made += 1
  const id = `a${made}-${randomUUID().slice(0, 8)}`
  return { title: `Alert ${id}`, id, status: 'firing', ...(word === undefined ? {} : { word }) }
}

const newestOf = async (event: string): Promise<AuditEntry[]> =>
  (await demo.get<Page<AuditEntry>>(`/v1/audit?event=${event}&limit=100`)).data

/** Sends, and gives the entry of that event which comes of it. */
async function brings(
  event: string,
  send: () => Promise<unknown>,
  isMeant: (entry: AuditEntry) => boolean = () => true,
): Promise<AuditEntry> {
  const before = new Set((await newestOf(event)).map(({ id }) => id))
  await send()
  let fresh: AuditEntry | undefined
  await until(`the log tells of ${event}`, async () => {
    fresh = (await newestOf(event)).findLast((one) => !before.has(one.id) && isMeant(one))
    return fresh !== undefined
  })
  return fresh!
}

const opens = (send: () => Promise<unknown>, title = '') =>
  brings('incident_opened', send, ({ entity }) => entity.name!.startsWith(title))
const resolves = (send: () => Promise<unknown>, incident?: string) =>
  brings('incident_resolved', send, ({ entity }) => incident === undefined || entity.id === incident)
/** By alerts that joined it or recovered; an investigation writes entries of its own. */
const updates = (send: () => Promise<unknown>) =>
  brings('incident_updated', send, ({ details }) => typeof details.joined === 'number')

/** The word with which each tool says that all is lost. */
const worst: Partial<Record<SenderKind, string>> = {
  generic: 'critical',
  grafana: 'critical',
  pagerduty: 'P1',
  sentry: 'fatal',
  alertmanager: 'critical',
  datadog: 'P1',
  newrelic: 'CRITICAL',
  opsgenie: 'P1',
  azure_monitor: 'Sev0',
  statuspage: 'critical',
}

/**
 * What was sent opened nothing: deliveries are understood in the order of their arrival, and it is the alert sent after
 * it that opens the incident, alone.
 */
async function hasOpenedNothing(kind: SenderKind): Promise<void> {
  const next = anAlert(worst[kind])
  const opened = await opens(() => deliver(kind, bodies[kind](next)), next.title)
  assert.equal(opened.details.alerts, 1)
  await recovers(kind, bodies[kind], next, opened)
}

/** The recovery of its only alert resolves the incident. */
async function recovers(
  kind: SenderKind,
  write: (alert: Alert) => Sent,
  alert: Alert,
  opened: AuditEntry,
): Promise<void> {
  await resolves(() => deliver(kind, write({ ...alert, status: 'resolved' })), opened.entity.id)
}

describe('the proof of each sender', () => {
  for (const kind of senderKinds) {
    test(`${kind}: without a proof it is refused with 401`, async () => {
      refused(await post(kind, JSON.stringify(bodies[kind](anAlert()).body)), 401, 'invalid_proof')
    })

    for (const [name, prove] of Object.entries(proofs)) {
      const isAccepted = (accepted[kind] as string[]).includes(name)

      if (!isAccepted) {
        test(`${kind}: ${name} is not its proof, even with the right secret`, async () => {
          const body = JSON.stringify(bodies[kind](anAlert()).body)
          refused(await post(kind, body, prove(sources[kind].secret, body)), 401, 'invalid_proof')
        })
        continue
      }

      test(`${kind}: ${name} is accepted with the source's secret, and with no other`, async () => {
        // Below what opens an incident, so that nothing has to be tidied up.
        const { body, headers = {} } = bodies[kind]({ ...anAlert(), status: 'resolved' })
        const bytes = JSON.stringify(body)
        const { secret } = sources[kind]
        const another = senderKinds[(senderKinds.indexOf(kind) + 1) % senderKinds.length]!
        const send = (proof: Proof, sent = bytes) =>
          post(kind, sent, { ...proof, headers: { ...headers, ...proof.headers } })
        assert.equal(receipt(await send(prove(secret, bytes))).accepted, 1)
        const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
        refused(await send(prove(wrong, bytes)), 401, 'invalid_proof', 'a wrong secret')
        refused(await send(prove(sources[another].secret, bytes)), 401, 'invalid_proof', 'of another source')
        refused(await send(prove('', bytes)), 401, 'invalid_proof', 'an empty secret')
        refused(await send(prove(`${secret}x`, bytes)), 401, 'invalid_proof', 'more than the secret')
        if (name.includes('Signature'))
          refused(await send(prove(secret, bytes), `${bytes} `), 401, 'invalid_proof', 'a changed body')
      })
    }
  }

  test('a signature is over the exact bytes: spaces, escapes and a last line end count', async () => {
    const { secret } = sources.generic
    const body = `{ "title": "caf\\u00e9 \\u0026 bar", "status":"resolved", "id": 12345678901234567890 }\n`
    const prove = proofs['X-Service-Signature over the body']
    receipt(await post('generic', body, prove(secret, body)))
    refused(await post('generic', body.trimEnd(), prove(secret, body)), 401, 'invalid_proof')
  })

  test('one signature of several is enough for the incident-paging tool: it sends one for each active secret', async () => {
    const body = JSON.stringify(bodies.pagerduty({ ...anAlert(), status: 'resolved' }).body)
    const { headers } = proofs['X-PagerDuty-Signature'](sources.pagerduty.secret, body)
    const right = headers!['x-pagerduty-signature']
    for (const both of [`v1=${'0'.repeat(64)},${right}`, `${right}, v2=abc`])
      receipt(await post('pagerduty', body, { headers: { 'x-pagerduty-signature': both } }))
  })

  test('where two proofs are given and one of them is wrong, the delivery is refused', async () => {
    const { secret } = sources.grafana
    const body = JSON.stringify(bodies.grafana(anAlert()).body)
    const signature = proofs['X-Grafana-Alerting-Signature'](secret, body).headers
    const bearer = proofs['Authorization: Bearer']('not the secret').headers
    refused(await post('grafana', body, { headers: { ...signature, ...bearer } }), 401, 'invalid_proof')
  })

  test('the secret of one source opens no other of the same proof', async () => {
    const body = JSON.stringify(bodies.datadog(anAlert()).body)
    const bearer = proofs['Authorization: Bearer'](sources.opsgenie.secret)
    refused(await post('datadog', body, bearer), 401, 'invalid_proof')
    const key = proofs['?key='](sources.statuspage.secret)
    refused(await post('azure_monitor', body, key), 401, 'invalid_proof')
  })

  test('a refusal repeats neither the secret nor the signature that would have been right', async () => {
    for (const kind of senderKinds) {
      const { secret } = sources[kind]
      const body = JSON.stringify(bodies[kind](anAlert()).body)
      const reply = await post(kind, body, {
        headers: { 'x-service-signature': `sha256=${'0'.repeat(64)}` },
      })
      for (const prove of Object.values(proofs))
        for (const value of Object.values(prove(secret, body).headers ?? {}))
          assert.ok(!reply.text.includes(value))
      assert.ok(!reply.text.includes(secret))
    }
  })

  test('an API token is no proof, and a source’s secret is no API token', async () => {
    const body = JSON.stringify(bodies.alertmanager(anAlert()).body)
    const token = proofs['Authorization: Bearer'](demo.tokens.owner)
    refused(await post('alertmanager', body, token), 401, 'invalid_proof')
    const reply = await demo.ask('/v1/teams', { token: sources.alertmanager.secret })
    refused(reply, 401, 'invalid_token')
  })
})

describe('replay protection of the generic format', () => {
  const resolvedBody = () => JSON.stringify(bodies.generic({ ...anAlert(), status: 'resolved' }).body)
  const { secret } = sources.generic

  test('a request of almost five minutes ago is accepted', async () => {
    const body = resolvedBody()
    receipt(await post('generic', body, timed(secret, body, unixSeconds(-285))))
  })

  test('requests older than five minutes are refused', async () => {
    const body = resolvedBody()
    for (const seconds of [-302, -3_600, -86_400 * 365]) {
      const reply = await post('generic', body, timed(secret, body, unixSeconds(seconds)))
      assert.match(refused(reply, 401, 'invalid_proof'), /older than five minutes/)
    }
  })

  test('so are requests from further in the future than clocks differ', async () => {
    const body = resolvedBody()
    receipt(await post('generic', body, timed(secret, body, unixSeconds(200))))
    refused(await post('generic', body, timed(secret, body, unixSeconds(600))), 401, 'invalid_proof')
  })

  test('the timestamp is part of what is signed', async () => {
    const body = resolvedBody()
    const timestamp = unixSeconds()
    const bare = proofs['X-Service-Signature over the body'](secret, body).headers!
    const without = { headers: { ...bare, 'x-service-timestamp': timestamp } }
    refused(await post('generic', body, without), 401, 'invalid_proof', 'signed without its timestamp')
    const { headers } = timed(secret, body, timestamp)
    // Not of now: a second later that would be the one that was signed.
    const moved = { headers: { ...headers, 'x-service-timestamp': String(Number(timestamp) - 1) } }
    refused(await post('generic', body, moved), 401, 'invalid_proof', 'another timestamp than was signed')
    const stripped = { headers: { 'x-service-signature': headers!['x-service-signature']! } }
    refused(await post('generic', body, stripped), 401, 'invalid_proof', 'the timestamp left out')
  })

  test('a timestamp that is no time in Unix seconds is refused', async () => {
    const body = resolvedBody()
    const wrong = [
      'now',
      '2026-01-01T00:00:00Z',
      '',
      `${unixSeconds()}.5`,
      `-${unixSeconds()}`,
      `${Date.now()}`,
    ]
    for (const timestamp of wrong) {
      const reply = await post('generic', body, timed(secret, body, timestamp))
      assert.equal(reply.status, 401, `${timestamp}: ${reply.text}`)
    }
  })
})

describe('addresses, sizes and content', () => {
  test('an unknown address is answered with 404, with whatever proof', async () => {
    const body = JSON.stringify(bodies.generic(anAlert()).body)
    for (const name of [
      'x'.repeat(22),
      'short',
      `${sources.generic.url.split('/').at(-1)}x`,
      '..%2f..%2fv1%2fteams',
      'x'.repeat(5_000),
    ]) {
      for (const kind of ['generic', 'alertmanager'] as const) {
        const { headers } = proofOf(kind)(sources[kind].secret, body)
        const response = await fetch(`${demo.started.signalUrl}/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
        const reply = { status: response.status, headers: response.headers, text: await response.text() }
        assert.equal(reply.status, 404, `${name}: ${reply.text}`)
        refused(reply, 404, JSON.parse(reply.text).error.code)
      }
    }
  })

  test('the address of one source with its proof is of no use for another kind of body', async () => {
    const { body } = bodies.alertmanager(anAlert('critical'))
    const bytes = JSON.stringify(body)
    const reply = await post('datadog', bytes, proofOf('datadog')(sources.datadog.secret, bytes))
    assert.deepEqual(receipt(reply).accepted, 0, 'it is recorded, and no alert is read in it')
  })

  /** A resolved alert of exactly so many bytes. */
  const sized = (bytes: number) => {
    const alert = { title: 'Large', status: 'resolved', description: '' }
    return JSON.stringify({
      ...alert,
      description: 'a'.repeat(bytes - JSON.stringify(alert).length),
    })
  }

  test('a payload of exactly 512 KB is accepted', async () => {
    const body = sized(524_288)
    assert.equal(Buffer.byteLength(body), 524_288)
    receipt(await post('generic', body, proofOf('generic')(sources.generic.secret, body)))
  })

  test('a payload over 512 KB is refused with 413, by every sender', async () => {
    const body = sized(524_289)
    for (const kind of playable) {
      const reply = await post(kind, body, proofOf(kind)(sources[kind].secret, body))
      refused(reply, 413, 'payload_too_large', kind)
    }
  })

  test('a payload over 512 KB is refused when it does not say its length, too', async () => {
    const before = (await newestOf('signal_received')).map(({ id }) => id)
    const body = Buffer.from(sized(524_289))
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 65_536) controller.enqueue(body.subarray(at, at + 65_536))
        controller.close()
      },
    })
    const response = await fetch(sources.generic.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...proofOf('generic')(sources.generic.secret, body.toString()).headers,
      },
      body: stream,
      duplex: 'half',
      // The server closes the connection of a client that goes on sending, maybe before its answer is read.
    }).catch(() => null)
    if (response)
      refused(
        { status: response.status, headers: response.headers, text: await response.text() },
        413,
        'payload_too_large',
      )
    assert.deepEqual(
      (await newestOf('signal_received')).map(({ id }) => id),
      before,
    )
  })

  test('another content type than JSON is refused with 415', async () => {
    const body = JSON.stringify(bodies.generic(anAlert()).body)
    const types = ['text/xml', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']
    for (const kind of playable)
      for (const type of types) {
        const { headers, ...rest } = proofOf(kind)(sources[kind].secret, body)
        const reply = await post(kind, body, { ...rest, headers: { ...headers, 'content-type': type } })
        refused(reply, 415, 'unsupported_media_type', `${kind} with ${type}`)
      }
  })

  test('JSON with a charset, and kinds of JSON, are JSON', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/cloudevents+json',
    ]) {
      const body = JSON.stringify(bodies.generic({ ...anAlert(), status: 'resolved' }).body)
      const { headers } = proofOf('generic')(sources.generic.secret, body)
      receipt(await post('generic', body, { headers: { ...headers, 'content-type': type } }))
    }
  })

  test('an address takes alerts and shows nothing: GET is refused', async () => {
    const response = await fetch(sources.generic.url)
    assert.ok([404, 405].includes(response.status), String(response.status))
    await response.text()
  })

  test('a generic alert that cannot be read is refused with a sentence that names the fault', async () => {
    for (const [alert, fault] of [
      [{}, /title/],
      [{ title: '' }, /title/],
      [{ title: 7 }, /title/],
      [{ title: 'x', status: 'broken' }, /status/],
      [{ title: 'x', labels: ['a'] }, /labels/],
      [{ title: 'x', links: { label: 'a' } }, /links/],
      [{ title: 'x', startedAt: 'yesterday' }, /startedAt/],
      [{ alerts: [] }, /alerts/],
      [{ alerts: 'x' }, /alerts/],
      [[], /object/],
      ['x', /object/],
    ] as const) {
      const body = JSON.stringify(alert)
      const reply = await post('generic', body, proofOf('generic')(sources.generic.secret, body))
      assert.match(refused(reply, 400, 'invalid_alert', body), fault)
    }
    const reply = await post('generic', '{', proofOf('generic')(sources.generic.secret, '{'))
    refused(reply, 400, 'invalid_alert')
  })

  test('a body of another sender that cannot be used is accepted and recorded with the problem', async () => {
    for (const kind of playable.filter((one) => one !== 'generic')) {
      const received = await brings('signal_received', () =>
        deliver(kind, { body: { nothing: 'of use', of: randomUUID() } }),
      )
      assert.equal(received.details.alerts, 0, kind)
      assert.match(String(received.details.problem), /^The .*\.$/, kind)
    }
  })
})

describe('the cloud alarm service', () => {
  const { secret } = sources.cloudwatch
  const signed = {
    SignatureVersion: '2',
    Signature: Buffer.alloc(256, 7).toString('base64'),
    SigningCertURL: 'https://certificates.example.com/SimpleNotificationService-0.pem',
  }
  const send = (fields: object, headers = {}) =>
    post(
      'cloudwatch',
      JSON.stringify({ ...(bodies.cloudwatch(anAlert('[critical]')).body as object), ...fields }),
      {
        query: { key: secret },
        headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers },
      },
    )

  test('the key alone is not enough: without a signature a message is refused with 401', async () => {
    refused(await send({}), 401, 'invalid_proof')
  })

  test('a signature by anyone else is refused with 401', async () => {
    refused(await send(signed), 401, 'invalid_proof')
    const elsewhere = 'https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-0.pem'
    refused(await send({ ...signed, SigningCertURL: elsewhere }), 401, 'invalid_proof')
    refused(await send({ ...signed, SigningCertURL: 'http://127.0.0.1:1/x.pem' }), 401, 'invalid_proof')
  })

  test('a request to confirm a subscription needs the signature as well', async () => {
    const confirmation = {
      Type: 'SubscriptionConfirmation',
      Token: 'a'.repeat(64),
      SubscribeURL: 'https://x.example',
    }
    refused(await send({ ...signed, ...confirmation }), 401, 'invalid_proof')
  })

  test('raw message delivery carries no signature, and the refusal says so', async () => {
    const reply = await send({}, { 'x-amz-sns-rawdelivery': 'true' })
    assert.match(refused(reply, 401, 'invalid_proof'), /[Rr]aw message delivery/)
  })

  test('an old message is refused, however it is signed', async () => {
    refused(await send({ ...signed, Timestamp: '2020-01-01T00:00:00.000Z' }), 401, 'invalid_proof')
  })
})

/** Words of the specification, where each is one of a tool with the tool that says it. */
type Case = [kind: SenderKind, word: string | undefined, severity: Severity, write?: (alert: Alert) => Sent]

/** Of each tool two words that open an incident, and one that does not; all words are in its own tests. */
const cases: Case[] = [
  ['generic', 'SEV1', 'critical'],
  ['generic', 'error', 'high'],
  ['generic', undefined, 'medium'],
  ['grafana', 'critical', 'critical'],
  ['grafana', 'error', 'high'],
  ['grafana', undefined, 'medium'],
  ['alertmanager', 'P1', 'critical'],
  ['alertmanager', 'error', 'high'],
  ['alertmanager', 'none', 'medium'],
  ['pagerduty', 'P1', 'critical'],
  // Without a priority the urgency counts, which is high here.
  ['pagerduty', undefined, 'high'],
  ['pagerduty', 'P3', 'medium'],
  ['sentry', 'fatal', 'critical'],
  ['sentry', 'error', 'high'],
  ['sentry', 'warning', 'medium'],
  ['datadog', 'P1', 'critical'],
  ['datadog', 'P2', 'high'],
  ['datadog', 'P5', 'info'],
  ['newrelic', 'CRITICAL', 'critical'],
  ['newrelic', 'HIGH', 'high'],
  ['newrelic', 'LOW', 'low'],
  ['opsgenie', 'P1', 'critical'],
  ['opsgenie', 'P2', 'high'],
  ['opsgenie', 'P4', 'low'],
  ['azure_monitor', 'Sev0', 'critical'],
  ['azure_monitor', 'Sev1', 'high'],
  ['azure_monitor', 'Sev2', 'medium'],
  ['statuspage', 'critical', 'critical'],
  ['statuspage', 'partial_outage', 'high', component],
  ['statuspage', 'minor', 'low'],
]

const opensByDefault = (severity: Severity) => severity === 'critical' || severity === 'high'
const named = ([kind, word = 'nothing said', severity]: Case) => `${kind}: ${word} is ${severity}`

// Every tool watches a service of its own, and so they do not wait for one another.
describe('severity mapping', { concurrency: true }, () => {
  const below = cases.filter(([, , severity]) => !opensByDefault(severity))

  for (const kind of playable)
    describe(kind, { concurrency: false }, () => {
      for (const one of cases.filter(([of, , severity]) => of === kind && opensByDefault(severity)))
        test(`${named(one)}, and opens an incident`, async () => {
          const [, word, severity, write = bodies[kind]] = one
          const alert = anAlert(word)
          // By its name: the title of the alert is that of the incident.
          const opened = await opens(() => deliver(kind, write(alert)), alert.title)
          assert.equal(opened.details.severity, severity)
          await recovers(kind, write, alert, opened)
        })

      test(`${kind}: what is below High is recorded and opens no incident`, async () => {
        for (const [, word, , write = bodies[kind]] of below.filter(([of]) => of === kind)) {
          const alert = anAlert(word)
          const received = await brings(
            'signal_received',
            () => deliver(kind, write(alert)),
            ({ details }) => JSON.stringify(details.told).includes(alert.title),
          )
          assert.equal(received.details.alerts, 1, word)
        }
        await hasOpenedNothing(kind)
      })
    })
})

describe('the generic alert', () => {
  const fired = (fields: object = {}) => ({ title: anAlert().title, severity: 'critical', ...fields })

  test('a title is all it needs: it is firing, and its severity is medium', async () => {
    assert.equal((await generic({ title: 'Nothing else' })).accepted, 1)
    await hasOpenedNothing('generic')
  })

  test('every field of the specification is accepted', async () => {
    const alert = {
      ...fired(),
      status: 'firing',
      fingerprint: randomUUID(),
      id: '17',
      service: 'somebody else',
      description: 'First line.\nSecond line.',
      environment: 'production',
      startedAt: new Date(Date.now() - 1_000).toISOString(),
      endedAt: null,
      labels: { region: 'eu-1' },
      links: [{ label: 'Dashboard', url: 'https://dashboards.example.com/d/1' }],
    }
    const opened = await opens(() => generic(alert))
    assert.equal(opened.entity.name, alert.title)
    const resolved = await resolves(() =>
      generic({ ...alert, status: 'resolved', endedAt: new Date().toISOString() }),
    )
    assert.equal(resolved.entity.id, opened.entity.id)
  })

  test('a resolved alert with the same fingerprint recovers it, whatever else it says', async () => {
    const fingerprint = randomUUID()
    const opened = await opens(() => generic(fired({ fingerprint, id: '1', labels: { a: 'b' } })))
    const resolved = await resolves(() =>
      generic({ title: 'Another title', fingerprint, id: '2', status: 'resolved' }),
    )
    assert.equal(resolved.entity.id, opened.entity.id)
  })

  test('without a fingerprint, the id is it', async () => {
    const id = randomUUID()
    const opened = await opens(() => generic(fired({ id })))
    const resolved = await resolves(() =>
      generic({ title: 'Another title', fingerprint: id, status: 'resolved' }),
    )
    assert.equal(resolved.entity.id, opened.entity.id)
  })

  test('without either, title and labels are, in whatever order they stand', async () => {
    const alert = fired({ labels: { host: 'a', zone: 'b' } })
    const opened = await opens(() => generic(alert))
    await generic({ ...alert, status: 'resolved', labels: { host: 'a', zone: 'c' } })
    await generic({ ...alert, status: 'resolved', labels: {} })
    await generic({ ...alert, status: 'resolved', title: 'Another title' })
    // None of these was it: another alert finds the incident open.
    const other = fired({ fingerprint: randomUUID() })
    const joined = await updates(() => generic(other))
    assert.equal(joined.entity.id, opened.entity.id)
    await generic({ ...other, status: 'resolved' })
    const reordered = { labels: { zone: 'b', host: 'a' }, ...alert, status: 'resolved' }
    const resolved = await resolves(() => generic({ ...reordered, labels: { zone: 'b', host: 'a' } }))
    assert.equal(resolved.entity.id, opened.entity.id)
  })

  test('several alerts come under the key alerts, firing and resolved together', async () => {
    const [one, two] = [fired({ id: randomUUID() }), fired({ id: randomUUID(), severity: 'low' })]
    let sent: Receipt | undefined
    const opened = await opens(async () => {
      sent = await generic({ alerts: [one, two] })
    })
    assert.equal(sent!.accepted, 2)
    assert.equal(opened.details.alerts, 2)
    assert.equal(opened.entity.name, one.title)
    const three = fired({ id: randomUUID() })
    const updated = await updates(() => generic({ alerts: [{ ...one, status: 'resolved' }, three] }))
    assert.deepEqual([updated.details.joined, updated.details.recovered], [1, 1])
    const resolved = await resolves(() =>
      generic({ alerts: [two, three].map((alert) => ({ ...alert, status: 'resolved' })) }),
    )
    assert.equal(resolved.entity.id, opened.entity.id)
  })

  test('of several alerts, those that can be read are taken, and the fault of the others is recorded', async () => {
    const good = { ...fired(), status: 'resolved' }
    const received = await brings('signal_received', async () => {
      assert.equal((await generic({ alerts: [good, { severity: 'high' }] })).accepted, 1)
    })
    assert.match(String(received.details.problem), /alerts\[1\]\.title/)
  })
})

describe('incidents', () => {
  test('alerts of a service with an open incident join it, whatever their severity', async () => {
    const [first, info] = [anAlert('high'), anAlert('info')]
    const opened = await opens(() => deliver('generic', bodies.generic(first)))
    assert.equal(opened.details.severity, 'high')
    const joined = await updates(() => deliver('generic', bodies.generic(info)))
    assert.equal(joined.entity.id, opened.entity.id)
    assert.deepEqual([joined.details.joined, joined.details.severity], [1, 'high'])
    const worse = anAlert('critical')
    const raised = await updates(() => deliver('generic', bodies.generic(worse)))
    assert.equal(raised.details.severity, 'critical')
    // It is resolved when every alert in it has recovered, and not before.
    for (const alert of [first, info]) {
      const updated = await updates(() =>
        deliver('generic', bodies.generic({ ...alert, status: 'resolved' })),
      )
      assert.equal(updated.details.recovered, 1)
    }
    assert.notEqual((await newestOf('incident_resolved'))[0]?.entity.id, opened.entity.id)
    await recovers('generic', bodies.generic, worse, opened)
  })

  test('an alert of another service opens an incident of its own', async () => {
    const [one, other] = [anAlert('critical'), anAlert('P1')]
    const first = await opens(() => deliver('generic', bodies.generic(one)))
    const second = await opens(() => deliver('datadog', bodies.datadog(other)))
    assert.notEqual(second.entity.id, first.entity.id)
    assert.notEqual(second.details.service, first.details.service)
    await recovers('generic', bodies.generic, one, first)
    await recovers('datadog', bodies.datadog, other, second)
  })

  test('the same fingerprint of another source is another alert', async () => {
    const alert = anAlert('critical')
    const opened = await opens(() => deliver('grafana', bodies.grafana(alert)))
    await deliver('alertmanager', bodies.alertmanager({ ...alert, status: 'resolved' }))
    await hasOpenedNothing('alertmanager')
    const other = anAlert('info')
    const joined = await updates(() => deliver('grafana', bodies.grafana(other)))
    assert.equal(joined.entity.id, opened.entity.id, 'it is still open')
    await deliver('grafana', bodies.grafana({ ...other, status: 'resolved' }))
    await recovers('grafana', bodies.grafana, alert, opened)
  })

  test('after its recovery the same alert opens a new incident', async () => {
    const alert = anAlert('critical')
    const first = await opens(() => deliver('generic', bodies.generic(alert)))
    await recovers('generic', bodies.generic, alert, first)
    const second = await opens(() => deliver('generic', bodies.generic(alert)))
    assert.notEqual(second.entity.id, first.entity.id)
    await recovers('generic', bodies.generic, alert, second)
  })

  test('an alert that goes on firing is one alert of one incident', async () => {
    const alert = anAlert('critical')
    const opened = await opens(() => deliver('generic', bodies.generic(alert)))
    for (let again = 0; again < 5; again += 1) await deliver('generic', bodies.generic(alert))
    await recovers('generic', bodies.generic, alert, opened)
  })

  test('a resolved alert that no one has heard from opens nothing, and its firing from before comes too late', async () => {
    const alert = { ...anAlert(), severity: 'critical', fingerprint: randomUUID() }
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    await generic({ ...alert, status: 'resolved', startedAt: minutesAgo(10), endedAt: minutesAgo(5) })
    await generic({ ...alert, status: 'firing', startedAt: minutesAgo(10) })
    await hasOpenedNothing('generic')
    // One that began after that recovery is a new occurrence.
    const again = { ...alert, status: 'firing', startedAt: minutesAgo(1) }
    const opened = await opens(() => generic(again))
    const resolved = await resolves(() => generic({ ...again, status: 'resolved' }))
    assert.equal(resolved.entity.id, opened.entity.id)
  })

  test('a recovery of an earlier occurrence does not end the present one', async () => {
    const alert = { ...anAlert(), severity: 'critical', fingerprint: randomUUID() }
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const opened = await opens(() => generic({ ...alert, status: 'firing', startedAt: minutesAgo(2) }))
    await generic({ ...alert, status: 'resolved', endedAt: minutesAgo(30) })
    const other = anAlert('info')
    const joined = await updates(() => deliver('generic', bodies.generic(other)))
    assert.deepEqual([joined.entity.id, joined.details.joined], [opened.entity.id, 1])
    await deliver('generic', bodies.generic({ ...other, status: 'resolved' }))
    await resolves(() => generic({ ...alert, status: 'resolved', endedAt: new Date().toISOString() }))
  })

  test('the same delivery twice is accepted twice, under one id, and counts once', async () => {
    const body = JSON.stringify(bodies.generic({ ...anAlert(), status: 'resolved' }).body)
    const proof = timed(sources.generic.secret, body, unixSeconds())
    const first = receipt(await post('generic', body, proof))
    assert.deepEqual(receipt(await post('generic', body, proof)), first)
    const event = bodies.pagerduty({ ...anAlert(), status: 'resolved' })
    const [one, two] = [await deliver('pagerduty', event), await deliver('pagerduty', event)]
    assert.deepEqual(two, one)
    const log = await newestOf('signal_received')
    for (const { deliveryId } of [first, one])
      assert.equal(log.filter(({ details }) => details.delivery === deliveryId).length, 1)
  })

  test('the same words without a time or an id may be news, and are another delivery', async () => {
    const event = bodies.generic({ ...anAlert(), status: 'resolved' })
    assert.notEqual(
      (await deliver('generic', event)).deliveryId,
      (await deliver('generic', event)).deliveryId,
    )
  })

  for (const [kind, trial] of Object.entries(trials) as [SenderKind, Sent][])
    test(`${kind}: what its test button sends is accepted, recorded as a test, and opens nothing`, async () => {
      const received = await brings('signal_received', () => deliver(kind, trial))
      assert.equal(received.details.test, true)
      await hasOpenedNothing(kind)
    })
})

describe('events', () => {
  test('a delivery is recorded as signal_received, by the system, with its source', async () => {
    let sent: Receipt | undefined
    const received = await brings('signal_received', async () => {
      sent = await deliver('opsgenie', bodies.opsgenie({ ...anAlert(), status: 'resolved' }))
    })
    assert.deepEqual([received.actor.type, received.actor.userId], ['system', null])
    assert.deepEqual([received.entity.type, received.result], ['signal_source', 'success'])
    assert.equal(received.details.kind, 'opsgenie')
    assert.equal(received.details.delivery, sent!.deliveryId)
    assert.equal(received.details.alerts, 1)
  })

  test('a delivery that is refused is not', async () => {
    const before = (await newestOf('signal_received')).map(({ id }) => id)
    const body = JSON.stringify(bodies.opsgenie(anAlert('P1')).body)
    refused(await post('opsgenie', body), 401, 'invalid_proof')
    refused(
      await post('generic', body, proofOf('opsgenie')(sources.opsgenie.secret, body)),
      401,
      'invalid_proof',
    )
    assert.deepEqual(
      (await newestOf('signal_received')).map(({ id }) => id),
      before,
    )
  })

  test('an incident is recorded as opened, updated and resolved, by the service, with its team', async () => {
    const [one, two] = [anAlert('P1'), anAlert('P1')]
    const opened = await opens(() => deliver('opsgenie', bodies.opsgenie(one)))
    const updated = await updates(() => deliver('opsgenie', bodies.opsgenie(two)))
    await updates(() => deliver('opsgenie', bodies.opsgenie({ ...two, status: 'resolved' })))
    const resolved = await resolves(() =>
      deliver('opsgenie', bodies.opsgenie({ ...one, status: 'resolved' })),
    )
    for (const entry of [opened, updated, resolved]) {
      assert.equal(entry.actor.type, 'service')
      assert.equal(entry.entity.type, 'incident')
      assert.match(entry.entity.id, /^inc-[a-z0-9]{4}$/)
      assert.equal(entry.entity.id, opened.entity.id)
      assert.equal(entry.entity.name, one.title)
      assert.notEqual(entry.team, null)
      assert.equal(entry.details.service, opened.details.service)
    }
    assert.ok(opened.timestamp <= updated.timestamp && updated.timestamp <= resolved.timestamp)
  })

  test('the log can be filtered by these events, by their names and by the words of the specification', async () => {
    for (const [event, words] of [
      ['service_changed', 'Service changed'],
      ['signal_source_changed', 'Signal source changed'],
      ['signal_received', 'Signal received'],
      ['incident_opened', 'Incident opened'],
      ['incident_updated', 'Incident updated'],
      ['incident_resolved', 'Incident resolved'],
    ] as const) {
      assert.ok(auditEvents.includes(event))
      const page = (name: string) =>
        demo.get<Page<AuditEntry>>(withQuery('/v1/audit', { event: name, limit: '5' }))
      const { data } = await page(event)
      assert.ok(data.length > 0, event)
      assert.deepEqual((await page(words)).data, data)
    }
  })

  test('that sources and services were made is recorded, without their secrets', async () => {
    for (const event of ['service_changed', 'signal_source_changed']) {
      const entries = await demo.all<AuditEntry>(`/v1/audit?event=${event}`)
      assert.ok(entries.length >= senderKinds.length, event)
      for (const { secret } of Object.values(sources)) assert.ok(!JSON.stringify(entries).includes(secret))
    }
  })

  test('no secret and no address of a source is in the log of the server', () => {
    for (const { url, secret } of Object.values(sources)) {
      assert.ok(!demo.stderr.includes(secret))
      assert.ok(!demo.stderr.includes(new URL(url).pathname))
    }
  })
})
