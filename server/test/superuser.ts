import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Connection } from '../infra/db/embedded.ts'

/** With read access to the data folder, a test can connect to its database as the superuser. */
export async function superuserOf(dataFolder: string, connection: Connection): Promise<Connection> {
  const password = await readFile(path.join(dataFolder, 'postgres.password'), 'utf8')
  return { ...connection, user: 'signalbox', password: password.trim() }
}
