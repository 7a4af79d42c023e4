import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { type Db, runText, type Tx } from '../infra/db/db.ts'
import type { Tables } from './tables.types.ts'

/** A query builder over a handle: for rows that no verb makes, and for looks at what a verb wrote. */
export function tables(handle: Db | Tx): Kysely<Tables> {
  const known = builders.get(handle) ?? builderOn(handle)
  builders.set(handle, known)
  return known
}

const builders = new WeakMap<object, Kysely<Tables>>()

function builderOn(handle: Db | Tx): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery) {
      const { rows, rowCount } = await runText(handle, sql, parameters)
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('Nothing is streamed.')
    },
  }
  const notHere = () => Promise.reject(new Error('The handle has its transaction.'))
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        beginTransaction: notHere,
        commitTransaction: notHere,
        rollbackTransaction: notHere,
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}
