import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { answerChannels, type DecisionAnswer } from '@signalbox/contract/decision.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { readWorkspace } from '../../domain/accounts/workspaces/read.ts'
import type { Context } from '../../domain/context.ts'
import type { WorkEvent } from '../../domain/ports/work.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { confirmLink, offerLink } from '../../domain/work/chat/link.ts'
import { readDecision } from '../../domain/work/decisions/read.ts'
import { testApp, urlOf } from '../app.ts'
import { TestClock } from '../clock.ts'
import { testDatabase } from '../database.ts'
import { SlackDouble, type SlackMessage } from '../doubles/slack.ts'
import { aMember, aToken } from '../factories.ts'
import { proposed } from '../requirements.ts'
import { signedIn } from '../signed-in.ts'
import { aConnection } from '../tools/connections.ts'
import { goesWell, TestEngine } from './engine.ts'
import { type Beginning, OneRun } from './one-run.ts'

/**
 * Whichever way a person answers, the same happens and the log says the same: its entries differ in the channel, and
 * in what tells one occurrence from another.
 */

const database = await testDatabase()
const engine = new TestEngine(database.db)

type Channel = (typeof answerChannels)[number]
type Person = Awaited<ReturnType<typeof aMember>>
type Answer = (person: Person, decision: string, answer: DecisionAnswer) => Promise<void>

