import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { preparedStatements } from '../../../scripts/statements/statements.ts'
import { superuserIn, testDatabase } from '../database.ts'
import { aTeam } from '../factories.ts'
import { OnCall } from '../on-call/on-call.ts'
import { fillWorkspace } from './fill-workspace.ts'
import { walksOf } from './plans.ts'

const database = await testDatabase()
const client = new pg.Client(superuserIn(database.connection))
await client.connect()
after(async () => {
  await client.end()
  await database.close()
})

/** Tables with at least so many rows are those that grow. A larger table makes an index more worthwhile, not less. */
const manyRows = 2_000

const oneIsGiven = 'One of its keys is always given; here it was planned with none.'
const stops = 'It stops at the first rows that it meets.'
const addsUp = 'It adds up a span of days, which is most of what was filled in here.'
const once = 'It is about everything of a person or of a practice project, which happens once.'
const byStatus = 'It is planned for the status it is given: those that wait are few.'

/** Statements that may go through a whole table, and why. */
const mayWalk: Record<string, string> = {
  'server/domain/accounts/notifications/store.ts: deleteNotificationsBefore': stops,
  'server/domain/accounts/workspaces/store.ts: selectChecklist': stops,
  'server/domain/engine/machine/run-store.ts: held': oneIsGiven,
  'server/domain/engine/machine/run-store.ts: lock': oneIsGiven,
  'server/domain/engine/machine/run-store.ts: selectTeamOf': oneIsGiven,
  'server/domain/engine/supervision/trace-store.ts: selectIncidentOf':
    'Incidents have no index by time. It is asked once for each run of a fix, and only where runs are traced.',
  'server/domain/installation/erasure/person-store.ts: deleteTracesOfPerson': once,
  'server/domain/installation/erasure/person-store.ts: selectPreviewOfPerson': once,
  'server/domain/installation/erasure/person-store.ts: selectWorkspacesOfPerson': once,
  'server/domain/on-call/signals/store.ts: deleteDeliveriesBefore': stops,
  'server/domain/practice/project/store.ts: deleteNotifications': once,
  'server/domain/practice/project/store.ts: hideDecisions': once,
  'server/domain/practice/project/store.ts: hideIncidents': once,
  'server/domain/practice/project/store.ts: hideRuns': once,
  'server/domain/record/months/store.ts: selectExtentOfMonth':
    'It counts a month, before that goes to a file.',
  'server/domain/record/outbox/store.ts: reviveNewest':
    'Effects that are done have no index by run. It is asked when a person retries one.',
  'server/domain/work/decisions/store.ts: dueFirst': byStatus,
  'server/domain/work/insights/store.ts: selectBudgets': addsUp,
  'server/domain/work/insights/store.ts: selectRunResults': addsUp,
  'server/domain/work/insights/store.ts: selectScores': addsUp,
  'server/domain/work/insights/store.ts: selectSpend': addsUp,
  'server/domain/work/night-report/store.ts: selectSpending': addsUp,
  'server/domain/work/runs/log/store.ts: selectStanding': oneIsGiven,
  'server/domain/work/search/store.ts: selectFound':
    'How it searches depends on the words; `npm run scale` counts the rows that it looks at.',
  'server/domain/work/stories/store.ts: selectStoryForUpdate': oneIsGiven,
}

test('no statement of the server goes through a table that grows, except those that have to', async () => {
  const onCall = await OnCall.begin(database.db)
  for (let number = 0; number < 7; number += 1) await aTeam(onCall.workspace)
  for (let number = 0; number < 16; number += 1) await onCall.source('generic', [await onCall.service()])
  await fillWorkspace(client, onCall.workspace.workspaceId, { stories: 10_000, entries: 40_000 })
  await client.query('analyze')
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1",
    [manyRows],
  )
  const large = new Set(rows.map(({ name }) => name))
  for (const table of [
    'stories',
    'runs',
    'decisions',
    'audit_entries_before',
    'audit_leaves',
    'alerts',
    'incidents',
  ])
    assert.ok(large.has(table), `${table} is filled`)
  const found: string[] = []
  const names = new Set<string>()
  for await (const statement of preparedStatements()) {
    names.add(statement.name)
    const walks = (await walksOf(client, statement)).filter((table) => large.has(table))
    if (walks.length > 0 && !mayWalk[statement.name])
      found.push(`${statement.name} (${statement.parts.join(', ')}): ${walks.join(', ')}`)
  }
  assert.deepEqual(found, [])
  assert.deepEqual(
    Object.keys(mayWalk).filter((name) => !names.has(name)),
    [],
    'only statements that exist are excused',
  )
})
