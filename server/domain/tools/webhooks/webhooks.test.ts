import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type WebhookType, webhookMessage } from '@signalbox/contract/webhooks.ts'
import { Webhook } from 'standardwebhooks'
import { Value } from 'typebox/value'
import { auditEvents } from '../../../test/audit-events.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { allTypes, receiver, secrets, sendsWebhooks } from '../../../test/tools/webhooks.ts'
import { until } from '../../../test/until.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resumeTeam } from '../../work/teams/resume.ts'
import { addEndpoint } from './add.ts'
import { changeEndpoint } from './change.ts'
import { endFormerSecret } from './end-former-secret.ts'
import { listEndpoints } from './list.ts'
import { listMessages } from './list-messages.ts'
import { lookAfterFailing } from './look-after-failing.ts'
import { pauseEndpoint } from './pause.ts'
import { readEndpoint } from './read.ts'
import { readMessage } from './read-message.ts'
import { removeEndpoint } from './remove.ts'
import { removeOldWebhooks } from './remove-old.ts'
import { replayFailed } from './replay.ts'
import { resendMessage } from './resend.ts'
import { resumeEndpoint } from './resume.ts'
import { rotateSecret } from './rotate-secret.ts'
import { sendTest } from './send-test.ts'

const database = await testDatabase()
after(() => database.close())
const begin = (t: Parameters<typeof sendsWebhooks>[0], options = {}) => sendsWebhooks(t, database.db, options)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

test('a change is told to every endpoint that wants it, in a message that the Standard Webhooks library verifies', async (t) => {
  const { owner, team, add, sendAll } = await begin(t)
  const [all, some] = [await receiver(t), await receiver(t)]
  const everything = await add(all.url)
  const resumed = await add(some.url, { events: ['team.resumed'] })
  await pauseTeam(owner, team.slug)
  await resumeTeam(owner, team.slug)
  await sendAll()
  const got = all
    .verified(everything.secret)
    .toSorted((a, b) => Number(a.message.data.sequence) - Number(b.message.data.sequence))
  assert.deepEqual(
    got.map(({ message }) => [message.type, message.data.status, message.data.sequence]),
    [
      ['team.paused', 'paused', 1],
      ['team.resumed', 'active', 2],
    ],
  )
  for (const { message } of got)
    assert.ok(Value.Check(webhookMessage(message.type as WebhookType), message), JSON.stringify(message))
  assert.match(
    String(got[0]!.message.data.url),
    /^https:\/\/signalbox\.example\.com\/ws-.*\/teams\/.*\/board$/,
  )
  // The same event is the same message for both.
  assert.deepEqual(
    some.verified(resumed.secret).map(({ id }) => id),
    [got[1]!.id],
  )
  assert.throws(() => some.verified(everything.secret), /No matching signature/)
})

test('an endpoint for some teams hears of no other, and a workspace of no other workspace', async (t) => {
  const { owner, team, add, messages } = await begin(t)
  const stranger = await begin(t)
  const other = await aTeam(owner)
  const mine = await add('http://127.0.0.1:9', { teams: [team.id] })
  const theirs = await stranger.add('http://127.0.0.1:9')
  await pauseTeam(owner, other.slug)
  await pauseTeam(owner, team.slug)
  assert.deepEqual(
    (await messages(mine.id)).map(({ data }) => JSON.parse(data).key),
    [team.slug],
  )
  assert.deepEqual(await messages(theirs.id), [])
})

test('what is rolled back is told to no one', async (t) => {
  const { owner, team, add, messages } = await begin(t)
  const { id } = await add('http://127.0.0.1:9')
  await pauseTeam(owner, team.slug)
  await assert.rejects(pauseTeam(owner, team.slug), /already paused/)
  assert.equal((await messages(id)).length, 1)
})

