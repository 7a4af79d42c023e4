import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '../infra/db/db.ts'
import type { Connection } from '../infra/db/embedded.ts'
import { clients, createDatabase, template } from './cluster.ts'

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
  const database = `test_${randomBytes(6).toString('hex')}`
  await createDatabase(database, from)
  return { ...clients().login, database }
}

/** For what the server itself may not do. */
export const superuserIn = ({ database }: Connection): Connection => ({ ...clients().superuser, database })
