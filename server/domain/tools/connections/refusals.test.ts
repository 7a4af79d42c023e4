import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { silentQueue } from '../../../infra/jobs/queue.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { slackChat } from '../../../integrations/chat/slack.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { connectorsWith } from '../../../integrations/connections/connectors.ts'
import { TestClock } from '../../../test/clock.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { SlackDouble } from '../../../test/doubles/slack.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { aConnection } from '../../../test/tools/connections.ts'
import { listNotifications } from '../../accounts/notifications/list.ts'
import { asService } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { dueEffects } from '../../record/outbox/due.ts'
import { type Performers, performEffect } from '../../record/outbox/perform.ts'
import { showDecision, showInChat } from '../../work/chat/show-decision.ts'
import { addPlace } from '../../work/places/add.ts'
import { readConnection } from './list.ts'
import { notingOutcomes } from './note-outcome.ts'
import { replaceCredentials } from './replace-credentials.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const secrets = secretsFrom('a key for tests that nobody else has')
const publicUrl = () => 'https://box.example.com'

/** A team with a channel in Slack, an outbox worked through by hand, and a stopped clock. */
async function aChannel() {
  const clock = new TestClock()
  const slack = await SlackDouble.start({ clock: () => clock.now() })
  after(() => slack.stop())
  slack.addChannel('C0000001', 'checkout')
  slack.addChannel('C0000002', 'billing')
  const workspace = await aWorkspace(database.db, clock)
  const owner = await aMember(workspace, 'owner')
  const member = await aMember(workspace, 'member')
  const { botToken, signingSecret } = slack
  const connection = await aConnection(owner, secrets, {
    ...{ kind: 'slack', method: 'bot', baseUrl: slack.url, credentials: { botToken, signingSecret } },
  })
  const base = { db: database.db, clock, queue: silentQueue }
  const call = callerFor({ allow: ['127.0.0.1'], clock, note: notingOutcomes(base) })
  const chat = slackChat(call, clock, ['127.0.0.1'])
  const teamIn = async (channel: string) => {
    const team = await aTeam(owner)
    await addPlace(
      owner,
      { chat, secrets },
      {
        ...{ team: team.slug, connection: connection.id },
        link: `https://acme.slack.com/archives/${channel}`,
      },
    )
    return team
  }
  const [team, other] = [await teamIn('C0000001'), await teamIn('C0000002')]
  const service = asService(base, workspace.workspaceId)
  const performers = {
    show_decision: showDecision(chat, null, { secrets, publicUrl }),
  } as unknown as Performers
  return {
    ...{ clock, slack, owner, member, connection, team, other },
    /** A decision of the team, which is to be shown in its channel. */
    async ask(of = team): Promise<string> {
      const story = await aStory(owner, of)
      const { key } = await aDecision(owner, of, { storyId: story.id, run: await aRun(owner, of, story) })
      await change(owner, async (tx) => {
        await showInChat(owner, tx, key, of.id)
        return { value: undefined, audit: [] }
      })
      return key
    },
    /** Does what is due, minute by minute. */
    async work(minutes = 1): Promise<void> {
      for (let second = 0; second < minutes * 60; second += 5) {
        for (const { id, workspaceId } of await dueEffects(database.db, clock.now(), 1_000))
          if (workspaceId === workspace.workspaceId)
            await performEffect(service, id, performers).catch(() => {})
        clock.forward(5_000)
      }
    },
    health: () => readConnection(owner, { secrets, publicUrl }, connection.id),
    shown: (channel = 'C0000001') =>
      slack.messages.filter((message) => message.channel === channel).map(({ key }) => key?.split('/')[1]),
    told: async (person: typeof owner) =>
      (await listNotifications(person, person.personId, { limit: 100, after: null })).data
        .map(fromJson)
        .filter(({ kind }) => kind === 'connection'),
    replace: (credentials: Record<string, string>) =>
      replaceCredentials(owner, { connectors: connectorsWith(call), secrets }, connection.id, {
        credentials,
      }),
    changes: async () =>
      (await listAudit(workspace, { event: 'connection_changed' }, { limit: 100, after: null })).data
        .map((entry) => fromJson(entry).details.change)
        .reverse(),
  }
}

