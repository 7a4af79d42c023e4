import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { TestClock } from '../test/clock.ts'
import { testDatabase } from '../test/database.ts'
import { readConfig } from './config.ts'
import { removeOld } from './retention.ts'
import type { Storage } from './storage.ts'

const database = await testDatabase()
after(() => database.close())
const storage = { ...database, direct: database.connection } as unknown as Storage

test('while one node removes what is too old, another leaves it to that one', async (t) => {
  const node = new pg.Client(database.connection)
  t.after(() => node.end())
  await node.connect()
  const clock = new TestClock('2026-03-01T12:00:00.000Z')
  const remove = () => removeOld({ config: readConfig({}), clock, storage })
  await node.query('select pg_advisory_lock(4423)')
  assert.equal(await remove(), null)
  await node.query('select pg_advisory_unlock(4423)')
  assert.equal(await remove(), 0)
  assert.equal(await remove(), 0, 'the lock is given back')
})
