import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import { LogLevel, SocketModeClient } from '@slack/socket-mode'
import { type ConversationsRepliesResponse, WebClient, type WebClientOptions } from '@slack/web-api'
import type { Connection } from '../../domain/ports/connection.ts'
import { blocksOf } from '../../integrations/chat/slack-blocks.ts'
import { slackOnLoopback } from '../tools/slack-channel.ts'
import { until } from '../until.ts'
import { SlackDouble } from './slack.ts'

/** The double of Slack, from the other side: what Slack's own clients make of it. */

let slack: SlackDouble
before(async () => {
  slack = await SlackDouble.start()
  slack.team = 'Acme'
  slack.addChannel('C0000001', 'checkout')
  slack.addChannel('C0000002', 'old', { isArchived: true })
  slack.addChannel('C0000003', 'elsewhere', { isMember: false })
  slack.addUser({ id: 'U1', name: 'ann', email: 'ann@example.com' })
})
after(() => slack.stop())
beforeEach(() => {
  slack.isStrict = false
})

const client = (options: WebClientOptions = {}, token = slack.botToken) =>
  new WebClient(token, {
    ...{ slackApiUrl: `${slack.url}/`, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
    ...{ logLevel: LogLevel.ERROR, ...options },
  })

const channel = 'C0000001'
const message = {
  ...{ title: 'dec-k3x9: Approve the plan', body: ['About it', { markdown: '> quoted' }] },
  buttons: [{ id: 'dec-k3x9/approve', label: 'Approve', explained: 'It starts.', isRecommended: true }],
  ...{ note: 'Note', links: [{ label: 'Open', url: 'https://box.example.com' }], footer: 'Until noon.' },
}

test('Slack’s own client is told who it is, with the scopes, and is refused with a wrong token', async () => {
  const who = await client().auth.test()
  assert.deepEqual([who.ok, who.team, who.user, who.team_id], [true, 'Acme', 'signalbox', 'TDOUBLE'])
  assert.ok(who.response_metadata?.scopes?.includes('chat:write'))
  await assert.rejects(client({}, 'xoxb-wrong').auth.test(), /invalid_auth/)
  await assert.rejects(client({}, '').auth.test(), /not_authed/)
})

test('it posts our blocks with metadata, changes them, replies in the thread and posts an ephemeral message', async () => {
  const api = client()
  const posted = await api.chat.postMessage({
    ...{ channel, text: 'Approve the plan', blocks: blocksOf(message) as never },
    ...{ unfurl_links: false, unfurl_media: false },
    metadata: { event_type: 'signalbox', event_payload: { key: 'one' } },
  })
  const ts = posted.ts!
  assert.deepEqual([posted.channel, posted.message?.text], [channel, 'Approve the plan'])
  const there = slack.messages.at(-1)!
  assert.deepEqual(there.blocks, blocksOf(message))
  assert.deepEqual([there.key, there.unfurls], ['one', false])
  const reply = await api.chat.postMessage({ channel, thread_ts: ts, text: 'More' })
  assert.equal(slack.messages.at(-1)!.unfurls, true)
  const changed = await api.chat.update({ channel, ts, text: 'Approved', blocks: [] })
  assert.deepEqual([changed.ts, changed.text], [ts, 'Approved'])
  const ephemeral = await api.chat.postEphemeral({ channel, user: 'U1', text: 'Only you see this' })
  assert.ok(ephemeral.message_ts)
  assert.equal(slack.ephemeralMessages.at(-1)!.text, 'Only you see this')
  const { messages: history } = await api.conversations.history({ channel, include_all_metadata: true })
  assert.deepEqual(
    history?.map((one) => [one.ts, one.metadata?.event_payload]),
    [[ts, { key: 'one' }]],
  )
  const { messages: thread } = await api.conversations.replies({ channel, ts, limit: 200 })
  assert.deepEqual(
    thread?.map((one) => [one.ts, one.metadata]),
    [
      [ts, undefined],
      [reply.ts, undefined],
    ],
  )
  const pages: (string | undefined)[] = []
  for await (const page of api.paginate('conversations.replies', { channel, ts, limit: 1 }))
    for (const one of (page as ConversationsRepliesResponse).messages ?? []) pages.push(one.ts)
  assert.deepEqual(pages, [ts, reply.ts])
})

test('it asks about channels and people, and hears what is wrong with what it asks', async () => {
  const api = client()
  const { channel: info } = await api.conversations.info({ channel })
  assert.deepEqual([info?.name, info?.is_member, info?.is_archived], ['checkout', true, false])
  const { user } = await api.users.info({ user: 'U1' })
  assert.deepEqual([user?.profile?.email, user?.is_email_confirmed], ['ann@example.com', true])
  const refusals: [() => Promise<unknown>, string][] = [
    [() => api.conversations.info({ channel: 'C0000009' }), 'channel_not_found'],
    [() => api.conversations.info({ channel: '' }), 'invalid_arguments'],
    [() => api.users.info({ user: 'U9' }), 'user_not_found'],
    [() => api.chat.postMessage({ channel: 'C0000002', text: 'a' }), 'is_archived'],
    [() => api.chat.postMessage({ channel: 'C0000003', text: 'a' }), 'not_in_channel'],
    [() => api.chat.postMessage({ channel, text: '' }), 'no_text'],
    [() => api.chat.update({ channel, ts: '1.0', text: 'a' }), 'message_not_found'],
    [() => api.conversations.replies({ channel, ts: '1.0' }), 'thread_not_found'],
    [() => api.apiCall('chat.unheardOf'), 'unknown_method'],
    [() => api.apps.connections.open({}), 'invalid_auth'],
    [
      () =>
        api.chat.postMessage({
          channel,
          text: 'a',
          blocks: [{ type: 'header', text: { type: 'plain_text', text: 'a'.repeat(151) } }],
        }),
      'invalid_blocks',
    ],
  ]
  for (const [asked, error] of refusals)
    await assert.rejects(asked(), (caught: { code: string; data: { error: string } }) => {
      assert.deepEqual([caught.code, caught.data.error], ['slack_webapi_platform_error', error])
      return true
    })
  const { scopes } = slack
  slack.scopes = scopes.filter((scope) => scope !== 'users:read')
  await assert.rejects(api.users.info({ user: 'U1' }), /missing_scope/)
  slack.scopes = scopes
})

test('what only reads takes no JSON, as at Slack', async () => {
  const ask = async (method: string, given: object) => {
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' }
    const body = JSON.stringify(given)
    const answer = await fetch(`${slack.url}/${method}`, { method: 'POST', headers, body })
    return ((await answer.json()) as { error?: string }).error
  }
  assert.equal(await ask('users.info', { user: 'U1' }), 'invalid_arguments')
  assert.equal(await ask('conversations.info', { channel }), 'invalid_arguments')
  assert.equal(await ask('chat.postMessage', { channel, text: 'a' }), undefined)
})

test('two posts in a second are one too many: it hears when to come back, waits, and gets through', async () => {
  slack.isStrict = true
  slack.writes.length = 0
  const api = client()
  await api.chat.postMessage({ channel, text: 'one' })
  await assert.rejects(api.chat.postMessage({ channel, text: 'two' }), {
    code: 'slack_webapi_rate_limited_error',
    retryAfter: 1,
  })
  const patient = client({ rejectRateLimitedCalls: false, retryConfig: { retries: 2, minTimeout: 1 } })
  const limited = once(patient as never, 'rate_limited')
  await patient.chat.postMessage({ channel, text: 'three' })
  assert.equal((await limited)[0], 1)
  const [first, second] = slack.writes.filter(({ method }) => method === 'chat.postMessage')
  assert.ok(second!.atMs - first!.atMs >= 1_000)
})

test('what fails on command fails as Slack does, also when it has taken effect', async () => {
  const api = client()
  const before = slack.messages.length
  slack.fail({ status: 503 }, { status: 502, afterwards: true })
  await assert.rejects(api.chat.postMessage({ channel, text: 'lost' }), {
    code: 'slack_webapi_http_error',
    statusCode: 503,
  })
  assert.equal(slack.messages.length, before)
  await assert.rejects(api.chat.postMessage({ channel, text: 'arrived' }), { statusCode: 502 })
  assert.equal(slack.messages.length, before + 1)
})

test('over its socket it hears hello, gets clicks, commands and messages, confirms each, and comes back after a refresh', async (t) => {
  const socket = new SocketModeClient({
    ...{ appToken: slack.appToken, logLevel: LogLevel.ERROR, clientPingTimeout: 2_000 },
    clientOptions: { slackApiUrl: `${slack.url}/` },
  })
  let pongs = 0
  const count = () => {
    pongs += 1
  }
  subscribe('undici:websocket:pong', count)
  t.after(() => {
    unsubscribe('undici:websocket:pong', count)
    return socket.disconnect()
  })
  interface Heard {
    ack: (answer?: object) => Promise<void>
    body: { text?: string; event_id?: string }
    accepts_response_payload: boolean
  }
  const heard: [string, boolean][] = []
  for (const type of ['interactive', 'slash_commands', 'message'])
    socket.on(type, async ({ ack, accepts_response_payload: mayAnswer }: Heard) => {
      heard.push([type, mayAnswer])
      await ack(mayAnswer ? { text: 'Nothing waits.' } : undefined)
    })
  await socket.start()
  assert.ok(slack.hasSocket)
  const said = await slack.overSocket('slash_commands', { command: '/signalbox', text: 'decisions' })
  assert.deepEqual(said, { text: 'Nothing waits.' })
  await slack.overSocket('interactive', { type: 'block_actions', actions: [{ action_id: 'a' }] })
  await slack.say('1: Yes', 'U1', { channel, thread: '1.0' })
  assert.deepEqual(heard, [
    ['slash_commands', true],
    ['interactive', false],
    ['message', false],
  ])
  const opened = () => slack.calls.filter((method) => method === 'apps.connections.open').length
  const before = opened()
  slack.refreshSocket()
  await until('it has another socket', () => opened() > before && slack.hasSocket)
  // The client pings on its own, and gives up when a fourth ping gets no pong.
  await until('a ping is answered', () => pongs > 0)
  await slack.overSocket('interactive', { type: 'block_actions', actions: [{ action_id: 'b' }] })
})

test('what we send is what it would send: a channel and a person are found, and a post that got lost is, in a long thread', async () => {
  const connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'slack', name: 'Slack', baseUrl: slack.url, account: null },
    credentials: { botToken: slack.botToken },
  } as unknown as Connection
  const found = await slackOnLoopback.findChannel(connection, channel)
  assert.deepEqual(found, { id: channel, name: '#checkout' })
  const person = await slackOnLoopback.findUser(connection, 'U1')
  assert.equal(person.email, 'ann@example.com')
  const parent = await slackOnLoopback.post(connection, {
    ...{ channel, key: 'parent', message, under: null, mayBeThere: true },
  })
  for (let n = 0; n < 250; n += 1) await slack.say(`${n}`, 'U1', { channel, thread: parent }).catch(() => {})
  const reply = { channel, key: 'reply', message, under: parent }
  const first = await slackOnLoopback.post(connection, { ...reply, mayBeThere: false })
  assert.equal(await slackOnLoopback.post(connection, { ...reply, mayBeThere: true }), first)
  assert.equal(
    await slackOnLoopback.post(connection, { ...reply, key: 'parent', under: null, mayBeThere: true }),
    parent,
  )
})
