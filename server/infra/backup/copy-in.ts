import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import { DatabaseClient } from '../db/client.ts'
import { endQuietly } from '../db/end-quietly.ts'
import { migrateTo, refuseUnknownMigrations, unfinishedRestore } from '../db/migrate.ts'
import { breakOff, patience } from '../db/timeouts.ts'
import {
  checkedContents,
  type DatabaseEnd,
  type DatabaseManifest,
  endName,
  readJson,
  readManifest,
  type TableShape,
  Tally,
  tableOf,
} from './contents.ts'
import { copied, named, ourSchema, quoted, sameWords, type Taken, tablesIn } from './copy-out.ts'
import { BrokenArchive, type TarEntry } from './tar.ts'

/** It is not empty, and what is in there might be needed. */
export class NotEmpty extends Error {}

/**
 * Fills an empty database: the migrations of the time of the backup make its schema, and COPY the rows, all of them in
 * one transaction. Every row is then read back and compared with what was written. The database counts as unfinished
 * until `finishRestore`.
 */
export async function copyIn(connection: pg.ClientConfig, entries: AsyncIterable<TarEntry>): Promise<Taken> {
  const client = new DatabaseClient({ ...connection, ...patience, application_name: 'signalbox restore' })
  client.on('error', () => {})
  try {
    await client.connect()
    await refuseUnlessEmpty(client)
    const contents = checkedContents(entries)
    const first = await contents.next()
    if (first.done) throw new BrokenArchive('The file is not a backup of Signalbox.')
    const manifest = readManifest(first.value, 'database') as DatabaseManifest
    await refuseUnknownMigrations(manifest.migrations)
    await client.query(sameWords)
    const begin = () => client.query(`create table ${unfinishedRestore} ()`)
    await migrateTo({ client, connection }, manifest.migrations, begin)
    await client.query('begin')
    const end = await fill(client, manifest, contents)
    await client.query('commit')
    await client.query('analyze')
    await endQuietly(client)
    return { manifest, end }
  } catch (error) {
    // It may be in the middle of a copy, and would not take its leave.
    breakOff(client)
    throw error
  }
}

/** From here on it is a database like every other. */
export async function finishRestore(connection: pg.ClientConfig): Promise<void> {
  const client = new DatabaseClient({ ...connection, ...patience, application_name: 'signalbox restore' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`drop table if exists ${unfinishedRestore}`)
  } finally {
    await endQuietly(client)
  }
}

