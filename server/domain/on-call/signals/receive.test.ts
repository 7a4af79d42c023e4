import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'

const database = await testDatabase()
after(() => database.close())

const day = 86_400_000

test('a clock beyond the prepared months makes the month, and nothing is lost', async () => {
  const onCall = await OnCall.begin(database.db)
  const source = await onCall.source('generic', [await onCall.service()])
  onCall.clock.forward(Date.now() - onCall.clock.now().getTime() + 400 * day)
  await Promise.all([
    onCall.receive(source, { alerts: [anAlert({ fingerprint: 'a' })] }),
    onCall.receive(source, { alerts: [anAlert({ fingerprint: 'b' })] }),
  ])
  await onCall.handle()
  assert.equal((await onCall.incidents()).length, 1)
  assert.equal((await onCall.entries('signal_received')).length, 2)
})

test('a delivery is found in the log under the team whose services its source feeds', async () => {
  const onCall = await OnCall.begin(database.db)
  const fed = await onCall.source('generic', [await onCall.service()])
  const feedsNobody = await onCall.source('generic', [])
  await onCall.receive(fed, { alerts: [anAlert({ fingerprint: 'a' })] })
  await onCall.receive(feedsNobody, { alerts: [anAlert({ fingerprint: 'b' })] })
  await onCall.handle()
  const entries = await onCall.entries('signal_received')
  assert.deepEqual(
    entries.map(({ entity, team }) => [entity.id, team]).sort(),
    [
      [fed.id, onCall.team.slug],
      [feedsNobody.id, null],
    ].sort(),
  )
})

test('a clock that is wrong by a lifetime makes no tables', async () => {
  const onCall = await OnCall.begin(database.db)
  const source = await onCall.source('generic', [])
  const count = async () =>
    (await database.pool.query('select count(*)::int as tables from pg_inherits')).rows[0].tables
  const before = await count()
  onCall.clock.forward(100 * 365 * day)
  await assert.rejects(onCall.receive(source, { alerts: [anAlert()] }), /years ahead/)
  assert.equal(await count(), before)
})

test('a quiet source is answered with the next statement, however many deliveries of a storm wait', async () => {
  const onCall = await OnCall.begin(database.db)
  const [loud, quiet] = [await onCall.source('generic', []), await onCall.source('generic', [])]
  const answered: string[] = []
  const send = async (source: typeof loud, name: string) => {
    const alerts = [anAlert({ fingerprint: name })]
    const reading = { alerts, test: false, problem: null, deliveryId: null, handshake: null }
    await onCall.receiver.receive(source, reading)
    answered.push(name)
  }
  // What fits into one statement is 500.
  const storm = Array.from({ length: 2_000 }, (_, number) => send(loud, `loud ${number}`))
  await Promise.all([...storm, send(quiet, 'quiet')])
  const before = answered.indexOf('quiet')
  assert.ok(before >= 0 && before < 500, `${before} of the storm were answered before it`)
  const ofLoud = answered.filter((name) => name !== 'quiet')
  assert.deepEqual(
    ofLoud,
    ofLoud.map((_, number) => `loud ${number}`),
    'the storm stays in its order',
  )
})
