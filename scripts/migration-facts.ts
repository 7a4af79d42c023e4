import pg from 'pg'
import {
  isConcurrent,
  type Migration,
  readMigrations,
  statementsIn,
} from '../server/infra/db/migration-files.ts'
import {
  lockModes,
  type MigrationFacts,
  type TableLock,
  type Work,
} from '../server/infra/db/plan-migrations.ts'

export const factsFile = 'server/migrations/facts.json'

/**
 * Renders server/migrations/facts.json: what each migration does to tables that were there before it, as PostgreSQL says
 * when it is run on an empty database. It leaves that database empty.
 */
export async function renderFacts(connection: pg.ClientConfig): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const found: MigrationFacts = {}
    for (const migration of await readMigrations()) found[migration.name] = await factsOf(client, migration)
    await client.query('drop schema public cascade; create schema public')
    return `${JSON.stringify(found, null, 2)}\n`
  } finally {
    await client.end()
  }
}

async function factsOf(client: pg.Client, { text, online }: Migration): Promise<MigrationFacts[string]> {
  const before = await catalogOf(client)
  const locks: TableLock[] = []
  let last = before
  for (const part of online ? statementsIn(text) : [text]) {
    const held = online ? await runOnline(client, part) : await runInTransaction(client, part)
    const now = await catalogOf(client)
    locks.push(...strongest(held, workBetween(last, now), isConcurrent(part)))
    last = now
  }
  return {
    locks: summary(locks.filter(({ table }) => before.files.has(table))),
    breaks: breaksBetween(before, last),
  }
}

/** By table the strongest of the locks that were held together, with all that was done under them. */
function strongest(held: Held[], work: Map<string, Set<Work>>, concurrently: boolean): TableLock[] {
  // What builds an index concurrently says so by the index alone.
  const byIndex = concurrently
    ? [...work.keys()].map((table) => ({ table, lock: 'ShareUpdateExclusiveLock' }))
    : []
  const tables = new Map<string, string>()
  for (const { table, lock } of [...held, ...byIndex])
    if (lockModes.indexOf(tables.get(table) ?? '') < lockModes.indexOf(lock)) tables.set(table, lock)
  const changed = new Set(held.filter(({ lock }) => lock === 'RowExclusiveLock').map(({ table }) => table))
  return [...tables].map(([table, lock]) => ({
    ...{ table, lock },
    work: [...(work.get(table) ?? []), ...(changed.has(table) ? (['rows'] as const) : [])].sort(),
  }))
}

/** One for each table and lock, the strongest lock of a table first. */
function summary(locks: TableLock[]): TableLock[] {
  const found = new Map<string, TableLock>()
  for (const { table, lock, work } of locks) {
    const key = `${table} ${lock}`
    const known = found.get(key)?.work ?? []
    found.set(key, { table, lock, work: [...new Set([...known, ...work])].sort() })
  }
  return [...found.values()].sort(
    (one, other) =>
      one.table.localeCompare(other.table) || lockModes.indexOf(other.lock) - lockModes.indexOf(one.lock),
  )
}

type Held = Pick<TableLock, 'table' | 'lock'>

async function runInTransaction(client: pg.Client, text: string): Promise<Held[]> {
  await client.query('begin')
  await client.query(text)
  const held = await heldLocks(client)
  await client.query('commit')
  return held
}

/** What holds no lock at its end is run twice: first in a transaction without its own commits, to see its locks. */
async function runOnline(client: pg.Client, statement: string): Promise<Held[]> {
  let held: Held[] = []
  if (!isConcurrent(statement)) {
    await client.query('begin')
    await client.query(statement.replaceAll(/\bcommit;/gi, 'null;'))
    held = await heldLocks(client)
    await client.query('rollback')
  }
  await client.query(statement)
  return held
}

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
  /** Each column by table and name, with its type, and whether an insert has to name it. */
  columns: Map<string, string>
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
    columns: await select(
      `select c.relname || '.' || a.attname as key, format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull and not a.atthasdef and a.attidentity = '' then ', required' else '' end as value
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attnum > 0 and not a.attisdropped`,
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

/** What takes something from nodes that do not know of it: a column that they read or write, or leave out. */
function breaksBetween(before: Catalog, after: Catalog): string[] {
  const gone = [...before.columns.keys()].filter((column) => !after.columns.has(column))
  const changed = [...after.columns]
    .filter(([column, now]) => {
      const former = before.columns.get(column)
      return (
        former !== undefined &&
        former !== now &&
        `${former}, required` !== now &&
        `${now}, required` !== former
      )
    })
    .map(([column]) => column)
  const required = [...after.columns]
    .filter(
      ([column, now]) =>
        now.endsWith(', required') &&
        !before.columns.get(column)?.endsWith(', required') &&
        before.files.has(column.split('.')[0]!),
    )
    .map(([column]) => column)
  return [
    ...gone.map((column) => `${column} is gone`),
    ...changed.map((column) => `${column} has another type`),
    ...required.map((column) => `${column} has to be given`),
  ].sort()
}
