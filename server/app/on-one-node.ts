import type pg from 'pg'
import { DatabaseClient } from '../infra/db/client.ts'
import { endQuietly } from '../infra/db/end-quietly.ts'
import { patience } from '../infra/db/timeouts.ts'

/** Does something on one node at a time, under a lock that ends with the process. Null: another node is doing it. */
export async function onOneNode<T>(
  connection: pg.ClientConfig,
  { lock, name }: { lock: number; name: string },
  work: () => Promise<T>,
): Promise<T | null> {
  const client = new DatabaseClient({ ...connection, ...patience, application_name: `signalbox ${name}` })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('select pg_try_advisory_lock($1) as free', [lock])
    return rows[0].free ? await work() : null
  } finally {
    await endQuietly(client)
  }
}
