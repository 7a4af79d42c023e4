import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createClient } from '../protocol/client.ts'
import { Refused } from '../protocol/failures.ts'
import { OrderSpool } from '../spool/order-spool.ts'
import { timeAt } from '../time.ts'
import { Delivery } from './delivery.ts'

test('an order that has told everything leaves nothing on the signal of the process', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'delivery-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const leaving = new AbortController()
  const client = createClient({
    url: new URL('http://127.0.0.1:9/'),
    token: 'none',
    time: timeAt(),
    version: '1',
  })
  for (let fence = 1; fence <= 20; fence += 1) {
    const spool = new OrderSpool(path.join(folder, `${fence}`), { run: 'run-7k2q', fence })
    const delivery = new Delivery({
      spool,
      client,
      time: timeAt(),
      // The server has taken all that was sent.
      persist: async () => ({ next: spool.reported + 1, verdict: 'go_on' }) as never,
      reportBytes: () => 1_000_000,
      onStop: (_, reason) => assert.fail(reason),
    })
    spool.report({ type: 'progress', message: 'begun' })
    await delivery.run(() => true, leaving.signal)
    spool.release()
  }
  assert.equal(getEventListeners(leaving.signal, 'abort').length, 0)
})

test('what turns out to have been spent after the server wants no more of an order is told all the same', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'delivery-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const spool = new OrderSpool(folder, { run: 'run-7k2q', fence: 1 })
  const client = createClient({
    url: new URL('http://127.0.0.1:9/'),
    token: 'none',
    time: timeAt(),
    version: '1',
  })
  const sent: number[][] = []
  client.reports = async (_, { reports }) => {
    sent.push(reports.map(({ number }) => number))
    // It has taken them, and says that the order is over.
    throw new Refused('over', { status: 409, code: 'outdated', retryAfterSeconds: null, next: null })
  }
  const stopped = Promise.withResolvers<string>()
  const delivery = new Delivery({
    ...{ spool, client, time: timeAt(), reportBytes: () => 1_000_000 },
    persist: (call, signal) => call(signal),
    onStop: (how) => stopped.resolve(how),
  })
  let isOver = false
  spool.report({ type: 'progress', message: 'begun' })
  const call = spool.reserve({ type: 'usage', amount: 5, currency: 'USD' })
  const delivered = delivery.run(() => isOver, new AbortController().signal)
  assert.equal(await stopped.promise, 'abort')
  spool.settle(call, { type: 'usage', amount: 1, currency: 'USD' })
  isOver = true
  delivery.wake()
  await delivered
  assert.deepEqual([...new Set(sent.flat())], [1, 2])
  assert.equal(spool.isDelivered, true)
})
