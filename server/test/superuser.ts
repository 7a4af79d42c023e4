import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Connection } from '../infra/db/embedded.ts'

/** Whoever may read the data folder can also reach its database as the one who made it. */
export async function superuserOf(dataFolder: string, connection: Connection): Promise<Connection> {
  const password = await readFile(path.join(dataFolder, 'postgres.password'), 'utf8')
  return { ...connection, user: 'signalbox', password: password.trim() }
}
