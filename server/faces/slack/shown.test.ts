import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { asService } from '../../domain/context.ts'
import { cancelDecisions } from '../../domain/engine/lifecycle/cancel.ts'
import { expireDecision } from '../../domain/engine/lifecycle/expire.ts'
import { raiseDecision } from '../../domain/engine/lifecycle/raise.ts'
import { change } from '../../domain/record/audit/change.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { allowLinkByEmail } from '../../domain/work/chat/allow-link-by-email.ts'
import { sendTest } from '../../domain/work/chat/send-test.ts'
import { readChatSettings } from '../../domain/work/chat/settings.ts'
import { readDecision } from '../../domain/work/decisions/read.ts'
import { addPlace } from '../../domain/work/places/add.ts'
import { testApp } from '../../test/app.ts'
import type { SlackMessage } from '../../test/doubles/slack.ts'
import { aMember, aRun, aStory } from '../../test/factories.ts'
import { anAlert, OnCall } from '../../test/on-call/on-call.ts'
import {
  aShownDecision,
  aSlackChannel,
  buttonsOf,
  linkSlackUser,
  type SlackChannel,
  showAll,
  slackOnLoopback,
  textOf,
  theChannel,
} from '../../test/tools/slack-channel.ts'
import { until } from '../../test/until.ts'

/** What people see in Slack, and what their clicks there do. */

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
})
after(() => app.stop())

const chat = slackOnLoopback
const publicUrl = () => app.url

const show = (channel: SlackChannel) => showAll(app, channel)

/** On-call duty of the channel's team. */
async function onCallIn({ workspace, owner, team }: SlackChannel): Promise<OnCall> {
  const onCall = await OnCall.begin(app.storage.db)
  return Object.assign(onCall, { workspace, admin: owner, team })
}

async function anIncident(channel: SlackChannel, alert: Parameters<typeof anAlert>[0] = {}) {
  const onCall = await onCallIn(channel)
  const service = await onCall.service({}, 'Checkout')
  const source = await onCall.source('generic', [service])
  await onCall.receive(source, { alerts: [anAlert(alert)] })
  await show(channel)
  const [incident] = await onCall.incidents()
  return { onCall, service, source, key: incident!.key, message: channel.slack.parent(theChannel)! }
}

test('the button of a test message proves that clicks arrive, no matter who presses it; a forged click proves nothing', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, connection } = channel
  t.after(() => slack.stop())
  const { secrets } = app.storage
  const settings = () => readChatSettings(owner, { secrets, publicUrl }, connection.id)
  const sent = await sendTest(
    owner,
    { chat, secrets },
    { connection: connection.id, link: `https://acme.slack.com/archives/${theChannel}` },
  )
  assert.equal(sent.name, '#checkout')
  const message = slack.parent(theChannel)!
  const [button] = buttonsOf(message)
  assert.deepEqual([button.action_id, button.text.text], ['test/click', 'Press me'])
  const click = { type: 'block_actions', user: { id: 'U2' }, channel: { id: theChannel } }
  const payload = JSON.stringify({ ...click, actions: [{ action_id: 'test/click' }] })
  await slack.send(new URLSearchParams({ payload }), { secret: 'another secret' })
  assert.equal((await settings()).clickedAt, null)
  await slack.press(message, button.action_id, 'U2')
  assert.notEqual((await settings()).clickedAt, null)
  await until('the ephemeral message arrives', () => slack.ephemeralMessages.length > 0)
  assert.deepEqual(
    slack.ephemeralMessages.map(({ user, text }) => [user, text]),
    [['U2', 'It works: clicks reach Signalbox.']],
  )
  const member = await aMember(owner, 'member')
  await assert.rejects(
    sendTest(member, { chat, secrets }, { connection: connection.id, link: theChannel }),
    /admin/,
  )
})

