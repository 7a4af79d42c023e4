import { type RawBuilder, sql, type Updateable } from 'kysely'

type Changes<Table> = {
  [Column in keyof Updateable<Table>]?: Updateable<Table>[Column] | RawBuilder<unknown> | undefined
}

/** What an update sets: a column that is not given keeps what it has. */
export const assignments = <Table>(changes: Changes<Table>) =>
  sql.join(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => sql`${sql.id(column)} = ${value}`),
  )
