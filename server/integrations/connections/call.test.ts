import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { type CallOutcome, type Connection, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import { systemClock } from '../../infra/clock.ts'
import { Double, type Fault } from '../../test/doubles/double.ts'
import { JiraDouble } from '../../test/doubles/jira.ts'
import { callerFor } from './call.ts'

const jira = await new JiraDouble().start()
after(() => jira.stop())
jira.addAccount({ email: 'bot@example.com', token: 'jira-1' })
const connection: Connection = {
  ...{ id: 'c', workspaceId: 'w', kind: 'jira', name: 'Jira', baseUrl: jira.url },
  ...{ credentials: { email: 'bot@example.com', token: 'jira-1' }, account: null },
}
const noted: CallOutcome['result'][] = []
const call = callerFor({
  ...{ allow: ['127.0.0.1'], clock: systemClock },
  note: async (_, { result }) => void noted.push(result),
})

test('what is forbidden is noted as a refusal, except where it was asked for beyond what is needed', async () => {
  const onlyForApps = { path: '/rest/api/3/webhook' }
  await assert.rejects(call(connection, onlyForApps), ToolRefused)
  await assert.rejects(call(connection, { ...onlyForApps, mayBeForbidden: true }), ToolRefused)
  assert.deepEqual(noted.splice(0), ['refused', 'answered'])
})

test('what is refused with status 200 is no success, of whichever tool', async (t) => {
  const double = await new Double().start()
  t.after(() => double.stop())
  const said = async (kind: ConnectionKind, path: string, json: unknown) => {
    double.on('POST', /./, () => ({ json }))
    const at = { ...connection, kind, baseUrl: double.url, credentials: { token: 't', botToken: 't' } }
    const failed = await call(at, { method: 'POST', path, json: {} }).then(
      () => 'returned',
      (error) => (error instanceof ToolRefused ? `${error.reason} of the ${error.extent}` : error.name),
    )
    return [failed, ...noted.splice(0)]
  }
  const slack = (error: string) => said('slack', '/chat.postMessage', { ok: false, error })
  assert.deepEqual(await slack('token_revoked'), ['unauthorized of the account', 'refused'])
  assert.deepEqual(await slack('missing_scope'), ['forbidden of the account', 'refused'])
  assert.deepEqual(await slack('not_in_channel'), ['not_found of the place', 'refused'])
  assert.deepEqual(await slack('a_new_one'), ['invalid of the thing', 'answered'])
  assert.deepEqual(await slack('ratelimited'), ['Error', 'busy'])
  assert.deepEqual(await said('slack', '/apps.connections.open', { ok: false, error: 'invalid_auth' }), [
    'unauthorized of the place',
    'refused',
  ])
  const linear = (code: string) =>
    said('linear', '/graphql', { errors: [{ message: 'No', extensions: { code } }] })
  assert.deepEqual(await linear('AUTHENTICATION_ERROR'), ['unauthorized of the account', 'refused'])
  assert.deepEqual(await linear('FORBIDDEN'), ['forbidden of the place', 'refused'])
  assert.deepEqual(await linear('RATELIMITED'), ['Error', 'busy'])
  // GitHub may have returned the rest of the data to the caller.
  const github = (type: string) => said('github', '/graphql', { data: null, errors: [{ type }] })
  assert.deepEqual(await github('FORBIDDEN'), ['returned', 'refused'])
  assert.deepEqual(await github('RATE_LIMITED'), ['returned', 'busy'])
  assert.deepEqual(await github('NOT_FOUND'), ['returned', 'answered'])
  assert.deepEqual(await said('slack', '/chat.postMessage', { ok: true }), ['returned', 'done'])
})

const seconds = (after: number) => `${Math.floor(Date.parse('2026-11-16T08:00:00Z') / 1000) + after}`
const date = 'Mon, 16 Nov 2026 08:00:00 GMT'
/** As each vendor says that we called too often, and how long it wants to be left alone. */
const limits: Record<string, [ConnectionKind, Fault, number]> = {
  'GitHub, all requests of the hour spent': [
    'github',
    {
      status: 403,
      headers: {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': seconds(900),
        date,
      },
      json: { message: 'API rate limit exceeded for user ID 1.' },
    },
    900_000,
  ],
  'GitHub, secondary limit with a time': [
    'github',
    {
      status: 403,
      headers: { 'retry-after': '61' },
      json: { message: 'You have exceeded a secondary rate limit.' },
    },
    61_000,
  ],
  'GitHub, secondary limit without one': [
    'github',
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': seconds(900), date },
      json: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' },
    },
    60_000,
  ],
  'GitHub, 429': ['github', { status: 429, headers: { 'retry-after': '37' }, json: {} }, 37_000],
  GitLab: [
    'gitlab',
    {
      status: 429,
      headers: { 'retry-after': '45', 'ratelimit-remaining': '0', 'ratelimit-reset': seconds(45), date },
      text: 'Retry later\n',
    },
    45_000,
  ],
  'GitLab, without a time of its own': [
    'gitlab',
    {
      status: 429,
      headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': seconds(30), date },
      text: 'Retry later',
    },
    30_000,
  ],
  Jira: [
    'jira',
    {
      status: 429,
      headers: { 'retry-after': '12', 'ratelimit-reason': 'jira-per-issue-on-write' },
      json: {},
    },
    12_000,
  ],
  'Jira, with a date': [
    'jira',
    { status: 429, headers: { 'retry-after': 'Mon, 16 Nov 2026 08:02:00 GMT', date }, json: {} },
    120_000,
  ],
  Linear: [
    'linear',
    {
      status: 400,
      headers: {
        'x-ratelimit-requests-remaining': '0',
        'x-ratelimit-requests-reset': `${seconds(600)}000`,
        date,
      },
      json: { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] },
    },
    600_000,
  ],
  Slack: [
    'slack',
    { status: 429, headers: { 'retry-after': '3' }, json: { ok: false, error: 'ratelimited' } },
    3_000,
  ],
}