test('a stranger is taken for the member with the same email only where an owner allowed it, and Slack has verified it', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, workspace } = channel
  t.after(() => slack.stop())
  const member = await aMember(workspace, 'member')
  const { key, message } = await aShownDecision(app, channel)
  const { email } = member
  slack.addUser({ id: 'U3', name: 'cleo', email })
  slack.addUser({ id: 'U4', name: 'dan', email, isConfirmed: false })
  const pressAs = async (user: string) => {
    const heard = slack.ephemeralMessages.length
    await slack.press(message, `${key}/approve`, user)
    await until('they are answered', () => slack.ephemeralMessages.length > heard)
    assert.equal(fromJson(await readDecision(owner, key)).status, 'pending')
    return slack.ephemeralMessages.at(-1)!.text
  }
  assert.match(await pressAs('U3'), /doesn’t know you yet/)
  await assert.rejects(allowLinkByEmail(await aMember(workspace, 'admin'), true), /owner/)
  await allowLinkByEmail(owner, true)
  assert.match(await pressAs('U4'), /doesn’t know you yet/)
  assert.match(await pressAs('U2'), /doesn’t know you yet/)
  assert.match(await pressAs('U3'), /^You’re linked to A member in Signalbox now\. Try again\.$/)
  await slack.press(message, `${key}/approve`, 'U3')
  const decision = fromJson(await readDecision(owner, key))
  assert.deepEqual([decision.status, decision.resolvedVia], ['resolved', 'slack'])
  const { data } = await listAudit(owner, { event: 'chat_linked' }, { limit: 10, after: null })
  const [linked] = data.map((json) => fromJson(json))
  const said = [linked?.actor.type, linked?.entity.id, linked?.details.by]
  assert.deepEqual(said, ['service', member.personId, 'email'])
})

test('a message says when its decision expired, was cancelled or superseded, and its old buttons do nothing', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, team } = channel
  t.after(() => slack.stop())
  await linkSlackUser(channel, 'U1')
  const service = asService(owner, owner.workspaceId)
  type Shown = Awaited<ReturnType<typeof aShownDecision>>
  const ends: Record<string, [(shown: Shown) => Promise<unknown>, RegExp]> = {
    expired: [({ key }) => expireDecision(service, key), /It expired without an answer/],
    cancelled: [
      ({ run }) =>
        change(service, async (tx) => ({
          value: undefined,
          audit: await cancelDecisions(service, tx, { ...run, team: team.slug }, 'run_stopped'),
        })),
      /It was cancelled: there is nothing left to decide/,
    ],
    superseded: [
      ({ run, story }) =>
        change(service, async (tx) => {
          const { entries } = await raiseDecision(service, tx, {
            ...{ kind: 'plan_approval', title: 'Again', team, story, run },
            facts: { plan: 'Another plan.', because: 'the policy wants it' },
          })
          return { value: undefined, audit: entries }
        }),
      /A newer decision replaced it/,
    ],
  }
  for (const [status, [end, words]] of Object.entries(ends)) {
    const shown = await aShownDecision(app, channel)
    assert.equal(buttonsOf(shown.message).length, 3)
    await end(shown)
    await show(channel)
    assert.match(textOf(shown.message), words)
    assert.deepEqual(
      buttonsOf(shown.message).map(({ action_id: id }) => id),
      ['link-0'],
    )
    const heard = slack.ephemeralMessages.length
    await slack.press(shown.message, `${shown.key}/approve`, 'U1')
    await until('they are told', () => slack.ephemeralMessages.length > heard)
    assert.match(
      slack.ephemeralMessages.at(-1)!.text,
      new RegExp(`^${shown.key} is already closed\\. ${words.source}`),
    )
    const decision = fromJson(await readDecision(owner, shown.key))
    assert.deepEqual([decision.status, decision.resolution], [status, null])
  }
})

test('an incident is acknowledged, taken and resolved from its message, which says so each time', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner } = channel
  t.after(() => slack.stop())
  const ann = await linkSlackUser(channel, 'U1')
  const { key, message } = await anIncident(channel)
  const labels = () => buttonsOf(message).map(({ text }) => text.text)
  assert.deepEqual(labels().slice(0, 3), ['Acknowledge', 'Take', 'Resolve'])
  const pressed = async (action: string, user = 'U1', note?: string) => {
    await slack.press(message, `${key}/${action}`, user, note)
    await show(channel)
  }
  await pressed('take', 'U2')
  assert.doesNotMatch(textOf(message), /taken by/)
  await pressed('take')
  assert.match(textOf(message), /taken by A member\./)
  await pressed('acknowledge')
  assert.deepEqual(labels().slice(0, 2), ['Take', 'Resolve'])
  assert.ok(message.blocks.some(({ elements }) => elements?.[0]?.text === 'Acknowledged by A member.'))
  await pressed('resolve', 'U1', 'The certificate was renewed.')
  assert.match(
    textOf(message),
    new RegExp(`^${key} resolved: [\\s\\S]*A member: The certificate was renewed\\.`),
  )
  assert.deepEqual(
    buttonsOf(message).filter(({ url }) => !url),
    [],
  )
  // The server investigates as well, and says what it found whenever it is done.
  const thread = slack
    .replies(message)
    .map(textOf)
    .filter((text) => !text.includes('investigation result'))
  assert.equal(thread.length, 3)
  assert.match(thread[0]!, /took the incident/)
  assert.match(thread[1]!, /acknowledged/)
  const { data } = await listAudit(owner, { event: 'incident_updated' }, { limit: 10, after: null })
  const entries = data.map((json) => fromJson(json))
  assert.ok(entries.length > 0)
  for (const entry of entries)
    assert.deepEqual([entry.actor.userId, entry.details.channel ?? 'slack'], [ann.personId, 'slack'])
})