async function refuseUnlessEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('${ourSchema}', 'jobs') and c.relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by c.relname = '${unfinishedRestore}' desc, c.relname
    limit 1`)
  if (rows[0]?.name === unfinishedRestore)
    throw new NotEmpty(
      'An earlier restore into this database did not finish. Drop the database, create it again, and restore again.',
    )
  if (rows[0])
    throw new NotEmpty(
      `The database is not empty: it has a table ${rows[0].name}. Restore into a new database, so that nothing is overwritten.`,
    )
}

async function fill(
  client: pg.Client,
  manifest: DatabaseManifest,
  contents: AsyncIterable<TarEntry>,
): Promise<DatabaseEnd> {
  const putBack = await liftConstraints(client)
  await makePartitions(client, manifest.tables)
  await refuseOtherTables(client, manifest.tables)
  await emptyTables(client)
  const end = await load(client, manifest.tables, contents)
  await compareWithWritten(client, manifest.tables, end)
  for (const [name, last] of Object.entries(end.sequences))
    await client.query('select setval($1::regclass, $2::bigint)', [named(name), last])
  // A reference that leads nowhere is refused here.
  await putBack()
  return end
}

/**
 * References are checked when all is there, and triggers would refuse to empty a log that only grows. Takes no more than
 * owning the tables. Returns what puts everything back as it was.
 */
async function liftConstraints(client: pg.Client): Promise<() => Promise<void>> {
  const { rows: references } = await client.query<{ on: string; name: string; text: string }>(`
    select conrelid::regclass::text as on, conname as name, pg_get_constraintdef(oid) as text from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = '${ourSchema}'::regnamespace`)
  const triggers = await triggersIn(client)
  for (const { on, name } of references)
    await client.query(`alter table ${on} drop constraint ${quoted(name)}`)
  for (const { on } of triggers) await client.query(`alter table only ${on} disable trigger user`)
  return async () => {
    const before = new Map(triggers.map(({ on, name, mode }) => [`${on} ${name}`, mode]))
    for (const { on, name, mode, parent } of await triggersIn(client)) {
      // Those of new parts are as those of their table, which the table has for all of them.
      const wanted = before.get(`${on} ${name}`) ?? before.get(`${parent} ${name}`) ?? mode
      await client.query(`alter table only ${on} ${enabling[wanted]} trigger ${quoted(name)}`)
    }
    for (const { on, name, text } of references)
      await client.query(`alter table ${on} add constraint ${quoted(name)} ${text}`)
  }
}

const enabling = { O: 'enable', A: 'enable always', R: 'enable replica', D: 'disable' } as const

interface Trigger {
  on: string
  /** The table that this one is a part of. */
  parent: string | null
  name: string
  mode: keyof typeof enabling
}

async function triggersIn(client: pg.Client): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(`
    select t.tgrelid::regclass::text as on, i.inhparent::regclass::text as parent, t.tgname as name,
      t.tgenabled as mode
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    left join pg_inherits i on i.inhrelid = c.oid
    where not t.tgisinternal and c.relnamespace = '${ourSchema}'::regnamespace`)
  return rows
}

/** Migrations cut tables by the month in which they run; the backup has the months that were. */
async function makePartitions(client: pg.Client, wanted: readonly TableShape[]): Promise<void> {
  for (const { name, partition } of await tablesIn(client))
    if (partition) await client.query(`drop table ${named(name)}`)
  for (const { name, partition } of wanted) {
    if (!partition) continue
    if (!/^FOR VALUES FROM \([^;()]*\) TO \([^;()]*\)$/.test(partition.bounds))
      throw new BrokenArchive(`The backup is damaged: the bounds of ${name} cannot be read.`)
    await client.query(`create table ${named(name)} partition of ${named(partition.of)} ${partition.bounds}`)
    const { rows } = await client.query(
      `select from pg_trigger where tgrelid = $1::regclass and tgname = 'append_only_table'`,
      [named(partition.of)],
    )
    // A trigger for whole statements is not handed on to parts.
    if (rows.length > 0) {
      await client.query('select guard_append_only($1::regclass)', [named(name)])
      await client.query(`alter table only ${named(name)} disable trigger user`)
    }
  }
}

async function refuseOtherTables(client: pg.Client, wanted: readonly TableShape[]): Promise<void> {
  const there = new Set((await tablesIn(client)).map(({ name }) => name))
  const unknown = wanted.find(({ name }) => !there.has(name))
  if (unknown)
    throw new BrokenArchive(`The backup has a table ${unknown.name}, which its migrations do not create.`)
}

/** Migrations write rows of their own. */
async function emptyTables(client: pg.Client): Promise<void> {
  const ours = (await tablesIn(client))
    .map(({ name }) => name)
    .filter((name) => name !== 'migrations' && name !== unfinishedRestore)
  await client.query(`truncate ${ours.map(named).join(', ')}`)
}

async function load(
  client: pg.Client,
  tables: readonly TableShape[],
  contents: AsyncIterable<TarEntry>,
): Promise<DatabaseEnd> {
  const known = new Map(tables.map((table) => [table.name, table]))
  let filling: Filling | undefined
  let current: string | null = null
  let end: DatabaseEnd | undefined
  for await (const entry of contents) {
    const table = tableOf(entry.name)
    if (table !== current) {
      await filling?.end()
      filling = table === null ? undefined : new Filling(client, table, known.get(table))
      current = table
    }
    await filling?.write(entry.bytes)
    if (entry.name === endName) end = readJson(entry)
  }
  return end!
}

/** Rows on their way into a table. */
class Filling {
  readonly #into: CopyStreamQuery
  readonly #done: Promise<void>

  constructor(client: pg.Client, table: string, shape: TableShape | undefined) {
    if (!shape) throw new BrokenArchive(`The backup is damaged: it does not say what ${table} is.`)
    const columns = shape.columns.map(quoted).join(', ')
    this.#into = client.query(copyFrom(`copy ${named(table)} (${columns}) from stdin`))
    this.#done = finished(this.#into)
    // Heard where it is waited for.
    this.#done.catch(() => {})
  }

  async write(bytes: Buffer): Promise<void> {
    if (!this.#into.write(bytes)) await Promise.race([once(this.#into, 'drain'), this.#done])
  }

  async end(): Promise<void> {
    this.#into.end()
    await this.#done
  }
}

/** Read back from the tables, the rows have the hash that they had where they came from. */
async function compareWithWritten(
  client: pg.Client,
  tables: readonly TableShape[],
  end: DatabaseEnd,
): Promise<void> {
  const tally = new Tally()
  for (const table of tables) for await (const chunk of copied(client, table)) tally.add(table.name, chunk)
  const found = tally.of(tables.map(({ name }) => name))
  for (const { name } of tables) {
    const [there, written] = [found[name]!, end.tables[name]!]
    if (there.rows !== written.rows || there.sha256 !== written.sha256)
      throw new Error(
        `Table ${name} has ${there.rows} rows after the restore, which do not match the ${written.rows} in the backup.`,
      )
  }
}