/** How an answer comes in through each channel, over a real connection. */
const channels: Record<Channel, Answer> = {
  async api(person, key, answer) {
    const { token } = await aToken(person, ['write'])
    const response = await app.get(`/v1/decisions/${key}/resolve`, token, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(answer),
    })
    assert.equal(response.status, 200, await response.text())
  },
  async app(person, key, answer) {
    const { slug } = await readWorkspace(person)
    const browser = await signedIn(app, { ...person, slug })
    const response = await browser.write('decisions.resolve', { key, ...answer })
    assert.equal(response.status, 200, await response.text())
  },
  async slack(person, key, { optionId, note }) {
    const slack = await SlackDouble.start({ clock: () => app.clock.now() })
    const { botToken, signingSecret } = slack
    const { id, hookToken } = await aConnection(person, app.storage.secrets, {
      ...{ kind: 'slack', method: 'bot', baseUrl: slack.url, credentials: { botToken, signingSecret } },
    })
    slack.requestUrl = `${app.url}/slack/${hookToken}`
    const connection = { id, workspaceId: person.workspaceId }
    await confirmLink(person, await offerLink(person, connection, { id: 'U1', name: 'ann' }))
    const message = { channel: 'C1', ts: '1.0' } as SlackMessage
    const response = await slack.press(message, `${key}/${optionId}`, 'U1', note ?? undefined)
    assert.equal(response.status, 200, await response.text())
    await slack.stop()
  },
  async mcp(person, key, answer) {
    const { token } = await aToken(person, ['delete'])
    const client = new Client({ name: 'a test', version: '1' })
    const headers = { authorization: `Bearer ${token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', app.url), { requestInit: { headers } }),
    )
    const given = { decision: key, ...answer }
    const { isError, content } = await client.callTool({ name: 'resolve_decision', arguments: given })
    assert.ok(!isError, JSON.stringify(content))
    await client.close()
  },
}

/** How the same person is there in each. */
const presenceIn = { api: 'token', mcp: 'token', app: 'session', slack: 'chat' }

interface Situation {
  says: string
  under: Beginning
  asks: WorkEvent
  answer: DecisionAnswer
  /** What the answer leaves in the log, oldest first. */
  events: AuditEntry['event'][]
}

const tracker = { platform: 'pretend', key: 'SHOP-1', url: 'https://tracker.example.com/issues/SHOP-1' }

const situations: Situation[] = [
  {
    says: 'a plan that is approved',
    under: { preset: 'supervised' },
    asks: goesWell.plan,
    answer: { optionId: 'approve' },
    events: ['decision_resolved', 'run_state_changed'],
  },
  {
    says: 'a plan that is rejected with a note',
    under: { preset: 'supervised', story: { title: 'A story', tracker } },
    asks: goesWell.plan,
    answer: { optionId: 'reject', note: 'Not before the move. 🚂' },
    events: ['decision_resolved', 'run_state_changed', 'story_changed'],
  },
  {
    says: 'an exception after which the plan is asked about',
    under: { preset: 'supervised', departures: { deniedPaths: ['infra/**'] } },
    asks: { ...goesWell.plan, paths: ['infra/main.tf'] },
    answer: { optionId: 'allow', note: 'Once.' },
    events: ['decision_resolved', 'decision_raised'],
  },
  {
    says: 'a proposal that is filed as a story',
    under: {},
    asks: {
      type: 'proposal_made',
      proposal: {
        kind: 'maintenance_proposal',
        fingerprint: 'one',
        title: 'Worth a story',
        body: 'Because.',
        story: proposed(),
      },
    },
    answer: { optionId: 'accept' },
    events: ['decision_resolved', 'story_changed'],
  },
]

const logOf = async (ctx: Context) =>
  (await listAudit(ctx, {}, { limit: 100, after: null })).data.map(fromJson).toReversed()

/** Entries without what is new each time. Keys are replaced by where they were first met. */
function comparable(entries: AuditEntry[]) {
  const met = new Map<string, string>()
  const name = (key: string) => met.get(key) ?? met.set(key, `key ${met.size + 1}`).get(key)!
  const keys = /\b(?:run|dec)-[a-z0-9]{4}\b|\bteam-[0-9a-f]{6}\b|\bT[0-9A-F]{6}-\d+\b/g
  return entries.map(({ id, timestamp, actor, details, ...entry }) => {
    const { channel, origin, ...said } = details
    const lasting = { ...entry, actor: { ...actor, userId: actor.userId && 'a person' }, details: said }
    return JSON.parse(JSON.stringify(lasting).replaceAll(keys, name))
  })
}

/** The same situation once more. */
async function arise({ under, asks }: Situation) {
  const run = await OneRun.begin(engine, under)
  await run.tell(asks)
  return { run, key: (await run.asked()).key, admin: await aMember(run.owner, 'admin') }
}

// Create all of them before the server starts: it moves runs on its own.
const arisen: {
  situation: Situation
  cases: ({ channel: Channel } & Awaited<ReturnType<typeof arise>>)[]
}[] = []
for (const situation of situations) {
  const cases = []
  for (const channel of answerChannels) cases.push({ channel, ...(await arise(situation)) })
  arisen.push({ situation, cases })
}

// Its clock is stopped too, at the same moment.
const app = await testApp({ databaseUrl: urlOf(database.connection), clock: new TestClock() })
after(async () => {
  await app.stop()
  await database.close()
})

for (const { situation, cases } of arisen) {
  test(`${situation.says}: every channel leaves the same entries, but for its name`, async () => {
    const { answer, events } = situation
    const logs: { channel: Channel; entries: unknown[] }[] = []
    for (const { channel, run, key, admin } of cases) {
      const before = new Set((await logOf(run.owner)).map(({ id }) => id))
      await channels[channel](admin, key, answer)
      const entries = (await logOf(run.owner)).filter(
        // Making a token or a link to answer with is no part of the answer, and what is written outside follows in its own time.
        ({ id, event }) =>
          !before.has(id) && !['token_created', 'chat_linked', 'tracker_written'].includes(event),
      )

      const { resolvedVia, resolution, status } = fromJson(await readDecision(run.owner, key))
      assert.deepEqual([status, resolvedVia], ['resolved', channel])
      assert.deepEqual(resolution, { note: null, ...answer })
      assert.deepEqual(
        entries.map(({ event }) => event),
        events,
      )
      assert.deepEqual([...new Set(entries.map(({ details }) => details.channel))], [channel])
      assert.equal(entries[0]?.actor.userId, admin.personId)
      const origin = entries[0]?.details.origin as { presence?: string }
      assert.equal(origin.presence, presenceIn[channel])
      logs.push({ channel, entries: comparable(entries) })
    }
    for (const { channel, entries } of logs) assert.deepEqual(entries, logs[0]!.entries, channel)
  })
}
