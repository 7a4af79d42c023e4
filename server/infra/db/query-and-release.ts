import type pg from 'pg'
import { isOfStatement, refuseQueue } from './away.ts'
import type { Query } from './slow-read-pool.ts'

/** As the pool does it, but for a connection on which only a statement failed: it is well, and is used again. */
export async function queryAndRelease(pool: pg.Pool, query: Query): Promise<pg.QueryResult> {
  const client = await pool.connect().catch(refuseQueue)
  try {
    const result = await client.query(query)
    client.release()
    return result
  } catch (error) {
    client.release(isOfStatement(error as Error) ? undefined : (error as Error))
    throw error
  }
}
