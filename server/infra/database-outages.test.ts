import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../test/until.ts'
import { watchOutages } from './database-outages.ts'
import { every } from './every.ts'
import { createLog } from './log.ts'

interface Line {
  level: string
  msg: string
  seconds?: number
  err?: { stack?: string }
}

function watched() {
  const lines: Line[] = []
  const log = createLog({ level: 'info', to: { write: (line) => lines.push(JSON.parse(line)) } })
  const database = { isThere: true }
  const ping = async () => {
    if (!database.isThere) throw refused()
  }
  return { lines, log, database, outages: watchOutages({ log, ping, askMs: 5 }) }
}

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })

test('an outage of the database is one warning and one line when it is back, whatever fails in between', async (t) => {
  const { lines, log, database, outages } = watched()
  t.after(() => outages.close())
  let turns = 0
  const work = ['one', 'two'].map((name) =>
    every(2, name, log.child({ worker: 1 }), async () => {
      turns += 1
      if (!database.isThere) throw refused()
    }),
  )
  t.after(() => Promise.all(work.map((one) => one.stop())))
  database.isThere = false
  const before = turns
  await until('much has failed', () => turns > before + 20)
  log.warn({ err: new Error('a lease', { cause: refused() }) }, 'the lease could not be renewed')
  database.isThere = true
  await until('it is back', () => lines.some(({ msg }) => msg === 'the database is back'))
  log.warn({ err: refused() }, 'what was under way still fails')
  await sleep(20)
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'the database cannot be reached; trying again'],
      ['info', 'the database is back'],
    ],
  )
  assert.equal(typeof lines[1]!.seconds, 'number')
  assert.ok(lines.every(({ err }) => err === undefined))
})

test('while the database answers, or about anything else, errors are logged, and others with their stack', async (t) => {
  const { lines, log, database, outages } = watched()
  t.after(() => outages.close())
  log.warn({ err: refused() }, 'another system refuses')
  await until('it is logged', () => lines.length === 1)
  assert.equal(lines[0]!.err!.stack, undefined)
  database.isThere = false
  log.error({ err: new Error('a mistake') }, 'background work failed')
  assert.match(lines[1]!.err!.stack!, /database-outages\.test/)
})