for (const [what, [kind, fault, waitMs]] of Object.entries(limits))
  test(`the limit of ${what}: it is waited for as long as the vendor says, also when the clocks differ`, async () => {
    const tool = await new Double().start()
    try {
      // Ours is off by hours; those who name a time name it by their own.
      for (const offMs of [0, 7_200_000, -7_200_000]) {
        const now = new Date(Date.parse('2026-11-16T08:00:00Z') + offMs)
        const asking = callerFor({ allow: ['127.0.0.1'], clock: { now: () => now } })
        tool.fail(fault)
        const credentials = { token: 'tok', botToken: 'tok', email: 'bot@example.com' }
        const asked = asking({ ...connection, kind, baseUrl: tool.url, credentials }, { path: '/x' })
        await assert.rejects(asked, (error) => {
          assert.ok(error instanceof ToolBusy)
          assert.equal(error.retryAfterMs, waitMs)
          assert.equal(error.retryAt?.getTime(), now.getTime() + waitMs)
          return true
        })
      }
    } finally {
      await tool.stop()
    }
  })

test('a tool that quotes our credentials back: what adapters read of its words has none of them', async () => {
  const tool = await new Double().start()
  try {
    const token = 'tok-do-not-tell-0123456789'
    tool.fail({ status: 422, json: { message: `Bad credentials: Bearer ${token}` } })
    const quoted = call(
      { ...connection, kind: 'gitlab', baseUrl: tool.url, credentials: { token } },
      { path: '/x' },
    )
    await assert.rejects(quoted, (error) => {
      assert.ok(error instanceof ToolRefused)
      assert.match(JSON.stringify(error.answer), /Bad credentials: .*\*\*\*/)
      assert.ok(!`${JSON.stringify(error.answer)} ${error.message} ${error.stack}`.includes(token))
      return true
    })
  } finally {
    await tool.stop()
  }
})
