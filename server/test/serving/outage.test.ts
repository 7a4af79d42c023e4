import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testApp, urlOf } from '../app.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'
import { SilentNetwork } from '../faults/silent-network.ts'
import { until } from '../until.ts'

/** Long enough for everything that a node does every second to fail more than once. */
const outageMs = 3_000

test('a database that is away for a while is two lines of the log, and a clean stop the last one', async (t) => {
  const network = new SilentNetwork()
  t.after(() => network.close())
  const app = await testApp({ databaseUrl: urlOf(await network.open(await emptyDatabase(template))) })
  const said = () => app.log.map((line) => JSON.parse(line) as { level: string; msg?: string; err?: object })
  const before = app.log.length
  network.cut()
  await sleep(outageMs)
  network.mend()
  await until('it is back', () => said().some(({ msg }) => msg === 'the database is back'))
  await until('it serves', async () => (await app.get('/v1/teams', 'tk_unknown')).status === 401)
  await app.stop()
  assert.deepEqual(
    said()
      .slice(before)
      // A request has a line without a message.
      .flatMap(({ level, msg, err }) => (msg ? [`${level}: ${msg}${err ? ', with an error' : ''}`] : [])),
    ['warn: the database cannot be reached; trying again', 'info: the database is back', 'info: stopped'],
  )
})
