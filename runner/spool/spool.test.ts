import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Trash } from '../disk/trash.ts'
import { OrderSpool } from './order-spool.ts'
import { Spool } from './spool.ts'

const trashOf = (data: string) => new Trash(path.join(data, 'trash'), async () => {})

const scratch = (t: { after(done: () => void): void }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'spool-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const ref = { run: 'run-7k2q', fence: 3 }
const said = (message: string) => ({ type: 'progress', message }) as const

test('a report is on disk before it is on its way, and its number survives a restart', (t) => {
  const folder = scratch(t)
  const spool = new OrderSpool(folder, ref)
  spool.report(said('one'))
  spool.report(said('two'))
  spool.acknowledgeReports(2)
  const again = new OrderSpool(folder, ref)
  assert.deepEqual(
    [again.reported, again.reportNext, again.eventAt(2), again.isEnded],
    [2, 2, said('two'), false],
  )
})

test('a torn last line is cut off, and its number is given again', (t) => {
  const folder = scratch(t)
  new OrderSpool(folder, ref).report(said('whole'))
  appendFileSync(path.join(folder, 'reports.ndjson'), '{"number":2,"event":{"type":"prog')
  const spool = new OrderSpool(folder, ref)
  assert.equal(spool.reported, 1)
  spool.report(said('next'))
  const lines = readFileSync(path.join(folder, 'reports.ndjson'), 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).event.message),
    ['whole', 'next'],
  )
})

test('a report that the server never takes is replaced at its number', (t) => {
  const folder = scratch(t)
  const spool = new OrderSpool(folder, ref)
  spool.report(said('refused'))
  spool.replace(1, { type: 'failed', failureClass: 'persistent', error: 'refused' })
  const again = new OrderSpool(folder, ref)
  assert.deepEqual([again.reported, again.eventAt(1).type, again.isEnded], [1, 'failed', true])
})

test('lines of the log that a crash took are said to be missing, and the numbers go on', (t) => {
  const folder = scratch(t)
  const spool = new OrderSpool(folder, ref)
  spool.log(['a'])
  spool.log(['b'])
  spool.acknowledgeLog(3)
  writeFileSync(path.join(folder, 'log.ndjson'), '{"number":1,"lines":["a"]}\n')
  const again = new OrderSpool(folder, ref)
  again.log(['c'])
  assert.deepEqual(again.chunkAt(3), { number: 3, lines: ['c'] })
})

test('a full disk loses no report: it is kept in memory and can be sent', {
  skip: process.platform !== 'linux' && 'there is no /dev/full here',
}, (t) => {
  const folder = scratch(t)
  symlinkSync('/dev/full', path.join(folder, 'reports.ndjson'))
  const spool = new OrderSpool(folder, ref)
  spool.report(said('kept'))
  assert.deepEqual([spool.isStuck, spool.reported, spool.eventAt(1)], [true, 1, said('kept')])
})

test('an order is deleted a day after everything about it has arrived, and not before', async (t) => {
  const data = scratch(t)
  const spool = new Spool(data, trashOf(data))
  const ask = '5d2ab42b-55ab-4d35-9f04-8b9b3e4ab4a2'
  const order = spool.take({ ask, ...ref, order: { unreadable: 'for the test' } })
  const now = new Date('2026-11-15T12:00:00Z')
  await spool.tidy(now)
  assert.equal(spool.left().length, 1)
  order.close(now)
  await spool.tidy(new Date('2026-11-16T11:59:00Z'))
  assert.deepEqual([spool.has(ref), spool.left().length], [true, 0])
  await spool.tidy(new Date('2026-11-16T12:01:00Z'))
  assert.deepEqual([spool.has(ref), readdirSync(path.join(data, 'orders'))], [false, []])
})

test('an ask is open until an order has come of it', (t) => {
  const data = scratch(t)
  const spool = new Spool(data, trashOf(data))
  const ask = '5d2ab42b-55ab-4d35-9f04-8b9b3e4ab4a2'
  spool.writeAsk(ask)
  assert.equal(spool.openAsk(), ask)
  spool.take({ ask, ...ref, order: { unreadable: 'for the test' } })
  assert.equal(spool.openAsk(), null)
})

const spent = (amount: number) => ({ type: 'usage', amount, currency: 'USD' }) as const
const told = (spool: OrderSpool) =>
  Array.from({ length: spool.reported }, (_, at) => spool.eventAt(at + 1)).map((event) =>
    event.type === 'usage' ? event.amount : event.type,
  )

test('what a call can cost survives the process, and counts once, as what it did cost or as all of it', (t) => {
  const folder = scratch(t)
  const spool = new OrderSpool(folder, ref)
  const [known, free, lost] = [spool.reserve(spent(5)), spool.reserve(spent(6)), spool.reserve(spent(7))]
  spool.settle(known, spent(1))
  spool.settle(known, spent(2))
  spool.settle(free, null)
  assert.equal(spool.owes, true)
  const again = new OrderSpool(folder, ref)
  assert.deepEqual(
    [known, free, lost].map((id) => again.isReserved(id)),
    [false, false, true],
  )
  again.conclude()
  again.settle(lost, spent(3))
  assert.deepEqual(told(again), [1, 7])
  const third = new OrderSpool(folder, ref)
  third.conclude()
  assert.deepEqual(told(third), [1, 7])
  assert.equal(third.reserve(spent(1)), 4, 'a number is not given twice')
  third.settle(4, null)
  third.acknowledgeReports(3)
  assert.equal(third.owes, false)
})

test('how an order ends comes after all that it has spent, also when the process did not come to write it', (t) => {
  const folder = scratch(t)
  const spool = new OrderSpool(folder, ref)
  const id = spool.reserve(spent(5))
  spool.report({ type: 'failed', failureClass: 'transient', error: 'no' })
  assert.deepEqual([spool.isEnded, spool.isConcluded, spool.reported], [true, false, 0])
  const again = new OrderSpool(folder, ref)
  assert.deepEqual([told(again), again.isConcluded], [[5, 'failed'], true])
  spool.settle(id, spent(1))
  spool.conclude()
  assert.deepEqual(told(spool), [1, 'failed'])
})

test('nothing is written for an order whose files are closed, nor into the file that has their number since', (t) => {
  const folder = scratch(t)
  const released = new OrderSpool(path.join(folder, 'released'), ref)
  released.log(['first'])
  released.release()
  released.release()
  const next = new OrderSpool(path.join(folder, 'next'), ref)
  assert.throws(() => released.log(['late']), /log\.ndjson is closed\./)
  assert.throws(() => released.report(said('late')), /reports\.ndjson is closed\./)
  assert.throws(() => released.chunkAt(1), /log\.ndjson is closed\./)
  for (const name of ['released', 'next'])
    assert.doesNotMatch(readFileSync(path.join(folder, name, 'log.ndjson'), 'utf8'), /late/)
  next.release()
})
