import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { readCatalog } from '../../../scripts/statements/catalog.ts'
import { shapeOf } from '../../../scripts/statements/statements.ts'
import { reads } from '../../infra/db/queries.ts'
import { Statement } from '../../infra/db/statement.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'

/** What the generator says of statements, and what it refuses. That every statement has its types: generated.test.ts. */

const client = new pg.Client(await emptyDatabase(template))
await client.connect()
after(() => client.end())
const catalog = await readCatalog(client)
const shape = (text: string) => shapeOf(client, catalog, new Statement<object, object>(text))
const rowOf = async (text: string) => /row: (.*) \}$/.exec(await shape(text))![1]
const parametersOf = async (text: string) => /parameters: (.*); row: /.exec(await shape(text))![1]

const refused: Record<string, [text: string, why: RegExp]> = {
  'a column that is not there': ['select nmae from teams where id = :id', /column "nmae" does not exist/],
  'a part that is only wrong when it is there': [
    'select id from teams where id = :id [[and nmae = :name]]',
    /column "nmae" does not exist/,
  ],
  'what is only wrong when a part is not there': [
    'select id from teams [[where id = :id]] and name = :name',
    /syntax error/,
  ],
  'a parameter of two types': [
    'select id from teams where id = :id and name = :id',
    /operator does not exist: text = uuid|inconsistent types/,
  ],
  'a mark on a column that is not there': [
    'select id, (select 1 as "one!") as two from teams',
    /no column "one!"/,
  ],
  'two columns of one name': [
    'select t.id, w.id from teams t join workspaces w on w.id = t.workspace_id',
    /same name/,
  ],
}

for (const [what, [text, why]] of Object.entries(refused))
  test(`a statement is refused for ${what}`, () => assert.rejects(shape(text), why))

test('a parameter has the type that PostgreSQL gives it, and may be null or missing only where the text says so', async () => {
  assert.equal(
    await parametersOf(`
      update teams set name = :name, description = :description?, paused_at = :at
      where workspace_id = :workspaceId and key_prefix = any(:prefixes) [[and last_story_number > :number]]`),
    '{ name: string; description: string | null | undefined; at: Date | string; workspaceId: string; ' +
      'prefixes: readonly (string | null)[]; number?: number | null | undefined }',
  )
})

test('a query has its arguments in the order it says, those that may be left out last', async () => {
  const text = `select id from runs where workspace_id = :workspaceId and story_id = :storyId and phase = :phase
    [[and policy_version = :version]] [[and key = :key]]`
  const takesOf = async (takes: string) =>
    /takes: (.*?); parameters/.exec(await shapeOf(client, catalog, reads.many<never>(takes)(text)))![1]
  assert.equal(
    await takesOf('workspaceId, { phase, storyId }, version, key'),
    "[workspaceId: 'workspaceId', given1: ['phase' | 'storyId'], version?: 'version', key?: 'key']",
  )
  assert.equal(
    await takesOf('workspaceId, key, storyId, ...run'),
    "[workspaceId: 'workspaceId', key: 'key', storyId: 'storyId', run: ['phase' | 'version']]",
  )
})

test('a query that gives one column is refused for two', async () => {
  const two = reads.value<never>()('select id, name from teams')
  await assert.rejects(shapeOf(client, catalog, two), /2 columns, and value is of one/)
})

test('a column may be null when its table says so, or when an outer join may find no row for it', async () => {
  assert.equal(
    await rowOf('select name, paused_at as "pausedAt" from teams'),
    '{ name: string; pausedAt: Date | null }',
  )
  const joined = 'from runs r left join stories s on s.id = r.story_id'
  assert.equal(await rowOf(`select r.key, s.title ${joined}`), '{ key: string; title: string | null }')
  assert.equal(
    await rowOf(`select s.title, r.key ${joined.replace('left', 'right')}`),
    '{ title: string; key: string | null }',
  )
  assert.equal(
    await rowOf(`select s.title ${joined} where s.size = 'xl'`),
    '{ title: string }',
    'the join cannot come up empty',
  )
  assert.equal(
    await rowOf(`with told as materialized (select id, title from stories) select t.title from runs r
      left join told t on t.id = r.story_id`),
    '{ title: string | null }',
    'through a common table expression',
  )
  assert.equal(
    await rowOf('select a.key as one, b.key as other from runs a left join runs b on b.id = a.story_id'),
    '{ one: string; other: string | null }',
    'one table on both sides',
  )
})

test('an expression may be null unless it is one of those that never are, or is said not to be', async () => {
  assert.equal(
    await rowOf(`select max(name) as a, max(name) as "b!", count(*) as c, coalesce(max(name), '') as d,
      bool_and(paused_at is null) as e from teams`),
    '{ a: string | null; b: string; c: number; d: string; e: boolean | null }',
  )
  assert.equal(
    await rowOf(`select paused_at is null as a, exists (select from runs r where r.team_id = t.id) as b,
      iso(created_at) as c, iso(paused_at) as d, (select s.title from stories s where s.team_id = t.id limit 1) as e,
      (select count(*) from stories s where s.team_id = t.id) as f, name || key_prefix as g, name || description as h
      from teams t`),
    '{ a: boolean; b: boolean; c: string; d: string | null; e: string | null; f: number; g: string; h: string | null }',
  )
})

test('an expression that never is null may be, when it is worked out for a row that an outer join does not find', async () => {
  assert.equal(
    await rowOf(`
      select t.name, r.facts, r.facts is null as "isNone" from teams t
      left join lateral (
        select json_build_object('key', r.key)::text as facts from runs r where r.team_id = t.id limit 1
      ) as r on true`),
    '{ name: string; facts: string | null; isNone: boolean }',
  )
})

test('a column that takes a few values is those, and json is nothing until someone says what it holds', async () => {
  assert.equal(
    await rowOf('select severity, labels, cuts::text as text from alerts'),
    "{ severity: 'critical' | 'high' | 'medium' | 'low' | 'info'; labels: AnyJson; text: string }",
  )
})
