import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { secretsFrom } from '../../../infra/secrets.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { ToolBusy } from '../../ports/connection.ts'
import type { Connectors } from '../../ports/connector.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { connect } from './connect.ts'
import { listHookDeliveries } from './list-deliveries.ts'
import { dueDeliveries, type HookConsumer, processDelivery } from './process-delivery.ts'
import { findHook, receiveHook } from './receive.ts'
import { removeOldHookDeliveries } from './remove-old-deliveries.ts'
import { replaceWebhookSecret } from './replace-secret.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const secrets = secretsFrom('a key for tests that nobody else has')
const connectors: Connectors = {
  github: {
    kind: 'github',
    check: async () => ({ account: 'bot', missing: [] }),
    proof: ({ headers }) => ({ id: `${headers['x-id']}`, event: 'issues' }),
  },
}

/** A connection, and one delivery of it that waits to be understood. */
async function aDelivery(body = '{"issue":1}') {
  const clock = new TestClock()
  const admin = await aMember(await aWorkspace(database.db, clock), 'admin')
  const tools = { connectors, secrets }
  const made = await connect(admin, tools, { kind: 'github', name: 'GitHub', credentials: { token: 'abcd' } })
  const receiving = { ...admin, ...tools }
  const hook = (await findHook(receiving, made.hookToken))!
  await receiveHook(receiving, hook, { headers: { 'x-id': '1' }, body: Buffer.from(body) })
  const row = async () => {
    const { data } = await listHookDeliveries(admin, made.id, { limit: 10, after: null })
    return JSON.parse(data[0]!) as { id: string; understood: string | null; understoodAt: string | null }
  }
  const due = async () =>
    (await dueDeliveries(admin, 100)).filter(({ workspaceId }) => workspaceId === admin.workspaceId)
  return { admin, clock, made, row, due, id: (await row()).id }
}

const understand = (ctx: Context, id: string, consumer: HookConsumer) =>
  processDelivery(ctx, id, { github: [consumer] })

test('a delivery is understood once, however many nodes look at it, and says what it meant', async () => {
  const { admin, id, row, due, made } = await aDelivery()
  const seen: unknown[] = []
  const consumer: HookConsumer = async (_, { connection, event, body }) => {
    seen.push([connection, event, body])
    return 'WEB-1 was fetched.'
  }
  await Promise.all([1, 2, 3].map(() => understand(admin, id, consumer)))
  await understand(admin, id, consumer)
  assert.deepEqual(seen, [[{ id: made.id, kind: 'github' }, 'issues', { issue: 1 }]])
  assert.equal((await row()).understood, 'WEB-1 was fetched.')
  assert.deepEqual(await due(), [])
})

test('what the tool puts off is tried when it said, and not before', async () => {
  const { admin, clock, id, row, due } = await aDelivery()
  let isBusy = true
  const consumer: HookConsumer = async () => {
    if (isBusy) throw new ToolBusy('GitHub says we called too often.', 600_000, clock.now())
    return 'Done.'
  }
  await assert.rejects(understand(admin, id, consumer), /too often/)
  assert.deepEqual(
    [(await row()).understood, (await row()).understoodAt],
    ['GitHub says we called too often.', null],
  )
  isBusy = false
  clock.forward(599_000)
  assert.deepEqual(await due(), [])
  clock.forward(2_000)
  assert.equal((await due()).length, 1)
  await understand(admin, id, consumer)
  assert.equal((await row()).understood, 'Done.')
})

test('a node that dies over a delivery leaves it to the next', async () => {
  const { admin, clock, id, due, row } = await aDelivery()
  void understand(admin, id, () => new Promise(() => {}))
  const other: HookConsumer = async () => 'Done by another.'
  // Until the first has taken it, there is nothing that could be left behind.
  while ((await due()).length > 0) await new Promise(setImmediate)
  await understand(admin, id, other)
  assert.equal((await row()).understoodAt, null)
  clock.forward(61_000)
  await understand(admin, id, other)
  assert.equal((await row()).understood, 'Done by another.')
})

test('what can’t be read is said so and not tried again; it goes with its age', async () => {
  const { admin, clock, id, row, due, made } = await aDelivery('not json')
  await understand(admin, id, async () => 'never')
  assert.match((await row()).understood!, /isn’t JSON/)
  assert.deepEqual(await due(), [])
  const before = new Date(clock.now().getTime() + 1)
  await housekeeping(admin.db, 'as retention does', (tx) =>
    removeOldHookDeliveries(tx, admin.workspaceId, before, 10),
  )
  assert.deepEqual((await listHookDeliveries(admin, made.id, { limit: 10, after: null })).data, [])
})

test('a delivery of GitHub’s that is written as a form is understood like one in JSON', async () => {
  const form = new URLSearchParams({ payload: '{"issue":{"title":"50 % & more + plus"}}' })
  const { admin, id, row } = await aDelivery(form.toString())
  const seen: unknown[] = []
  await understand(admin, id, async (_, { body }) => {
    seen.push(body)
    return 'WEB-1 was fetched.'
  })
  assert.deepEqual(seen, [{ issue: { title: '50 % & more + plus' } }])
  assert.equal((await row()).understood, 'WEB-1 was fetched.')
})

test('a webhook secret that was replaced: both are accepted for a day, then only the new one, and a third never', async () => {
  const { admin, clock, made } = await aDelivery()
  const tools = {
    secrets,
    connectors: {
      github: {
        ...connectors.github!,
        proof: ({ headers }: { headers: Record<string, unknown> }, secret: string) =>
          headers['x-proof'] === secret ? { id: `${headers['x-id']}`, event: 'issues' } : null,
      },
    } as Connectors,
  }
  let sent = 0
  const isTaken = async (secret: string) => {
    sent += 1
    const hook = (await findHook(admin, made.hookToken))!
    const headers = { 'x-id': `rotated-${sent}`, 'x-proof': secret }
    return receiveHook({ ...admin, ...tools }, hook, { headers, body: Buffer.from('{}') }).then(
      () => true,
      (error) => {
        assert.equal(error.code, 'invalid_proof')
        return false
      },
    )
  }
  const { webhookSecret } = await replaceWebhookSecret(admin, secrets, made.id)
  assert.deepEqual([await isTaken(made.webhookSecret), await isTaken(webhookSecret)], [true, true])
  clock.forward(24 * 3_600_000 - 1_000)
  assert.deepEqual([await isTaken(made.webhookSecret), await isTaken(webhookSecret)], [true, true])
  clock.forward(2_000)
  assert.deepEqual([await isTaken(made.webhookSecret), await isTaken(webhookSecret)], [false, true])
  assert.equal(await isTaken('another'), false)
})