test('the links of an alert are buttons that only lead there: web addresses that Slack takes, three at most', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, workspace } = channel
  t.after(() => slack.stop())
  const { key, message } = await anIncident(channel, {
    links: [
      { label: 'Runbook', url: 'https://runbooks.example.com/checkout' },
      { label: 'Trap', url: 'javascript:alert(1)' },
      { label: '<!channel> Dashboard', url: 'https://dashboards.example.com/d/1' },
    ],
  })
  const links = buttonsOf(message).filter(({ url }) => url)
  assert.deepEqual(
    links.map(({ text, url }) => [text.text, url]),
    [
      ['Open in Signalbox', `${app.url}/${workspace.slug}/incidents/${key}`],
      ['Runbook', 'https://runbooks.example.com/checkout'],
      ['<!channel> Dashboard', 'https://dashboards.example.com/d/1'],
    ],
  )
  for (const { text } of links) assert.equal(text.type, 'plain_text')
  await slack.press(message, links[1].action_id, 'U2')
  assert.equal(slack.ephemeralMessages.length, 0)
})

test('what agents and alerts wrote mentions no one and shows nothing of what is behind a link', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, team } = channel
  t.after(() => slack.stop())
  const hostile =
    'See <!channel> <!here> <@U1> <!subteam^S1> <#C1> <https://evil.example|the docs> @channel https://evil.example/a.png'
  const { onCall, source } = await anIncident(channel, { title: hostile, description: hostile })
  await onCall.receive(source, { alerts: [anAlert({ title: `${hostile} again`, fingerprint: 'other' })] })
  const service = asService(owner, owner.workspaceId)
  const [story] = [await aStory(owner, team, { title: hostile.slice(0, 100) })]
  const run = await aRun(owner, team, story)
  await change(service, async (tx) => {
    const { entries } = await raiseDecision(service, tx, {
      ...{ kind: 'plan_approval', title: hostile, team, story, run },
      facts: { plan: `${hostile}\n> ${hostile}\n\`\`\`\n${hostile}`, because: hostile },
    })
    return { value: undefined, audit: entries }
  })
  await show(channel)
  assert.ok(slack.messages.length >= 2)
  for (const { text, blocks, unfurls } of slack.messages as SlackMessage[]) {
    assert.equal(unfurls, false)
    // Slack reads markup in the text, and in blocks that say so.
    const markup = [text]
    const look = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { type, text: said, verbatim } = node as { type?: string; text?: unknown; verbatim?: boolean }
      if (type === 'mrkdwn') {
        assert.equal(verbatim, true)
        markup.push(`${said}`)
      } else if (typeof said === 'string') assert.equal(type, 'plain_text')
      for (const inner of Object.values(node)) look(inner)
    }
    look(blocks)
    for (const one of markup) assert.doesNotMatch(one, /</)
  }
  const drawn = slack.messages.flatMap(({ blocks }) => blocks).filter(({ text }) => text?.type === 'mrkdwn')
  assert.match(drawn[0].text.text, /^> See &lt;!channel&gt;/m)
})

test('an incident is posted in every channel of its team, unless its service names some', async (t) => {
  const channel = await aSlackChannel(app)
  const { slack, owner, team, connection, place } = channel
  t.after(() => slack.stop())
  slack.addChannel('C0000002', 'payments')
  const second = { team: team.slug, connection: connection.id, link: 'C0000002' }
  await addPlace(owner, { chat, secrets: app.storage.secrets }, second)
  const onCall = await onCallIn(channel)
  const [all, some] = [await onCall.service({}), await onCall.service({ places: [place.id] })]
  const shownFor = async (service: typeof all) => {
    const before = slack.messages.length
    const source = await onCall.source('generic', [service], { name: service.name })
    await onCall.receive(source, { alerts: [anAlert({ fingerprint: service.id })] })
    await show(channel)
    return slack.messages.slice(before).map((message) => message.channel)
  }
  assert.deepEqual((await shownFor(all)).toSorted(), [theChannel, 'C0000002'])
  assert.deepEqual(await shownFor(some), [theChannel])
})
