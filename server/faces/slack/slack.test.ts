import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../domain/context.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { change } from '../../domain/record/audit/change.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { type Performers, performEffect } from '../../domain/record/outbox/perform.ts'
import { confirmLink, readLink } from '../../domain/work/chat/link.ts'
import { showDecision, showInChat } from '../../domain/work/chat/show-decision.ts'
import { readDecision } from '../../domain/work/decisions/read.ts'
import { addPlace } from '../../domain/work/places/add.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { createLog } from '../../infra/log.ts'
import { escaped } from '../../integrations/chat/mrkdwn.ts'
import { testApp } from '../../test/app.ts'
import type { SlackMessage } from '../../test/doubles/slack.ts'
import { aDecision, aMember, aRun, aStory } from '../../test/factories.ts'
import { tables } from '../../test/tables.ts'
import {
  aShownDecision,
  aSlackChannel,
  buttonsOf,
  linkSlackUser,
  slackOnLoopback,
  textOf,
} from '../../test/tools/slack-channel.ts'
import { until } from '../../test/until.ts'
import { SlackSockets } from './sockets.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
})
after(() => app.stop())

const chat = slackOnLoopback
const aChannel = (options?: { isSocket: boolean }) => aSlackChannel(app, options)

/** Does what is due of the messages, as the worker would. */
async function show(ctx: Context) {
  const performer = showDecision(chat, null, { secrets: app.storage.secrets, publicUrl: () => app.url })
  const due = await tables(app.storage.db)
    .selectFrom('effects')
    .select('id')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('kind', '=', 'show_decision')
    .where('done_at', 'is', null)
    .execute()
  for (const { id } of due)
    await performEffect(ctx, id, { show_decision: performer } as unknown as Performers)
}

test('a decision is a message with its options, what each does, a field for a note, and a link', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { key, message } = await aShownDecision(app, channel)
  assert.match(textOf(message), new RegExp(`^${key}: Approve the plan`))
  assert.match(textOf(message), /Approve: The plan is approved, and implementation of .* starts\./)
  assert.deepEqual(
    buttonsOf(message).map(({ action_id, style, url }) => [action_id, style ?? null, url ?? null]),
    [
      [`${key}/approve`, 'primary', null],
      [`${key}/changes`, null, null],
      ['link-0', null, `${app.url}/${channel.workspace.slug}/decisions/${key}`],
    ],
  )
  assert.ok(message.blocks.some(({ type, optional }) => type === 'input' && optional))
  // What says nothing without a note is not taken without one; the message says so, and the button too.
  assert.match(JSON.stringify(message.blocks), /Guidance \(required for “Request changes/)
  await linkSlackUser(channel, 'U1')
  await channel.slack.press(message, `${key}/changes`, 'U1')
  await until('the ephemeral message arrives', () => channel.slack.ephemeralMessages.length > 0)
  assert.match(channel.slack.ephemeralMessages[0]!.text, /needs a note that says what to change/)
  assert.equal(fromJson(await readDecision(channel.owner, key)).status, 'pending')
})

test('a click of a linked person answers it once, through the channel slack, and the message says who', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner } = channel
  const { key, message } = await aShownDecision(app, channel)
  const ann = await linkSlackUser(channel, 'U1')
  const response = await slack.press(message, `${key}/approve`, 'U1', 'Mind the edge cases.')
  assert.deepEqual([response.status, await response.text()], [200, ''])
  const decision = fromJson(await readDecision(owner, key))
  assert.deepEqual(
    [decision.status, decision.resolvedVia, decision.resolution],
    ['resolved', 'slack', { optionId: 'approve', note: 'Mind the edge cases.' }],
  )
  await until('the message says it', async () => /chose “Approve” in Slack/.test(textOf(message)))
  assert.deepEqual(
    buttonsOf(message).map(({ action_id }) => action_id),
    ['link-0'],
  )
  const { data } = await listAudit(owner, { event: 'decision_resolved' }, { limit: 10, after: null })
  const [entry] = data.map((json) => fromJson(json))
  assert.deepEqual([entry?.actor.userId, entry?.details.channel], [ann.personId, 'slack'])
})

test('who comes second is told kindly who was first, and only they see it', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner } = channel
  const { key, message } = await aShownDecision(app, channel)
  await linkSlackUser(channel, 'U1')
  await resolveDecision(owner, { key, optionId: 'approve' })
  await slack.press(message, `${key}/changes`, 'U1')
  await until('the ephemeral message arrives', () => slack.ephemeralMessages.length > 0)
  assert.equal(slack.ephemeralMessages[0]?.user, 'U1')
  assert.match(
    slack.ephemeralMessages[0]!.text,
    new RegExp(`^${key} is already closed\\. .* chose “Approve” `),
  )
})

