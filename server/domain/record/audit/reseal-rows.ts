import type { Db, Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { housekeeping } from './change.ts'

/** A table with encrypted columns. */
interface SealedTable<Row extends { id: string }, Column extends keyof Row & string> {
  /** Rows after that id, held until they are written. */
  lock: (tx: Tx, afterId: string, most: number) => Promise<readonly Row[]>
  update: (tx: Tx, row: Row) => Promise<unknown>
  /** What each encrypted column is bound to. */
  bound: Record<Column, (id: string) => string>
}

const rowsAtATime = 100

/** Encrypts what is stored in a table with the key in use, a few rows at a time. Returns how many values that were. */
export async function resealRows<Row extends { id: string }, Column extends keyof Row & string>(
  db: Db,
  reseal: Secrets['reseal'],
  { lock, update, bound }: SealedTable<Row, Column>,
): Promise<number> {
  const columns = Object.keys(bound) as Column[]
  let count = 0
  let afterId: string | undefined = firstIdAt(new Date(0))
  while (afterId !== undefined) {
    const from: string = afterId
    afterId = await housekeeping(db, 'encrypt secrets with the new key', async (tx) => {
      const rows = await lock(tx, from, rowsAtATime)
      for (const row of rows) {
        const fresh = columns.flatMap((column) => {
          const sealed = row[column] as Buffer | null
          const again = sealed && reseal(sealed, bound[column](row.id))
          return again ? [[column, again] as const] : []
        })
        if (fresh.length > 0) await update(tx, { ...row, ...Object.fromEntries(fresh) })
        count += fresh.length
      }
      return rows.length < rowsAtATime ? undefined : rows.at(-1)!.id
    })
  }
  return count
}
