import type pg from 'pg'
import type { Statement } from './statement.ts'

/** Asks past `read` and `change`: for mechanisms with tables of their own, such as leases and limits. */
export async function queryPool<Given, Row>(
  pool: pg.Pool,
  statement: Statement<Given, Row>,
  parameters: Given,
): Promise<Row[]> {
  const { text, values } = statement.bind(parameters)
  return (await pool.query(text, values)).rows as Row[]
}