test('the message follows a decision that is answered elsewhere', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { key, message } = await aShownDecision(app, channel)
  await resolveDecision({ ...channel.owner, channel: 'api' }, { key, optionId: 'approve' })
  await until('the message says it', async () => {
    await show(channel.owner)
    return /chose “Approve” through the API/.test(textOf(message))
  })
})

test('a stranger’s click does nothing and gets a link, which works once', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner, workspace } = channel
  const { key, message } = await aShownDecision(app, channel)
  await slack.press(message, `${key}/approve`, 'U2')
  await until('the ephemeral message arrives', () => slack.ephemeralMessages.length > 0)
  assert.equal(fromJson(await readDecision(owner, key)).status, 'pending')
  const [, code] = /\/link-chat\/([\w-]+)/.exec(slack.ephemeralMessages[0]!.text) ?? []
  const ben = await aMember(workspace, 'member')
  await confirmLink(ben, code!)
  await assert.rejects(confirmLink(owner, code!), /expired or was used/)
  await slack.press(message, `${key}/approve`, 'U2')
  assert.equal(fromJson(await readDecision(owner, key)).status, 'resolved')
})

test('the page of a link shows what Slack states of the account, not only the name that its owner chose', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner } = channel
  const response = await slack.command('link', 'U2', 'C0000001')
  const [, code] = /link-chat\/([\w-]+)/.exec(((await response.json()) as { text: string }).text)!
  const tools = { chat, secrets: app.storage.secrets }
  const known = { id: 'U2', name: 'ann', email: 'ann@example.com' }
  slack.users.set('U2', known)
  const shown = await readLink(owner, tools, code!)
  assert.deepEqual([shown.user, shown.email], ['U2', known.email])
  slack.users.set('U2', { ...known, name: 'Ann\u202e', isConfirmed: false })
  const again = await readLink(owner, tools, code!)
  assert.deepEqual([again.user, again.email, again.name], ['U2', null, 'Ann\\u{202e}'])
})

test('who may not answer is told so, and nothing happens', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner, team } = channel
  const { key } = await aDecision(owner, team, { authority: 'owner' })
  await linkSlackUser(channel, 'U1')
  await slack.press({ channel: 'C0000001', ts: '1.0' } as SlackMessage, `${key}/approve`, 'U1')
  await until('the ephemeral message arrives', () => slack.ephemeralMessages.length > 0)
  assert.match(slack.ephemeralMessages[0]!.text, /you must be an owner/)
  assert.equal(fromJson(await readDecision(owner, key)).status, 'pending')
})

test('what is not signed, signed by another, or old, is refused and does nothing', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack } = channel
  const body = new URLSearchParams({ command: '/signalbox', text: 'status', user_id: 'U1' })
  const statuses = [
    await slack.send(body, { secret: 'another secret' }),
    await slack.send(body, { at: new Date(Date.now() - 6 * 60_000) }),
    await app.get(`/slack/${channel.connection.hookToken}`, undefined, { method: 'POST', body }),
    await app.get('/slack/unknown', undefined, { method: 'POST', body }),
    await slack.send(body),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [401, 401, 401, 404, 200])
})

test('commands say and do what the app does, and reply to the person who typed them', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner, team } = channel
  await linkSlackUser(channel, 'U1', 'admin')
  const say = async (text: string) => {
    const response = await slack.command(text, 'U1', 'C0000001')
    const said = (await response.json()) as { response_type: string; text: string }
    assert.equal(said.response_type, 'ephemeral')
    return said.text
  }
  assert.equal(await say('decisions'), 'No decisions are waiting.')
  const { key } = await aDecision(owner, team)
  assert.match(await say('decisions'), new RegExp(`^${key} \\(${team.slug}\\): Approve the plan http`))
  assert.match(
    await say(`pause ${team.slug}`),
    /is paused\. It starts no new work; what is running finishes\./,
  )
  assert.match(await say('status'), /paused, 0 runs, 1 decision waiting/)
  assert.match(await say(`resume ${team.slug}`), /running again/)
  assert.match(await say('pause nowhere'), /There is no team `nowhere`/)
  assert.match(await say('stop'), /The run is missing/)
  assert.match(await say('requirement As a buyer I can pay by card'), /appear in this channel/)
  assert.match(await say('dance'), /`\/signalbox decisions` lists/)
  const { data } = await listAudit(owner, { event: 'team_paused' }, { limit: 10, after: null })
  assert.equal(fromJson(data[0]!).details.channel, 'slack')
})

test('a command that every object knows, a NUL and half of a letter are answered like any other word', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack } = channel
  await linkSlackUser(channel, 'U1')
  const words = [
    'constructor',
    '__proto__',
    'toString web',
    'status \0',
    'status \ud800',
    '\0',
    'pause we\0b',
  ]
  for (const text of [...words, 'requirement constructor: \0 x', `a ${'\t'.repeat(50_000)}b`]) {
    const response = await slack.command(text, 'U1', 'C0000001')
    assert.equal(response.status, 200, JSON.stringify(text.slice(0, 20)))
    assert.notEqual(((await response.json()) as { text: string }).text, '')
  }
})

