import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { testDatabase } from '../test/database.ts'
import { aWorkspace } from '../test/factories.ts'
import { keyOf, keysPerKind, nextKey } from './keys.ts'
import { housekeeping } from './record/audit/change.ts'

const database = await testDatabase()
after(() => database.close())

test('no two counts give the same key', () => {
  const secret = randomBytes(32)
  const keys = new Set<string>()
  for (let n = 0; n < 5_000; n += 1) keys.add(keyOf('run', n, secret))
  for (let n = keysPerKind - 1_000; n < keysPerKind; n += 1) keys.add(keyOf('run', n, secret))
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

test('a workspace that has used every key says so', () => {
  assert.throws(() => keyOf('inc', keysPerKind, randomBytes(32)), /all are used/)
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
