import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ToolRefused } from '../../domain/ports/connection.ts'
import { type Asked, httpHost } from '../../test/hosts/http-host.ts'
import { pagerClient } from './client.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'

const credentials = 'hunter2-key'
const pagers = { pagerduty, opsgenie }

/** Answers each question with the next of the given statuses and bodies. */
async function played(t: TestContext, ...replies: [number, unknown?][]) {
  const { url, asked } = await httpHost(t, (_, response) => {
    const [status, body] = replies.shift() ?? [500]
    response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body))
  })
  return { alert: { id: 'PT4KHLK', api: url, from: 'me@example.com', credentials }, asked }
}

const incident = (status: string) => ({ incident: { id: 'PT4KHLK', status } })
const requested = ({ method, url, body }: Asked) => [method, url, body && JSON.parse(body)]

test('an incident of PagerDuty is acknowledged and resolved, as the user who was named', async (t) => {
  for (const [verb, status] of [
    ['acknowledge', 'acknowledged'],
    ['resolve', 'resolved'],
  ] as const) {
    const { alert, asked } = await played(t, [200, incident('triggered')], [200, incident(status)])
    assert.deepEqual(await pagerduty[verb](alert), { outcome: 'changed' })
    assert.deepEqual(asked.map(requested), [
      ['GET', '/incidents/PT4KHLK', ''],
      ['PUT', '/incidents/PT4KHLK', { incident: { type: 'incident_reference', status } }],
    ])
    for (const { headers } of asked) {
      assert.equal(headers.authorization, `Token token=${credentials}`)
      assert.equal(headers.accept, 'application/vnd.pagerduty+json;version=2')
      assert.equal(headers.from, 'me@example.com')
    }
    assert.equal(asked[1]!.headers['content-type'], 'application/json')
  }
})

test('what PagerDuty has acknowledged or resolved already is not touched: that could open it again', async (t) => {
  for (const [verb, status] of [
    ['acknowledge', 'acknowledged'],
    ['acknowledge', 'resolved'],
    ['resolve', 'resolved'],
  ] as const) {
    const { alert, asked } = await played(t, [200, incident(status)])
    assert.deepEqual(await pagerduty[verb](alert), { outcome: 'unchanged' })
    assert.deepEqual(
      asked.map(({ method }) => method),
      ['GET'],
    )
  }
  const quicker = await played(
    t,
    [200, incident('acknowledged')],
    [400, { error: { message: 'Invalid Input Provided', errors: ['Incident Already Resolved'] } }],
  )
  assert.deepEqual(await pagerduty.resolve(quicker.alert), { outcome: 'unchanged' })
})

test('an alert of Opsgenie is acknowledged and closed', async (t) => {
  for (const [verb, path] of [
    ['acknowledge', 'acknowledge'],
    ['resolve', 'close'],
  ] as const) {
    const { alert, asked } = await played(t, [202, { result: 'Request will be processed' }])
    assert.deepEqual(await opsgenie[verb](alert), { outcome: 'changed' })
    assert.deepEqual(asked.map(requested), [
      ['POST', `/v2/alerts/PT4KHLK/${path}?identifierType=id`, { source: 'Signalbox' }],
    ])
    assert.equal(asked[0]!.headers.authorization, `GenieKey ${credentials}`)
  }
  const closed = await played(t, [422, { message: 'Alert is already closed' }])
  assert.deepEqual(await opsgenie.resolve(closed.alert), { outcome: 'unchanged' })
})

const refusalOf = async (update: Promise<unknown>): Promise<ToolRefused> => {
  const error = await update.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ToolRefused, `${error}`)
  return error
}

test('what is refused is told with its extent and what helps, and never with the key', async (t) => {
  for (const [kind, pager] of Object.entries(pagers))
    for (const [status, extent, why] of [
      [401, 'account', /rejected the API key .* Replace it on the source’s page\./],
      [403, 'place', /allow this API key to update alerts .* Give it that permission/],
      [404, 'thing', /know the alert .* belongs to the account that sends the alerts/],
      [400, 'thing', /accept the request \(status 400\)/],
      [422, 'thing', /accept the request \(status 422\)/],
    ] as const) {
      const reply = { error: `no ${credentials}` }
      const { alert } = await played(t, [status, reply])
      const refusal = await refusalOf(pager.acknowledge(alert))
      assert.equal(refusal.extent, extent, kind)
      assert.match(refusal.message, why)
      assert.ok(!refusal.message.includes(credentials))
    }
  const { alert } = await played(t, [200, incident('triggered')], [403])
  assert.equal((await refusalOf(pagerduty.resolve(alert))).status, 403)
  const requester = { error: { message: 'Invalid Input Provided', errors: ['Requester User Not Found'] } }
  const unknown = await played(t, [200, incident('triggered')], [400, requester])
  const { message, extent } = await refusalOf(pagerduty.acknowledge(unknown.alert))
  assert.match(message, /doesn’t know the user .* Correct “Acts as”/)
  assert.equal(extent, 'place', 'no alert can be updated as that user')
})

test('what may pass is thrown, without the key', async (t) => {
  for (const pager of Object.values(pagers)) {
    for (const status of [408, 429, 500, 503]) {
      const { alert } = await played(t, [status, { error: credentials }])
      await assert.rejects(
        pager.resolve(alert),
        (error: Error) => error.message === `${pager.name} answered with status ${status}.`,
      )
    }
    const away = { id: 'x', api: 'http://127.0.0.1:1', from: null, credentials }
    await assert.rejects(pager.resolve(away), /cannot be reached/)
  }
})

test('the key is not carried to where a redirect leads, and a slow tool is not waited for', async (t) => {
  const elsewhere = await httpHost(t, (_, response) => response.end('{}'))
  const moved = await httpHost(t, (_, response) => response.writeHead(307, { location: elsewhere.url }).end())
  for (const pager of Object.values(pagers))
    await assert.rejects(pager.acknowledge({ id: 'x', api: moved.url, from: null, credentials }))
  assert.equal(elsewhere.asked.length, 0)
  const silent = await httpHost(t, () => {})
  await assert.rejects(
    pagerClient('A tool').request({ url: silent.url, timeoutMs: 100 }),
    /did not answer within 0.1 seconds/,
  )
})

test('an id is a part of the path, whatever it holds', async (t) => {
  const { alert, asked } = await played(t, [202])
  await opsgenie.resolve({ ...alert, id: '../../v1/accounts?x=' })
  assert.equal(asked[0]!.url, '/v2/alerts/..%2F..%2Fv1%2Faccounts%3Fx%3D/close?identifierType=id')
})