test('a run is stopped and tried again from the channel, in the name of the person who typed it', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner, team } = channel
  const admin = await linkSlackUser(channel, 'U1', 'admin')
  const run = await aRun(owner, team, await aStory(owner, team))
  const say = async (text: string) => {
    const response = await slack.command(text, 'U1', 'C0000001')
    return ((await response.json()) as { text: string }).text
  }
  assert.match(await say(`retry ${run.key}`), /Only runs that failed, timed out or were stopped/)
  assert.match(await say(`stop ${run.key}`), /^Stop run-.*Any work it has not pushed is lost\. To confirm: `/)
  assert.notEqual(fromJson(await readRun(owner, run.key)).status, 'stopped')
  assert.equal(await say(`stop ${run.key} confirm`), `${run.key} is stopped.`)
  assert.match(await say(`stop ${run.key} confirm`), /has no current attempt/)
  assert.equal(await say(`retry ${run.key}`), `${run.key} starts another attempt.`)
  const { data } = await listAudit(owner, { run: run.key }, { limit: 10, after: null })
  assert.deepEqual(
    data
      .map(fromJson)
      .filter(({ event, actor }) => event === 'run_state_changed' && actor.type === 'human')
      .map(({ actor, details }) => [
        ...[actor.userId, details.channel, details.status],
        typeof (details.origin as { requestId?: string } | undefined)?.requestId,
      ]),
    [
      [admin.personId, 'slack', 'queued', 'string'],
      [admin.personId, 'slack', 'stopped', 'string'],
    ],
  )
})

test('a message that arrived although its answer got lost is not posted again', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner, team } = channel
  const decision = await aDecision(owner, team)
  await change(owner, async (tx) => {
    await showInChat(owner, tx, decision.key, team.id)
    return { value: undefined, audit: [] }
  })
  slack.fail({ status: 502, afterwards: true })
  await assert.rejects(show(owner))
  await until('it is known', async () => {
    await show(owner).catch(() => {})
    const known = await tables(app.storage.db)
      .selectFrom('chat_messages')
      .selectAll()
      .where('workspace_id', '=', owner.workspaceId)
      .execute()
    return known.length === 1
  })
  assert.equal(slack.messages.length, 1)
})

test('Slack’s own question about the address is answered', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const asked = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
  assert.deepEqual(await (await channel.slack.send(asked)).json(), { challenge: 'abc' })
})

test('a channel that Slack hides or that was archived is refused in words', async (t) => {
  const channel = await aChannel()
  t.after(() => channel.slack.stop())
  const { slack, owner, team, connection } = channel
  slack.addChannel('C0000002', 'elsewhere', { isMember: false })
  const { secrets } = app.storage
  const add = (link: string) =>
    addPlace(owner, { chat, secrets }, { team: team.slug, connection: connection.id, link })
  await assert.rejects(add('C0000002'), /isn’t in #elsewhere\. Invite it/)
  await assert.rejects(add('C0000009'), /can’t find that channel/)
  await assert.rejects(add('#general'), /isn’t a link to a channel/)
  await assert.rejects(add('C0000001'), /already posts in #checkout/)
})

test('where Slack cannot reach this server, clicks and commands come over a socket, also over the next one', async (t) => {
  const channel = await aChannel({ isSocket: true })
  t.after(() => channel.slack.stop())
  const { slack, owner } = channel
  const { key, message } = await aShownDecision(app, channel)
  await linkSlackUser(channel, 'U1')
  const { storage, clock } = app
  const sockets = new SlackSockets({
    ...{ db: storage.db, clock, queue: silentQueue, secrets: storage.secrets, publicUrl: () => app.url },
    ...{
      ...{ chat, escaped },
      log: createLog({ level: 'silent', to: { write: () => {} } }),
      lookMs: 60_000,
    },
  })
  t.after(() => sockets.stop())
  await sockets.look()
  await until('the socket is open', () => slack.hasSocket)
  const said = await slack.overSocket('slash_commands', {
    ...{ command: '/signalbox', text: 'decisions', user_id: 'U1', user_name: 'ann', channel_id: 'C0000001' },
  })
  assert.match((said as { text: string }).text, new RegExp(key))
  // The server itself may have one as well.
  const opened = () => slack.calls.filter((method) => method === 'apps.connections.open').length
  const openedBefore = opened()
  slack.refreshSocket()
  await until('another one is opened', () => opened() > openedBefore && slack.hasSocket)
  const pressed = { type: 'block_actions', user: { id: 'U1' }, channel: { id: message.channel } }
  await slack.overSocket('interactive', { ...pressed, actions: [{ action_id: `${key}/approve` }] })
  assert.equal(fromJson(await readDecision(owner, key)).resolvedVia, 'slack')
})
