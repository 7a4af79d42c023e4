import {
  CompiledQuery,
  type Kysely,
  Kysely as KyselyInstance,
  PostgresDialect,
  type RawBuilder,
  type Transaction,
} from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import pg from 'pg'
import { Reader } from './reader.ts'
import type { Parameters, Statement } from './statement.ts'
import type { Tables } from './tables.ts'

/** What everyone holds: a handle that reads. Writing goes through `change` in domain/audit. */
export type Db = ReadonlyKysely<Tables>
/** What `change` and `housekeeping` hand out for the length of a transaction. */
export type Tx = Transaction<Tables>

export interface Database {
  db: Db
  pool: pg.Pool
  close(): Promise<void>
}

/** The role the running server acts as: it may append to the audit log, never rewrite it (migrations/grants.sql). */
export const appRole = 'signalbox_app'

export interface DatabaseOptions {
  connection: pg.ClientConfig
  connections: number
  asAppRole: boolean
  /** False lets a commit return before it is on the disk: for bulk writes that can be made again. */
  synchronousCommit?: boolean
  onError: (error: Error) => void
}

export function openDatabase(options: DatabaseOptions): Database {
  const config: pg.ClientConfig = {
    ...options.connection,
    options: [
      ...(options.asAppRole ? [`-c role=${appRole}`] : []),
      ...(options.synchronousCommit === false ? ['-c synchronous_commit=off'] : []),
    ].join(' '),
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'signalbox',
    types: { getTypeParser },
  }
  const pool = new pg.Pool({ ...config, Client: PreparingClient, max: options.connections })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  let closing = false
  pool.on('error', (error) => {
    if (!closing) options.onError(error)
  })
  const reader = new Reader({
    connect: () => new PreparingClient({ ...config, pipeline: true } as pg.ClientConfig),
    fallback: pool,
    connections: readerConnections,
  })
  const db = new KyselyInstance<Tables>({ dialect: new PostgresDialect({ pool }) })
  readers.set(db, reader)
  return {
    db: db as unknown as Db,
    pool,
    async close() {
      closing = true
      await reader.close()
      await db.destroy()
    },
  }
}

const readerConnections = 2
const readers = new WeakMap<object, Reader>()

/**
 * Runs a statement that only reads: together with those of other requests, or inside its transaction. The rows may be
 * shared with another request, so nobody may change them.
 */
export async function read<Row>(
  db: Db | Tx,
  statement: Statement<Row>,
  parameters: Parameters,
): Promise<readonly Row[]> {
  const query = statement.bind(parameters)
  const reader = readers.get(db)
  if (reader) return reader.query(query)
  return (
    await (db as unknown as Kysely<Tables>).executeQuery<Row>(CompiledQuery.raw(query.text, query.values))
  ).rows
}

/** For reads that may take long, such as walking the whole log: on a connection of their own. */
export async function readSlowly<Row>(db: Db | Tx, query: RawBuilder<Row>): Promise<Row[]> {
  // Kysely's read-only handle does not take raw SQL.
  return (await query.execute(db as unknown as Kysely<Tables>)).rows
}

/** bigint columns count entries and bytes here and stay far below 2^53, so they arrive as numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(oid, format)
}

const names = new Map<string, string>()
const mostNames = 500
const longestNamed = 5_000

/**
 * Gives every repeated statement a name, so that PostgreSQL parses and plans it once per connection.
 * Texts that vary without bound (multi-row inserts) stay unnamed.
 */
class PreparingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    // Between two statements of a transaction nobody else listens, and an error nobody hears ends the process. The
    // next statement on the connection fails, which is how the transaction learns of it.
    this.on('error', () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads; all but (text, values) pass through.
  override query(first: any, values?: any, callback?: any): any {
    const name =
      typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined
    return name ? super.query({ name, text: first, values }, callback) : super.query(first, values, callback)
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= mostNames || text.length > longestNamed) return undefined
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
