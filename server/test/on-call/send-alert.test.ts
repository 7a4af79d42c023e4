import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import { sendAlert } from '../../../scripts/send-alert.ts'
import { proofsWith, senders } from '../../domain/on-call/senders/index.ts'
import type { Delivered } from '../../domain/on-call/senders/reading/reading.ts'
import { certificatesOf } from './sns.ts'

/** What `npm run send-alert` plays is what proofs and formats expect. */

const proofs = proofsWith(certificatesOf())
const source = { secrets: ['a secret of the source'], settings: {} }

const received: Delivered[] = []
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request))
  const { searchParams } = new URL(request.url!, 'http://localhost')
  received.push({ body, headers: request.headers, query: Object.fromEntries(searchParams) })
  response.writeHead(202).end('{"received":true}')
})
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => {
  server.closeAllConnections()
  server.close()
})

async function run(kind: string, ...more: string[]) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/source`
  received.length = 0
  let said = ''
  const code = await sendAlert(
    ['--kind', kind, '--url', url, '--secret', source.secrets[0]!, ...more],
    (text) => {
      said += text
    },
  )
  return { code, said, deliveries: [...received] }
}

const isProven = async (kind: SenderKind, delivered: Delivered) =>
  (await proofs[kind](delivered, source, new Date())).proven

for (const kind of senderKinds.filter((one) => one !== 'cloudwatch')) {
  test(`an alert of ${kind} is proven and read`, async () => {
    const { code, said, deliveries } = await run(kind, '--title', 'Disk full', '--severity', 'critical')
    assert.equal(code, 0)
    assert.match(said, /^202 Accepted\n\{"received":true\}\n$/)
    assert.equal(await isProven(kind, deliveries[0]!), true)
    const { alerts, problem, test: isTest } = senders[kind].format(deliveries[0]!)
    assert.equal(problem, null)
    assert.equal(isTest, false)
    const [{ title, status, severity, service, updateOnly }] = alerts as [(typeof alerts)[number]]
    assert.deepEqual(
      { title, status, severity, service, updateOnly },
      { title: 'Disk full', status: 'firing', severity: 'critical', service: 'checkout', updateOnly: false },
    )
  })
}

test('a recovery is of the same alert', async () => {
  for (const kind of ['generic', 'pagerduty', 'datadog'] as const) {
    const fingerprints = []
    for (const status of ['firing', 'resolved']) {
      const { deliveries } = await run(kind, '--status', status)
      const [alert] = senders[kind].format(deliveries[0]!).alerts
      assert.equal(alert!.status, status)
      fingerprints.push(alert!.fingerprint)
    }
    assert.equal(fingerprints[0], fingerprints[1])
  }
})

test('several alerts are several deliveries', async () => {
  const { deliveries } = await run('generic', '--count', '3')
  const fingerprints = deliveries.map((delivered) => senders.generic.format(delivered).alerts[0]!.fingerprint)
  assert.equal(new Set(fingerprints).size, 3)
})

test('only SNS can sign for the cloud alarm service', async () => {
  const refused = await run('cloudwatch')
  assert.equal(refused.code, 2)
  assert.match(refused.said, /Only Amazon SNS can sign/)
  assert.deepEqual(refused.deliveries, [])
  const { deliveries } = await run('cloudwatch', '--unsigned')
  assert.equal(await isProven('cloudwatch', deliveries[0]!), false)
})

test('an alert can be sent without its proof', async () => {
  const { deliveries } = await run('grafana', '--unsigned')
  assert.equal(await isProven('grafana', deliveries[0]!), false)
})

test('what is asked for wrongly is explained', async () => {
  for (const [wrong, why] of [
    [['--kind', 'nagios'], /--kind must be one of generic/],
    [['--severity', 'worst'], /--severity must be one of/],
    [['--count', '0'], /--count/],
    [['--colour', 'red'], /--colour/],
  ] as const) {
    const { code, said, deliveries } = await run('generic', ...wrong)
    assert.equal(code, 2)
    assert.match(said, why)
    assert.match(said, /npm run send-alert/)
    assert.deepEqual(deliveries, [])
  }
})
