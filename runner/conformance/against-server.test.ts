import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkServer } from './against-server.ts'
import { PlayServer } from './play-server.ts'

const token = `tk_${'mirror'.padEnd(32, '0')}`

test('the server of the kit passes what the kit asks of servers', async (t) => {
  const server = new PlayServer({ token, pace: 1, orders: [{ rehearsal: [] }], refusesSecondSession: true })
  await server.listen()
  t.after(() => server.goAway())
  const results = await checkServer(server.url, token)
  assert.deepEqual(
    results.filter(({ breaches, skipped }) => breaches.length > 0 || skipped),
    [],
  )
})

test('a server without an order is asked what needs none, and the rest is said to be skipped', async (t) => {
  const server = new PlayServer({ token, pace: 0.01, refusesSecondSession: true })
  await server.listen()
  t.after(() => server.goAway())
  const results = await checkServer(server.url, token)
  assert.ok(results.some(({ skipped }) => skipped === null))
  assert.match(results.at(-1)!.skipped!, /No order was offered/)
})
