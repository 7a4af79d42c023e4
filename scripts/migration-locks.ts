import pg from 'pg'
import { type Migration, readMigrations, statementsIn } from '../server/infra/db/migration-files.ts'
import { lockModes, type TableLock, type Work } from '../server/infra/db/plan-migrations.ts'

export const locksFile = 'server/migrations/locks.json'

/**
 * Renders server/migrations/locks.json: what each migration does to tables that were there before it, as PostgreSQL says
 * when it is run on an empty database. It leaves that database empty.
 */
export async function renderLocks(connection: pg.ClientConfig): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const found: Record<string, TableLock[]> = {}
    for (const migration of await readMigrations()) found[migration.name] = await locksOf(client, migration)
    await client.query('drop schema public cascade; create schema public')
    return `${JSON.stringify(found, null, 2)}\n`
  } finally {
    await client.end()
  }
}

async function locksOf(client: pg.Client, migration: Migration): Promise<TableLock[]> {
  const before = await catalogOf(client)
  const held = migration.online
    ? await runOnline(client, migration)
    : await runInTransaction(client, migration)
  const after = await catalogOf(client)
  const work = workBetween(before, after)
  const tables = new Map<string, TableLock>()
  for (const { table, lock } of [...held, ...onlineLocks(migration, work)]) {
    const known = tables.get(table)
    if (!before.files.has(table) || (known && lockModes.indexOf(known.lock) >= lockModes.indexOf(lock)))
      continue
    tables.set(table, { table, lock, work: [] })
  }
  for (const { table, lock } of held)
    if (lock === 'RowExclusiveLock') work.set(table, new Set([...(work.get(table) ?? []), 'rows']))
  return [...tables.values()]
    .map((one) => ({ ...one, work: [...(work.get(one.table) ?? [])].sort() }))
    .sort((one, other) => one.table.localeCompare(other.table))
}

type Held = Pick<TableLock, 'table' | 'lock'>

async function runInTransaction(client: pg.Client, { text }: Migration): Promise<Held[]> {
  await client.query('begin')
  await client.query(text)
  const held = await heldLocks(client)
  await client.query('commit')
  return held
}

/** What holds no lock at its end is run twice: first in a transaction without its own commits, to see its locks. */
async function runOnline(client: pg.Client, { text }: Migration): Promise<Held[]> {
  const held: Held[] = []
  for (const statement of statementsIn(text)) {
    if (!isConcurrent(statement)) {
      await client.query('begin')
      await client.query(statement.replaceAll(/\bcommit;/gi, 'null;'))
      held.push(...(await heldLocks(client)))
      await client.query('rollback')
    }
    await client.query(statement)
  }
  return held
}

const isConcurrent = (statement: string) => /^\w+ (?:unique )?index concurrently/i.test(statement)

/** What builds an index concurrently says so by the index alone. */
const onlineLocks = ({ online }: Migration, work: Map<string, Set<Work>>): Held[] =>
  online
    ? [...work]
        .filter(([, does]) => does.has('index'))
        .map(([table]) => ({ table, lock: 'ShareUpdateExclusiveLock' }))
    : []

/** Of a partition, those of the table that it is a part of. */
async function heldLocks(client: pg.Client): Promise<Held[]> {
  const { rows } = await client.query<Held>(
    `select distinct coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as table, l.mode as lock
     from pg_locks l join pg_class c on c.oid = l.relation
     where l.pid = pg_backend_pid() and l.locktype = 'relation' and c.relnamespace = 'public'::regnamespace
       and c.relkind in ('r', 'p') and l.mode = any ($1)`,
    [lockModes],
  )
  return rows
}

interface Catalog {
  /** Each table with the files that its rows are in, and each index and checked constraint with its table. */
  files: Map<string, string>
  indexes: Map<string, string>
  constraints: Map<string, string>
  /** Columns that may be null, by table and name. */
  nullable: Map<string, string>
}

async function catalogOf(client: pg.Client): Promise<Catalog> {
  const select = async (text: string) =>
    new Map(
      (await client.query<{ key: string; value: string }>(text)).rows.map((row) => [row.key, row.value]),
    )
  const root = (oid: string) => `coalesce(pg_partition_root(${oid}), ${oid})::regclass::text`
  return {
    files: await select(
      `select ${root('oid')} as key, string_agg(relfilenode::text, ' ' order by relfilenode) as value from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') group by 1`,
    ),
    indexes: await select(
      `select c.relfilenode || ' ' || i.indexrelid as key, ${root('i.indrelid')} as value
       from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = 'public'::regnamespace`,
    ),
    constraints: await select(
      `select oid::text as key, ${root('conrelid')} as value from pg_constraint
       where connamespace = 'public'::regnamespace and contype in ('c', 'f') and convalidated and conrelid <> 0`,
    ),
    nullable: await select(
      `select a.attrelid || ' ' || a.attnum as key, case when a.attnotnull then '' else c.oid::regclass::text end as value
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0`,
    ),
  }
}

/** What the tables that were there before had to go through. */
function workBetween(before: Catalog, after: Catalog): Map<string, Set<Work>> {
  const work = new Map<string, Set<Work>>()
  const add = (table: string, does: Work) =>
    before.files.has(table) && work.set(table, new Set([...(work.get(table) ?? []), does]))
  // A partition more is no rewrite.
  for (const [table, files] of after.files)
    if (
      before.files
        .get(table)
        ?.split(' ')
        .some((file) => !files.split(' ').includes(file))
    )
      add(table, 'rewrite')
  for (const [index, table] of after.indexes) if (!before.indexes.has(index)) add(table, 'index')
  for (const [constraint, table] of after.constraints)
    if (!before.constraints.has(constraint)) add(table, 'scan')
  for (const [column, table] of before.nullable)
    if (table !== '' && after.nullable.get(column) === '') add(table, 'scan')
  return work
}
