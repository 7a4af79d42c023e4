import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { DatabaseClient } from '../db/client.ts'
import { endQuietly } from '../db/end-quietly.ts'
import { readApplied } from '../db/migrate.ts'
import { breakOff, patience } from '../db/timeouts.ts'
import {
  type DatabaseEnd,
  type DatabaseManifest,
  endName,
  jsonEntry,
  type Manifest,
  manifestName,
  piecesOf,
  type TableShape,
  Tally,
} from './contents.ts'
import type { TarEntry } from './tar.ts'

/** One way to write each value, whatever the database is set to, and rows in the order in which they are stored. */
export const sameWords = `
  set client_encoding = 'UTF8'; set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set synchronize_seqscans = off; set row_security = off;
  set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`

/** Where everything of ours is. Jobs have a schema of their own, and are made again from what is here. */
export const ourSchema = 'public'

export interface Taken {
  manifest: DatabaseManifest
  end: DatabaseEnd
}

export interface CopyOutOptions {
  about: Pick<Manifest, 'id' | 'version'>
  /** Tables whose rows are of the moment; they are empty in the backup. */
  leaveOut: readonly string[]
}

/**
 * Hands over all rows as they are at one moment, while others go on writing: each table by COPY, in one transaction that
 * sees what was committed when it began. Reads as the owner, and can write nothing.
 */
export async function copyOut<T>(
  connection: pg.ClientConfig,
  { about, leaveOut }: CopyOutOptions,
  use: (entries: AsyncIterable<TarEntry>) => Promise<T>,
): Promise<{ taken: Taken; used: T }> {
  const client = new DatabaseClient({ ...connection, ...patience, application_name: 'signalbox backup' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sameWords)
    await client.query('begin isolation level repeatable read read only')
    const manifest = await describe(client, about, leaveOut)
    const end: DatabaseEnd = { tables: {}, sequences: {} }
    const used = await use(entriesOf(client, manifest, end))
    await client.query('commit')
    await endQuietly(client)
    return { taken: { manifest, end }, used }
  } catch (error) {
    // In the middle of a copy it would not take its leave, and go on holding what it reads.
    breakOff(client)
    throw error
  }
}

async function describe(
  client: pg.Client,
  about: CopyOutOptions['about'],
  leaveOut: readonly string[],
): Promise<DatabaseManifest> {
  // The first statement is what the transaction sees from then on.
  const { rows: found } = await client.query<{ at: Date; version: string; known: boolean }>(`
    select now() as at, current_setting('server_version') as version,
      to_regclass('${ourSchema}.migrations') is not null and to_regclass('${ourSchema}.instance') is not null as known`)
  const { at, version, known } = found[0]!
  if (!known) throw new NothingToBackUp('The database is empty: there is nothing to back up.')
  const tables = (await tablesIn(client)).filter(({ name }) => !leaveOut.includes(name))
  // Taken at once, so that no change of the schema comes between; a table that was rewritten would look empty.
  await client.query(`lock table ${tables.map(({ name }) => named(name)).join(', ')} in access share mode`)
  const { rows: instance } = await client.query<{ fingerprint: string }>(
    'select secret_fingerprint as fingerprint from instance',
  )
  const migrations = await readApplied(client)
  return {
    format: 1,
    part: 'database',
    ...about,
    takenAt: at.toISOString(),
    fingerprint: instance[0]?.fingerprint ?? '',
    postgres: version,
    migrations,
    tables,
  }
}

export class NothingToBackUp extends Error {}

/** Those that hold rows: of a table that is cut in parts, its parts. */
export async function tablesIn(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(`
    select c.relname as name, (
        select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      ) as columns,
      case when c.relispartition then (
        select json_build_object('of', parent.relname, 'bounds', pg_get_expr(c.relpartbound, c.oid))
        from pg_inherits i join pg_class parent on parent.oid = i.inhparent where i.inhrelid = c.oid
      ) end as partition
    from pg_class c
    where c.relnamespace = '${ourSchema}'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
    order by c.relname`)
  return rows
}

async function* entriesOf(
  client: pg.Client,
  manifest: DatabaseManifest,
  end: DatabaseEnd,
): AsyncGenerator<TarEntry> {
  yield jsonEntry(manifestName, manifest)
  const tally = new Tally()
  for (const table of manifest.tables) {
    for await (const piece of piecesOf(`data/${table.name}`, 'copy', copied(client, table))) {
      tally.add(table.name, piece.bytes)
      yield piece
    }
  }
  end.tables = tally.of(manifest.tables.map(({ name }) => name))
  // They count on outside of transactions: read last, none is behind the rows.
  const { rows } = await client.query<{ name: string; last: string }>(`
    select sequencename as name, coalesce(last_value, start_value)::text as last from pg_sequences
    where schemaname = '${ourSchema}'`)
  end.sequences = Object.fromEntries(rows.map(({ name, last }) => [name, last]))
  yield jsonEntry(endName, end)
}

/** The rows of a table as COPY writes them. */
export const copied = (client: pg.Client, { name, columns }: TableShape): AsyncIterable<Buffer> =>
  client.query(copyTo(`copy ${named(name)} (${columns.map(quoted).join(', ')}) to stdout`))

export const named = (table: string): string => `${ourSchema}.${quoted(table)}`
export const quoted = (name: string): string => pg.escapeIdentifier(name)
