import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { testDatabase } from '../test/database.ts'
import { aMember, aRun, aStory, aTeam, aWorkspace } from '../test/factories.ts'
import { keyOf, mostKeys, nextKey, shortKeys } from './keys.ts'
import { housekeeping } from './record/audit/change.ts'
import { readRun } from './work/runs/read.ts'

const database = await testDatabase()
after(() => database.close())

test('no two counts give the same key', () => {
  const secret = randomBytes(32)
  const keys = new Set<string>()
  for (let n = 0; n < 5_000; n += 1) keys.add(keyOf('run', n, secret))
  for (let n = shortKeys - 1_000; n < shortKeys; n += 1) keys.add(keyOf('run', n, secret))
  assert.equal(keys.size, 6_000)
  for (const key of keys) assert.match(key, /^run-[a-z0-9]{4}$/)
})

test('consecutive keys do not tell each other, and workspaces and kinds differ', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)]
  const first = Array.from({ length: 100 }, (_, n) => keyOf('dec', n, one))
  assert.notDeepEqual([...first].sort(), first)
  const other = Array.from({ length: 100 }, (_, n) => keyOf('dec', n, two))
  assert.notDeepEqual(first, other)
  assert.notEqual(keyOf('run', 5, one).slice(4), keyOf('dec', 5, one).slice(4))
})

test('keys are what they were: a key once given is never given again', () => {
  const secret = Buffer.alloc(32, 7)
  assert.deepEqual(
    [0, 1, 2, shortKeys - 1].map((n) => keyOf('run', n, secret)),
    ['run-odw1', 'run-bdjy', 'run-5yov', 'run-ysbg'],
  )
})

test('longer keys come when four characters are used up, and not before', async () => {
  const secret = randomBytes(32)
  assert.match(keyOf('inc', shortKeys - 1, secret), /^inc-[a-z0-9]{4}$/)
  const longer = new Set<string>()
  for (let n = 0; n < 2_000; n += 1) longer.add(keyOf('inc', shortKeys + n, secret))
  longer.add(keyOf('inc', mostKeys - 1, secret))
  assert.equal(longer.size, 2_001)
  for (const key of longer) assert.match(key, /^inc-[a-z0-9]{6}$/)
  assert.throws(() => keyOf('inc', mostKeys, secret), /all are used/)

  const ctx = await aWorkspace(database.db)
  const owner = await aMember(ctx, 'owner')
  const team = await aTeam(owner)
  const start = async () => (await aRun(owner, team, await aStory(owner, team))).key
  assert.match(await start(), /^run-[a-z0-9]{4}$/)
  await database.pool.query('update key_counters set last = $2 where workspace_id = $1', [
    ctx.workspaceId,
    shortKeys - 2,
  ])
  assert.match(await start(), /^run-[a-z0-9]{4}$/)
  const key = await start()
  assert.match(key, /^run-[a-z0-9]{6}$/)
  assert.equal((await readRun(owner, key)).includes(key), true)
})

test('transactions at the same time take different keys', async () => {
  const { workspaceId } = await aWorkspace(database.db)
  const keys = await Promise.all(
    Array.from({ length: 40 }, () =>
      housekeeping(database.db, 'test', (tx) => nextKey(tx, workspaceId, 'run')),
    ),
  )
  assert.equal(new Set(keys).size, 40)
})
