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

test('what an online migration does can be done again', () => {
  for (const { name, text } of unreleased.filter(({ online }) => online))
    for (const statement of statementsIn(text))
      if (/^create /i.test(statement))
        assert.match(statement, /^create (unique )?index concurrently if not exists /i, name)
})
