import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Database, openDatabase } from '../infra/db/db.ts'
import type { Connection } from '../infra/db/embedded.ts'
import { clusterVariable, template } from './cluster.ts'

export interface TestDatabase extends Database {
  /** How the server under test connects; its user owns the database. */
  connection: Connection
}

/** A migrated database of its own for a test file, opened as the restricted role, as the server opens it. */
export async function testDatabase(options: { asAppRole?: boolean } = {}): Promise<TestDatabase> {
  const connection = await emptyDatabase(template)
  const database = openDatabase({
    connection,
    connections: 8,
    asAppRole: options.asAppRole ?? true,
    onError: () => {},
  })
  return { ...database, connection }
}

export async function emptyDatabase(from = 'template0'): Promise<Connection> {
  const cluster: Connection = JSON.parse(
    process.env[clusterVariable] ??
      raise('Run tests with `npm test`, or `npx node scripts/test.ts FILE` for one: they need its database.'),
  )
  const database = `test_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ ...cluster, database: 'postgres' })
  await client.connect()
  await client.query(`create database ${database} template ${from}`)
  await client.end()
  return { ...cluster, database }
}

function raise(message: string): never {
  throw new Error(message)
}