test('a message that fails is tried ten times over three days under the same id, and can be replayed', async (t) => {
  const { owner, team, clock, add, sendAll, messages, face } = await begin(t)
  let status = 500
  const host = await receiver(t, (_, response) => void response.writeHead(status).end('no'))
  const { id, secret } = await add(host.url)
  await pauseTeam(owner, team.slug)
  const delays = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  for (const [index, seconds] of delays.entries()) {
    // With what may be added to each, a tenth, so that what failed together does not come back together.
    if (seconds > 0) {
      clock.forward(seconds * 1_000 - 1)
      await face.look()
      assert.equal(host.asked.length, index, `${seconds} s`)
      clock.forward(seconds * 100 + 1)
    }
    await sendAll()
    assert.equal(host.asked.length, index + 1, `${seconds} s`)
  }
  const [given] = await messages(id)
  assert.deepEqual([given!.state, given!.attempts, given!.due_at], ['failed', 10, null])
  assert.equal(new Set(host.asked.map(({ headers }) => headers['webhook-id'])).size, 1)
  status = 200
  const began = new Date(clock.now().getTime() - 30 * dayMs)
  assert.equal(await replayFailed(owner, id, clock.now()), 0, 'nothing happened since now')
  assert.equal(await replayFailed(owner, id, began), 1)
  await sendAll()
  assert.equal((await messages(id))[0]!.state, 'delivered')
  assert.equal(await replayFailed(owner, id, began), 0, 'what arrived is not replayed')
  const shown = await readMessage(owner, { publicUrl: () => '' }, id, given!.event_id)
  assert.deepEqual(
    shown.attemptList.map((one) => one.status),
    [200, ...Array(10).fill(500)],
  )
  assert.deepEqual([shown.attemptList.at(-1)!.answer, shown.state], ['no', 'delivered'])
  assert.ok(secret)
})

test('an endpoint that asks to be left alone is, as a whole', async (t) => {
  const { owner, team, clock, add, sendAll, face } = await begin(t)
  let busy = true
  const host = await receiver(t, (_, response) =>
    busy ? void response.writeHead(429, { 'retry-after': '600' }).end() : void response.end('ok'),
  )
  await add(host.url)
  await pauseTeam(owner, team.slug)
  await sendAll()
  assert.equal(host.asked.length, 1)
  busy = false
  await resumeTeam(owner, team.slug)
  clock.forward(599_000)
  await face.look()
  assert.equal(host.asked.length, 1)
  clock.forward(2_000)
  await sendAll()
  assert.equal(host.asked.length, 3)
})

test('only 2xx is a receipt: a redirect is not followed, and its target hears nothing', async (t) => {
  const { owner, team, add, sendAll, messages } = await begin(t)
  const target = await receiver(t)
  const host = await receiver(
    t,
    (_, response) => void response.writeHead(307, { location: target.url }).end(),
  )
  const { id } = await add(host.url)
  await pauseTeam(owner, team.slug)
  await sendAll()
  const [message] = await messages(id)
  assert.deepEqual([message!.state, message!.attempts, target.asked.length], ['pending', 1, 0])
})

test('a dead and a slow endpoint delay no one else, and none has more than three calls at once', async (t) => {
  const { owner, team, clock, add, face, messages } = await begin(t)
  const held: (() => void)[] = []
  const slow = await receiver(t, (_, response) => void held.push(() => response.end()))
  const live = await receiver(t)
  const dead = await add('http://127.0.0.1:9')
  const slowly = await add(slow.url)
  await add(live.url)
  for (let round = 0; round < 10; round += 1) {
    await pauseTeam(owner, team.slug)
    await resumeTeam(owner, team.slug)
  }
  await until('the live one has everything', async () => {
    await face.look()
    return live.asked.length === 20
  })
  assert.equal(slow.asked.length, 3)
  await until('each was tried at the dead one', async () => {
    // It is given a rest after each call that brought no answer.
    clock.forward(1_000)
    await face.look()
    return (await messages(dead.id)).every(({ attempts }) => attempts >= 1)
  })
  assert.equal(slow.asked.length, 3)
  await until('the slow one has everything, too', async () => {
    for (const release of held.splice(0)) release()
    await face.look()
    return (await messages(slowly.id)).every(({ state }) => state === 'delivered')
  })
  assert.equal(slow.asked.length, 20)
})