const refusals = {
  'the token was revoked': {
    refuse: (slack: SlackDouble) => slack.revoke(),
    mend: (slack: SlackDouble) => slack.reinstate(),
    says: /rejected the bot token/,
    scope: '',
  },
  'chat:write was removed': {
    refuse: (slack: SlackDouble) => {
      slack.scopes = slack.scopes.filter((scope) => scope !== 'chat:write')
    },
    mend: (slack: SlackDouble) => {
      slack.scopes = [...slack.scopes, 'chat:write']
    },
    says: /lacks a permission/,
    scope: '',
  },
  'the bot was removed from the channel': {
    refuse: (slack: SlackDouble) => slack.addChannel('C0000001', 'checkout', { isMember: false }),
    mend: (slack: SlackDouble) => slack.addChannel('C0000001', 'checkout'),
    says: /Invite Signalbox to the channel/,
    scope: 'channel/C0000001',
  },
}

for (const [what, { refuse, mend, says, scope }] of Object.entries(refusals))
  test(`${what}: decisions wait, admins are told once, and all are shown in order once it is mended`, async () => {
    const channel = await aChannel()
    const { slack, clock, owner, member } = channel
    refuse(slack)
    const since = (await channel.health()).lastSuccessAt
    clock.forward(60_000)
    const asked = [await channel.ask(), await channel.ask(), await channel.ask()]
    await channel.work(0.5)
    assert.equal((await channel.health()).lastSuccessAt, since)
    await channel.work(4.5)
    const health = await channel.health()
    assert.deepEqual(channel.shown(), [])
    assert.deepEqual(
      health.refusals.map((one) => [one.scope, one.waiting, says.test(one.message)]),
      [[scope, 3, true]],
    )
    assert.deepEqual([(await channel.told(owner)).length, (await channel.told(member)).length], [1, 0])
    assert.match((await channel.told(owner))[0]!.body, says)
    mend(slack)
    // A new one queues behind those that wait.
    asked.push(await channel.ask())
    await channel.work(20)
    assert.deepEqual(channel.shown(), asked)
    assert.deepEqual((await channel.health()).refusals, [])
    assert.deepEqual(await channel.changes(), ['refused', 'mended'])
  })

test('a channel that is closed to us keeps no one else waiting', async () => {
  const channel = await aChannel()
  channel.slack.addChannel('C0000001', 'checkout', { isMember: false })
  await channel.ask()
  const asked = await channel.ask(channel.other)
  await channel.work(2)
  assert.deepEqual([channel.shown('C0000001'), channel.shown('C0000002')], [[], [asked]])
})

test('new credentials release what waits at once', async () => {
  const channel = await aChannel()
  const { slack } = channel
  slack.revoke()
  const asked = [await channel.ask(), await channel.ask()]
  await channel.work(30)
  slack.reinstate('xoxb-another')
  await channel.replace({ botToken: 'xoxb-another', signingSecret: slack.signingSecret })
  await channel.work(0.5)
  assert.deepEqual(channel.shown(), asked)
  assert.deepEqual((await channel.health()).refusals, [])
})

test('too many calls are no refusal: no one is told, and it is sent when Slack said', async () => {
  const channel = await aChannel()
  channel.slack.fail({
    status: 429,
    headers: { 'retry-after': '30' },
    body: '{"ok":false,"error":"ratelimited"}',
  })
  const asked = await channel.ask()
  await channel.work(2)
  assert.deepEqual([channel.shown(), (await channel.health()).refusals], [[asked], []])
  assert.deepEqual(await channel.told(channel.owner), [])
})
