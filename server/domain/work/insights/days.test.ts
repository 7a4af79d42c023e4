import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../../../infra/db/db.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDecision, aPolicy, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { readRework } from './rework.ts'
import { readRunResults } from './runs.ts'
import { readSpend } from './spend.ts'
import { readWaiting } from './waiting.ts'

const own = await testDatabase({ asAppRole: false })
// A database that is set to the far side of the world: days are still those of UTC.
await own.pool.query(`alter database ${own.connection.database} set timezone to 'Pacific/Auckland'`)
const database = openDatabase({
  connection: own.connection,
  connections: 4,
  asAppRole: true,
  onError: () => {},
})
after(() => Promise.all([database.close(), own.close()]))

test('a day, a month and a range begin at midnight in UTC, to the millisecond', async () => {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  await aPolicy(workspace, team, 'supervised')
  // Seven days before 1 March begin on 23 February.
  const moments = [
    '2026-02-22T23:59:59.999Z',
    '2026-02-23T00:00:00.000Z',
    '2026-02-28T23:59:59.999Z',
    '2026-03-01T00:00:00.000Z',
  ]
  for (const moment of moments) {
    const then = { ...workspace, clock: new TestClock(moment) }
    const run = await aRun(then, team, await aStory(then, team))
    await aDecision(then, team)
    await housekeeping(database.db, 'facts for a test', (tx) =>
      tables(tx)
        .insertInto('usage_ledger')
        .values({
          workspace_id: workspace.workspaceId,
          team_id: team.id,
          run_id: run.id,
          attempt: 1,
          fence: 1,
          report: 1,
          at: new Date(moment),
          amount: '1',
          currency: 'EUR',
          euro_rate: '1',
          euro_micros: 1_000_000,
        })
        .execute(),
    )
  }
  const now = { ...workspace, clock: new TestClock('2026-03-01T00:00:00.000Z') }
  const days = ['2026-02-23', '2026-02-28', '2026-03-01']
  const week = { range: '7' } as const
  const spend = await readSpend(now, week)
  assert.deepEqual([spend.from, spend.to], ['2026-02-23', '2026-03-01'])
  assert.deepEqual(
    spend.days.map(({ day }) => day),
    days,
  )
  assert.deepEqual(
    spend.teams.map(({ dayMicros, monthMicros }) => [dayMicros, monthMicros]),
    [[1_000_000, 1_000_000]],
  )
  assert.deepEqual(
    (await readRunResults(now, week)).days.map(({ day, open }) => [day, open]),
    days.map((day) => [day, 1]),
  )
  assert.deepEqual(
    (await readRework(now, week)).days.map(({ day, runs }) => [day, runs]),
    days.map((day) => [day, 1]),
  )
  assert.equal((await readWaiting(now, week)).stillWaiting, 3)
})