test('for a day after a rotation messages are signed with both secrets, unless it is ended', async (t) => {
  const { owner, team, clock, add, sendAll } = await begin(t)
  const host = await receiver(t)
  const { id, secret: first } = await add(host.url)
  const { secret: second, formerUntil } = await rotateSecret(owner, secrets, id)
  assert.notEqual(first, second)
  assert.match(second, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(formerUntil.getTime() - clock.now().getTime(), dayMs)
  await pauseTeam(owner, team.slug)
  await sendAll()
  assert.deepEqual(host.verified(first), host.verified(second))
  assert.equal(String(host.asked[0]!.headers['webhook-signature']).split(' ').length, 2)
  await endFormerSecret(owner, id)
  await assert.rejects(endFormerSecret(owner, id), /no old secret/)
  await resumeTeam(owner, team.slug)
  await sendAll()
  assert.equal(String(host.asked[1]!.headers['webhook-signature']).split(' ').length, 1)
  const { body, headers } = host.asked[1]!
  assert.throws(() => new Webhook(first).verify(body, headers as Record<string, string>), /No matching/)
  await rotateSecret(owner, secrets, id)
  clock.forward(dayMs)
  await pauseTeam(owner, team.slug)
  await sendAll()
  assert.equal(String(host.asked[2]!.headers['webhook-signature']).split(' ').length, 1, 'a day later')
})

test('an endpoint that answers 410 is turned off, its owners are told, and what waits is sent once it is resumed', async (t) => {
  const { owner, team, add, sendAll, messages } = await begin(t)
  let status = 410
  const host = await receiver(t, (_, response) => void response.writeHead(status).end())
  const { id } = await add(host.url, { description: 'Billing' })
  await pauseTeam(owner, team.slug)
  await until('it is off', async () => {
    await sendAll()
    return (await readEndpoint(owner, id)).state === 'off'
  })
  assert.equal((await readEndpoint(owner, id)).offBecause, 'gone')
  await resumeTeam(owner, team.slug)
  await sendAll()
  assert.equal(host.asked.length, 1)
  assert.deepEqual(await told(owner.workspaceId), ['Webhooks to Billing were turned off'])
  const entry = (await auditEvents(database.db, owner.workspaceId)).find(
    ({ details }) => details.change === 'turned off',
  )!
  assert.deepEqual(
    [entry.event, entry.actor.type, entry.details.change, entry.details.cause],
    ['webhook_endpoint_changed', 'service', 'turned off', 'gone'],
  )
  await assert.rejects(replayFailed(owner, id, new Date(0)), /is off\. Resume it first/)
  status = 200
  await resumeEndpoint(owner, id)
  await sendAll()
  assert.deepEqual((await messages(id)).map(({ state }) => state).toSorted(), ['delivered', 'failed'])
})

const told = async (workspaceId: string) =>
  (
    await tables(database.db)
      .selectFrom('notifications')
      .select('title')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'webhook')
      .orderBy('id')
      .execute()
  ).map(({ title }) => title)

