import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations, statementsIn } from '../../infra/db/migration-files.ts'
import type { MigrationFacts } from '../../infra/db/plan-migrations.ts'
import facts from '../../migrations/facts.json' with { type: 'json' }
import { lastRelease } from '../upgrade/last-release.ts'

/** Nodes of the release before work beside a schema that this code has migrated (docs/decisions/0080). */

const unreleased = (await readMigrations()).filter(({ number }) => number > lastRelease.migrations)

test('a migration that takes something away says which migration nodes must know, and that one is released', () => {
  for (const { name, contract } of unreleased) {
    const { breaks } = (facts as MigrationFacts)[name]!
    assert.ok(
      breaks.length === 0 || contract > 0,
      `${name}: ${breaks.join(', ')}. Do it in a later release, once no node uses it, with "-- contract: NUMBER" at its top.`,
    )
    assert.ok(contract <= lastRelease.migrations, `${name}: nodes of the last release would stop serving.`)
  }
})

/** Every table grows with use, unless it is here with the reason why not. */
const small: Record<string, string> = {
  instance: 'one row',
  nodes: 'one row for each node that runs',
  notification_settings: 'at most one row for each person and kind',
}

test('a migration that works through a table which grows lets others read and write it', () => {
  for (const { name, online } of unreleased)
    for (const { table, lock, work } of (facts as MigrationFacts)[name]!.locks) {
      if (work.length === 0 || Object.hasOwn(small, table)) continue
      assert.ok(
        online && letsOthersWrite.has(lock),
        `${name}: ${table} (${work.join(', ')}, ${lock}). Make it online (docs/recipes/change-the-database.md), or list the table in this file if it stays small.`,
      )
    }
})

test('no transaction of a migration shuts out the readers of two tables: they may hold one and wait for the other', () => {
  for (const { name } of unreleased.filter(({ online }) => !online)) {
    const shut = (facts as MigrationFacts)[name]!.locks.filter(
      ({ table, lock }) => lock === 'AccessExclusiveLock' && !Object.hasOwn(small, table),
    )
    const tables = shut.map(({ table }) => table)
    assert.ok(
      tables.length < 2,
      `${name}: ${tables.join(', ')}. Make it online: each statement is a transaction.`,
    )
  }
})

/** The first of rows that are changed in batches, the other of what is built concurrently or validated. */
const letsOthersWrite = new Set(['RowExclusiveLock', 'ShareUpdateExclusiveLock'])

/** That it can be done again from the start is tried by server/test/upgrade/online.test.ts. */
test('an online migration changes rows that were there in batches', () => {
  for (const { name, text } of unreleased.filter(({ online }) => online))
    for (const statement of statementsIn(text)) {
      assert.doesNotMatch(statement, /^(?:update|delete)\b/i, name)
      if (/^do\b.*\b(?:update \w+ |delete from )/is.test(statement))
        assert.match(statement, /^\s+commit;$/m, name)
    }
})
