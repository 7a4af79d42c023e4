import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { connectionsOfNode } from './node-connections.ts'

const manual = readFileSync(
  path.join(import.meta.dirname, '..', '..', 'docs', 'manual', 'operating.md'),
  'utf8',
)
const numberIn = (sentence: RegExp): number => Number(sentence.exec(manual)?.[1]?.replace(',', ''))

/** PostgreSQL's max_connections and superuser_reserved_connections, unless someone changes them. */
const forEveryone = 100 - 3

test('the manual states how many connections a node opens at most, and 50 nodes behind PgBouncer fit a default PostgreSQL', () => {
  const most = connectionsOfNode(readConfig({}).databaseConnections)
  assert.equal(numberIn(/A node opens at most (\d+) connections/), most)
  const [table] = /^\| Connections \| For \|\n(\|.*\n)+/m.exec(manual)!
  const rows = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, count]) => Number(count))
  assert.equal(
    rows.reduce((sum, count) => sum + count, 0),
    most,
  )
  const direct = numberIn(/is enough for (\d+) nodes that connect directly/)
  assert.ok(direct * most <= forEveryone && (direct + 1) * most > forEveryone)
  const [pooled, clients] = [numberIn(/pool_size=(\d+)/), numberIn(/max_client_conn = (\d+)/)]
  // Each listens past the pooler.
  assert.ok(pooled + 50 <= forEveryone)
  assert.ok(50 * (most - 1) <= clients)
})