test('owners hear of an endpoint that fails for a day, once; after five days it is turned off', async (t) => {
  const { owner, team, clock, add, sendAll } = await begin(t)
  let status = 503
  const host = await receiver(t, (_, response) => void response.writeHead(status).end())
  const { id } = await add(host.url, { description: 'Billing' })
  await aMember(owner, 'admin')
  const look = () => lookAfterFailing({ ...owner })
  await pauseTeam(owner, team.slug)
  await sendAll()
  clock.forward(dayMs - 1)
  await look()
  assert.deepEqual(await told(owner.workspaceId), [])
  clock.forward(1)
  await look()
  await look()
  assert.deepEqual(await told(owner.workspaceId), ['Webhooks to Billing have been failing for a day'])
  clock.forward(4 * dayMs - 1)
  await look()
  assert.equal((await readEndpoint(owner, id)).state, 'active')
  clock.forward(1)
  await Promise.all([look(), look()])
  const { state, offBecause } = await readEndpoint(owner, id)
  assert.deepEqual([state, offBecause], ['off', 'failing'])
  assert.deepEqual(await told(owner.workspaceId), [
    'Webhooks to Billing have been failing for a day',
    'Webhooks to Billing were turned off',
  ])
  status = 200
  await resumeEndpoint(owner, id)
  await sendAll()
  const after = await readEndpoint(owner, id)
  assert.deepEqual([after.failingSince, after.waiting, after.lastAttempt?.status], [null, 0, 200])
  clock.forward(10 * dayMs)
  await look()
  assert.equal((await readEndpoint(owner, id)).state, 'active', 'one success begins the count again')
})

test('while an endpoint is paused events wait, and a test event is answered on the spot', async (t) => {
  const { owner, team, calling, add, sendAll } = await begin(t)
  let status = 200
  const host = await receiver(t, (_, response) => void response.writeHead(status).end('x'.repeat(10_000)))
  const { id, secret } = await add(host.url)
  await pauseEndpoint(owner, id)
  await pauseTeam(owner, team.slug)
  await sendAll()
  assert.equal(host.asked.length, 0)
  const good = await sendTest(owner, calling, id)
  assert.deepEqual([good.status, good.answer?.length], [200, 4_096])
  status = 500
  const bad = await sendTest(owner, calling, id)
  assert.deepEqual([bad.status, bad.problem], [500, null])
  status = 200
  assert.deepEqual(
    host.verified(secret).map(({ message }) => [message.type, message.data.sequence]),
    [
      ['endpoint.test', 1],
      ['endpoint.test', 2],
    ],
  )
  await resumeEndpoint(owner, id)
  await sendAll()
  assert.equal(host.asked.length, 3, 'the test that failed is not tried again')
  const page = await listMessages(owner, id, {}, { limit: 10, after: null })
  const rows = page.data.map((row) => JSON.parse(row))
  assert.deepEqual(rows.map(({ type, state }) => [type, state]).toSorted(), [
    ['endpoint.test', 'delivered'],
    ['endpoint.test', 'failed'],
    ['team.paused', 'delivered'],
  ])
  await resendMessage(owner, id, rows.find(({ type }) => type === 'team.paused').id)
  await sendAll()
  assert.equal(host.asked[3]!.headers['webhook-id'], host.asked[2]!.headers['webhook-id'])
})

test('a removed endpoint gets nothing more, and its secret is gone', async (t) => {
  const { owner, team, add, sendAll } = await begin(t)
  const host = await receiver(t)
  const { id } = await add(host.url)
  await pauseTeam(owner, team.slug)
  await removeEndpoint(owner, id)
  await resumeTeam(owner, team.slug)
  await sendAll()
  assert.equal(host.asked.length, 0)
  const [row] = await tables(database.db)
    .selectFrom('webhook_endpoints')
    .select(['secret', 'former_secret'])
    .where('id', '=', id)
    .execute()
  assert.deepEqual(row, { secret: null, former_secret: null })
  await assert.rejects(readEndpoint(owner, id), /There is no webhook/)
})

test('messages and their attempts go with their age, and those of other workspaces stay', async (t) => {
  const { owner, team, clock, add, sendAll, messages } = await begin(t)
  const host = await receiver(t)
  const { id } = await add(host.url)
  await pauseTeam(owner, team.slug)
  await sendAll()
  const [sent, stranger] = [clock.now(), (await begin(t)).owner]
  const remove = ({ workspaceId }: { workspaceId: string }, before: Date) =>
    housekeeping(owner.db, 'as retention does', (tx) => removeOldWebhooks(tx, workspaceId, before, 10))
  assert.equal(await remove(owner, sent), 0)
  const after = new Date(sent.getTime() + 1)
  assert.equal(await remove(stranger, after), 0)
  assert.equal((await messages(id)).length, 1)
  assert.equal(await remove(owner, after), 1)
  assert.equal((await messages(id)).length, 0)
})

