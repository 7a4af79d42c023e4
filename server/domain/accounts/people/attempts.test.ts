import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { beginAttempt } from './attempts.ts'

const database = await testDatabase()
after(() => database.close())

test('someone who failed too often waits a quarter of an hour at most, also when the clock is set back', async () => {
  const clock = new TestClock()
  const services = { db: database.db, clock }
  const attempt = { account: 'ada@example.com', address: '192.0.2.1' }
  for (let n = 0; n < 10; n += 1) assert.equal(await beginAttempt(services, attempt), null)
  assert.equal(await beginAttempt(services, attempt), 900)
  clock.forward(-3_600_000)
  assert.equal(await beginAttempt(services, attempt), 900)
  clock.forward(900_000)
  assert.equal(await beginAttempt(services, attempt), null)
})
