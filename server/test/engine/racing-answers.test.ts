import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { listAudit } from '../../domain/record/audit/list.ts'
import { readDecision } from '../../domain/work/decisions/read.ts'
import { addPlace } from '../../domain/work/places/add.ts'
import { testApp } from '../app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'
import {
  aShownDecision,
  aSlackChannel,
  linkSlackUser,
  slackOnLoopback,
  textOf,
} from '../tools/slack-channel.ts'
import { until } from '../until.ts'

/** Everyone answers at the same time, over two nodes and four channels. `npm run test:faults` lets 200 of them. */
const racers = process.env.FAULTS === 'all' ? 200 : 24

let one: Awaited<ReturnType<typeof testApp>>
let two: typeof one
before(async () => {
  const env = { CONNECTION_ALLOW: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '100000' }
  one = await testApp({ env })
  two = await testApp({ env, databaseUrl: one.databaseUrl })
})
after(async () => {
  await two.stop()
  await one.stop()
})

test('answers that wait for the first hold no connection: another decision is answered in the meantime', async (t) => {
  const owner = await aMember(await aWorkspace(one.storage.db), 'owner')
  const team = await aTeam(owner)
  const { token } = await aToken(owner, ['write'])
  const decided = async () => {
    const run = await aRun(owner, team, await aStory(owner, team))
    return { run, ...(await aDecision(owner, team, { run })) }
  }
  const [contested, other] = [await decided(), await decided()]
  const answer = async ({ key }: { key: string }, n: number) => {
    const body = JSON.stringify({ optionId: 'approve', note: `From ${n}` })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const response = await one.get(`/v1/decisions/${key}/resolve`, token, init)
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
  }
  const holder = new pg.Client(one.databaseUrl)
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('select from runs where id = $1 for update', [contested.run.id])
  const racing = Promise.all(Array.from({ length: racers }, (_, n) => answer(contested, n)))
  await until('one waits for the run', async () => {
    const { rows } = await holder.query('select 1 from pg_locks where not granted')
    return rows.length > 0
  })
  assert.equal((await answer(other, racers))[0], 200)
  await holder.query('commit')
  const answers = (await racing).toSorted()
  assert.deepEqual(answers[0], [200, undefined])
  const late = [409, 'decision_already_resolved']
  assert.deepEqual(answers.slice(1), Array(racers - 1).fill(late))
})

test(`of ${racers} clicks and calls over two nodes and four channels one wins, the log has one entry, and every message shows it`, async (t) => {
  const channel = await aSlackChannel(one)
  const { slack, owner, team, workspace, connection } = channel
  t.after(() => slack.stop())
  const { secrets } = one.storage
  slack.addChannel('C0000002', 'payments')
  const second = { team: team.slug, connection: connection.id, link: 'C0000002' }
  await addPlace(owner, { chat: slackOnLoopback, secrets }, second)
  const { key, message } = await aShownDecision(one, channel)
  assert.equal(slack.messages.length, 2, 'it is shown in both channels')

  const nodes = [one, two]
  await linkSlackUser(channel, 'U1')
  const { token } = await aToken(owner, ['write', 'read'])
  const browsers = await Promise.all(nodes.map((node) => signedIn(node, { ...owner, slug: workspace.slug })))
  const clients = await Promise.all(
    nodes.map(async (node) => {
      const client = new Client({ name: 'a test', version: '1' })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', node.url), { requestInit }))
      return client
    }),
  )
  const pressOn = async (node: number, optionId: string, note: string) => {
    slack.requestUrl = `${nodes[node]!.url}/slack/${connection.hookToken}`
    const response = await slack.press(message, `${key}/${optionId}`, 'U1', note)
    assert.equal(response.status, 200)
    return null
  }
  const answer = async (n: number): Promise<boolean | null> => {
    const [node, optionId] = [Math.floor(n / 4) % 2, n % 3 === 0 ? 'changes' : 'approve']
    const given = { optionId, note: `From ${n}` }
    if (n % 4 === 0) {
      const body = JSON.stringify(given)
      const headers = { 'content-type': 'application/json' }
      const path = `/v1/decisions/${key}/resolve`
      const { status } = await nodes[node]!.get(path, token, { method: 'POST', headers, body })
      assert.ok(status === 200 || status === 409, `${status}`)
      return status === 200
    }
    if (n % 4 === 1) {
      const { status } = await browsers[node]!.write('decisions.resolve', { key, ...given })
      assert.ok(status === 200 || status === 409, `${status}`)
      return status === 200
    }
    if (n % 4 === 2) {
      const called = { name: 'resolve_decision', arguments: { decision: key, ...given } }
      return !(await clients[node]!.callTool(called)).isError
    }
    return pressOn(node, optionId, given.note)
  }
  const won = await Promise.all(Array.from({ length: racers }, (_, n) => answer(n)))

  const decision = fromJson(await readDecision(owner, key))
  assert.equal(decision.status, 'resolved')
  const elsewhere = won.filter((isWon) => isWon === true).length
  assert.equal(elsewhere + (decision.resolvedVia === 'slack' ? 1 : 0), 1)
  const { data } = await listAudit(owner, { event: 'decision_resolved' }, { limit: 10, after: null })
  assert.equal(data.length, 1)
  assert.equal(fromJson(data[0]!).details.channel, decision.resolvedVia)
  const chosen = decision.options.find(({ id }) => id === decision.resolution?.optionId)!.label
  await until('every message shows it', () =>
    slack.messages.every((shown) => textOf(shown).includes(`chose “${chosen}”`)),
  )
  assert.equal(slack.messages.length, 2)
  // Each person who clicked too late is told politely, in private.
  const late = Math.floor(racers / 4) - (decision.resolvedVia === 'slack' ? 1 : 0)
  await until('everybody who was late is told', () => slack.ephemeralMessages.length >= Math.min(late, 1))
  for (const { text } of slack.ephemeralMessages) assert.match(text, /is already closed\. .* chose/)
  for (const client of clients) await client.close()
})
