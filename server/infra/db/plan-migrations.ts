import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { DatabaseClient } from './client.ts'
import { endQuietly } from './end-quietly.ts'
import { connectPlainly, readApplied, refuseDrift, refuseStrangeDatabase } from './migrate.ts'
import { type Migration, migrationsFolder, readMigrations } from './migration-files.ts'
import { patience } from './timeouts.ts'

/** Those that anyone can notice, the weakest first. */
export const lockModes = [
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]

/** What takes longer the larger a table is. A change of the catalog alone does not. */
export type Work = 'index' | 'rewrite' | 'rows' | 'scan'

/**
 * What a migration does to a table that was there before, under one lock. It is held until the migration ends; if that is
 * online, until the statement does, and a table may be locked several times.
 */
export interface TableLock {
  table: string
  lock: string
  work: Work[]
}

/** What scripts/migration-facts.ts has found out about each migration, by its name. */
export type MigrationFacts = Record<string, { locks: TableLock[]; breaks: string[] }>

interface PlannedTable extends TableLock {
  waiting: 'readers and writers' | 'writers' | 'writers of the same rows' | 'no one'
  rows: number
  bytes: number
  seconds: number
}

export interface PlannedMigration {
  name: string
  online: boolean
  /** The newest migration that other nodes must know from then on; 0: they can be of any version. */
  contract: number
  tables: PlannedTable[]
  /** Unless it is online, its locks are held for as long. */
  seconds: number
}

export interface Plan {
  /** The last that is applied; null in an empty database. */
  newest: string | null
  isNewer: boolean
  pending: PlannedMigration[]
}

/** What is to be applied to a database and what that would do to it, without changing anything. */
export async function planMigrations(connection: pg.ClientConfig): Promise<Plan> {
  const client = new DatabaseClient({
    ...connection,
    ...patience,
    application_name: 'signalbox migrate --plan',
  })
  client.on('error', () => {})
  try {
    await connectPlainly(client)
    await client.query('set default_transaction_read_only = on')
    await refuseStrangeDatabase(client)
    const known = await readMigrations()
    const applied = (await isEmpty(client)) ? [] : await readApplied(client)
    refuseDrift(known, applied)
    const facts: MigrationFacts = JSON.parse(
      await readFile(path.join(migrationsFolder, 'facts.json'), 'utf8'),
    )
    const sizes = await sizesOf(client)
    return {
      newest: applied.at(-1)?.name ?? null,
      isNewer: applied.length > known.length,
      pending: known.slice(applied.length).map((one) => planned(one, facts[one.name]?.locks ?? [], sizes)),
    }
  } finally {
    await endQuietly(client)
  }
}

const isEmpty = async (client: pg.Client): Promise<boolean> =>
  (await client.query(`select from pg_class where oid = to_regclass('migrations')`)).rowCount === 0

interface Size {
  table: string
  rows: number
  bytes: number
}

/** Rows as PostgreSQL has last counted them. What is in partitions is in their table. */
async function sizesOf(client: pg.Client): Promise<Map<string, Size>> {
  const { rows } = await client.query<Size>(
    `select coalesce(pg_partition_root(oid), oid)::regclass::text as table,
       sum(greatest(reltuples, 0))::float8 as rows, sum(pg_table_size(oid))::float8 as bytes
     from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' group by 1`,
  )
  return new Map(rows.map((size) => [size.table, size]))
}

function planned(
  { name, online, contract }: Migration,
  locks: TableLock[],
  sizes: Map<string, Size>,
): PlannedMigration {
  const tables = locks.map((lock) => plannedTable(lock, sizes.get(lock.table)))
  return { name, online, contract, tables, seconds: tables.reduce((sum, { seconds }) => sum + seconds, 0) }
}

function plannedTable(lock: TableLock, { rows, bytes } = { rows: 0, bytes: 0 }): PlannedTable {
  const seconds = lock.work.reduce((sum, work) => sum + estimate[work]({ rows, bytes }), 0)
  return { ...lock, waiting: waitingFor(lock.lock), rows, bytes, seconds }
}

function waitingFor(lock: string): PlannedTable['waiting'] {
  if (lock === 'AccessExclusiveLock') return 'readers and writers'
  if (lock === 'RowExclusiveLock') return 'writers of the same rows'
  return lock === 'ShareUpdateExclusiveLock' ? 'no one' : 'writers'
}

/** Seconds, by what bench/migration-rates.ts has measured on a million audit entries (docs/manual/upgrading.md). */
const estimate: Record<Work, (size: Pick<Size, 'rows' | 'bytes'>) => number> = {
  index: ({ rows }) => (rows / 1e6) * 9,
  rows: ({ rows }) => (rows / 1e6) * 60,
  rewrite: ({ bytes }) => (bytes / 1e9) * 37,
  scan: ({ bytes }) => (bytes / 1e9) * 2,
}