test('an address that is not on the public internet is refused, when it is added and when it is called', async (t) => {
  const { owner, add } = await begin(t, { allow: [] })
  for (const url of [
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://2130706433/',
  ])
    await assert.rejects(add(url), /not on the public internet/, url)
  await assert.rejects(add('http://93.184.216.34/hook'), /must begin with https/)
  await assert.rejects(add('ftp://example.com/'), /must begin with https/)
  await assert.rejects(add('nowhere'), /whole URL/)
  await assert.rejects(add('https://user:password@93.184.216.34/'), /user name or password/)
  // A name that leads outside today, and inside tomorrow.
  let address = '93.184.216.34'
  const host = await receiver(t)
  const rebound = await begin(t, { allow: [], resolve: async () => [{ address, family: 4 }] })
  const { id } = await rebound.add(`https://hook.example.com:${host.port}/`)
  address = '127.0.0.1'
  const { status, problem } = await sendTest(rebound.owner, rebound.calling, id)
  assert.equal(status, null)
  assert.match(problem ?? '', /not on the public internet/)
  assert.equal(host.asked.length, 0)
  assert.deepEqual(await listEndpoints(owner), [])
})

test('only owners and admins see and change webhooks, and each change is in the log without a secret', async (t) => {
  const { owner, calling, sender, add } = await begin(t)
  const [admin, member] = [await aMember(owner, 'admin'), await aMember(owner, 'member')]
  const { id, secret } = await add('http://127.0.0.1:9/a-token-in-a-path')
  const nothing = '00000000-0000-7000-8000-000000000000'
  const input = { url: 'http://127.0.0.1:9', description: '', events: allTypes, teams: null }
  const verbs = {
    add: () => addEndpoint(member, { secrets, sender }, input),
    change: () => changeEndpoint(member, { sender }, id, { description: 'x' }),
    rotate: () => rotateSecret(member, secrets, id),
    end: () => endFormerSecret(member, id),
    pause: () => pauseEndpoint(member, id),
    resume: () => resumeEndpoint(member, id),
    remove: () => removeEndpoint(member, id),
    list: () => listEndpoints(member),
    read: () => readEndpoint(member, id),
    test: () => sendTest(member, calling, id),
    resend: () => resendMessage(member, id, nothing),
    replay: () => replayFailed(member, id, new Date(0)),
    messages: () => listMessages(member, id, {}, { limit: 1, after: null }),
    message: () => readMessage(member, { publicUrl: () => '' }, id, nothing),
  }
  for (const [name, verb] of Object.entries(verbs))
    await assert.rejects(verb, /must be an owner or admin/, name)
  await changeEndpoint(admin, { sender }, id, { description: 'Billing', events: ['run.failed'] })
  await assert.rejects(changeEndpoint(admin, { sender }, id, { description: 'Billing' }), /Nothing to change/)
  await assert.rejects(changeEndpoint(admin, { sender }, id, { events: ['run.exploded'] }), /no event type/)
  await rotateSecret(admin, secrets, id)
  const entries = (await auditEvents(database.db, owner.workspaceId)).filter(
    ({ event }) => event === 'webhook_endpoint_changed',
  )
  assert.deepEqual(
    entries.map(({ details }) => details.change),
    ['added', 'changed', 'secret rotated'],
  )
  const written = JSON.stringify(entries)
  assert.ok(!written.includes(secret.slice(6)) && !written.includes('a-token-in-a-path'))
  const [row] = await tables(database.db)
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .execute()
  assert.ok(!row!.secret!.toString('latin1').includes(secret), 'sealed at rest')
})
