import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { OnCall } from '../../../test/on-call/on-call.ts'
import { aTopicArn } from '../../../test/on-call/sns.ts'
import { tables } from '../../../test/tables.ts'
import type { Confirmation } from '../../ports/web.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { deleteSource } from './delete.ts'
import { readSource } from './read.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

/** Visits nothing and remembers what it should have visited. */
function visited(...responses: (Confirmation | Error)[]) {
  const addresses: string[] = []
  return {
    addresses,
    async confirm(url: URL): Promise<Confirmation> {
      addresses.push(url.href)
      const response = responses.shift() ?? { confirmed: true }
      if (response instanceof Error) throw response
      return response
    },
  }
}

const asks = (topicArn = aTopicArn, token = 'a1b2') =>
  ({ handshake: { type: 'sns_confirmation', topicArn, token, region: 'eu-central-1' } }) as const

async function begin(settings: Record<string, unknown> = {}) {
  const onCall = await OnCall.begin(database.db)
  const source = await onCall.source('cloudwatch', [], { settings })
  const topic = async () => JSON.parse(await readSource(onCall.admin, source.id)).settings.topicArn
  return { onCall, source, topic }
}

test('the first topic that is confirmed is the one the source is bound to', async () => {
  const { onCall, source, topic } = await begin()
  await onCall.receive(source, asks())
  await onCall.receive(source, asks(`${aTopicArn}-other`))
  const web = visited()
  await onCall.perform('confirm_subscription', confirmSubscription(web))
  assert.deepEqual(web.addresses, [
    `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(aTopicArn)}&Token=a1b2`,
  ])
  assert.equal(await topic(), aTopicArn)
  const changes = (await onCall.entries('signal_source_changed')).map(({ details, entity, result }) => [
    details.change,
    entity.id,
    result,
  ])
  assert.deepEqual(changes, [
    ['added', source.id, 'success'],
    ['topic confirmed', source.id, 'success'],
  ])
})

test('every node forgets what it knew of the source when it is bound', async () => {
  const { onCall, source } = await begin()
  await onCall.receive(source, asks())
  const sequence = async () =>
    (await tables(database.db).selectFrom('invalidations').select('sequence').executeTakeFirstOrThrow())
      .sequence
  const before = await sequence()
  await onCall.perform('confirm_subscription', confirmSubscription(visited()))
  assert.equal(await sequence(), before + 1)
})

test('a source that is bound to the topic already confirms it again, and nothing changes', async () => {
  const { onCall, source, topic } = await begin({ topicArn: aTopicArn })
  await onCall.receive(source, asks())
  const web = visited()
  await onCall.perform('confirm_subscription', confirmSubscription(web))
  assert.equal(web.addresses.length, 1)
  assert.equal(await topic(), aTopicArn)
  assert.equal((await onCall.entries('signal_source_changed')).length, 1)
})

test('what fails for a moment is tried again', async () => {
  const { onCall, source, topic } = await begin()
  await onCall.receive(source, asks())
  const web = visited(new Error('status 503'))
  const performer = confirmSubscription(web)
  await assert.rejects(onCall.perform('confirm_subscription', performer), /503/)
  assert.equal(await topic(), undefined)
  onCall.clock.forward(5_000)
  await onCall.perform('confirm_subscription', performer)
  assert.equal(web.addresses.length, 2)
  assert.equal(await topic(), aTopicArn)
})

test('what is refused for good is recorded and leaves the source unbound', async () => {
  const { onCall, source, topic } = await begin()
  await onCall.receive(source, asks())
  const web = visited({ confirmed: false, reason: 'status 403' })
  await onCall.perform('confirm_subscription', confirmSubscription(web))
  onCall.clock.forward(3_600_000)
  await onCall.perform('confirm_subscription', confirmSubscription(web))
  assert.equal(web.addresses.length, 1)
  assert.equal(await topic(), undefined)
  const { result, details } = (await onCall.entries('signal_source_changed')).at(-1)
  assert.deepEqual([result, details.change, details.reason], ['failure', 'topic not confirmed', 'status 403'])
})

test('nothing is visited for a deleted source, or for parts that are no topic and token', async () => {
  const { onCall, source } = await begin()
  await onCall.receive(source, asks('arn:aws:sns:evil'))
  await onCall.receive(source, asks(aTopicArn, 'a&b'))
  const gone = await onCall.source('cloudwatch', [])
  await onCall.receive(gone, asks())
  await deleteSource(onCall.admin, gone.id)
  const web = visited()
  await onCall.perform('confirm_subscription', confirmSubscription(web))
  assert.deepEqual(web.addresses, [])
})
