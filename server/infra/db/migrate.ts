import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { appRole } from './db.ts'
import { endQuietly } from './end-quietly.ts'
import { installJobs } from './install-jobs.ts'
import { patience } from './timeouts.ts'

export class MigrationError extends Error {}

/** What the database notes of a migration. */
export interface Applied {
  number: number
  name: string
  checksum: string
}

interface Migration extends Applied {
  text: string
}

const folder = path.join(import.meta.dirname, '..', '..', 'migrations')
const migrationLock = 4401
const migrationsTable = `
  create table if not exists migrations (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`

/**
 * Brings the database to the shape this code expects. Safe to run from several nodes at once.
 * Returns whether the server can act as the restricted role.
 */
export async function migrate(
  connection: pg.ClientConfig,
  log: (line: string) => void = () => {},
  { isRestoring = false } = {},
): Promise<{ appRole: boolean }> {
  const client = new pg.Client({ ...connection, ...patience, application_name: 'signalbox migrate' })
  // Between two statements nothing listens for errors, and an unhandled one ends the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const { rows } = await client.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    )
    refuseOldServer(rows[0]!.version)
    if (!isRestoring) await refuseUnfinishedRestore(client)
    await client.query(migrationsTable)
    const known = await readMigrations()
    const { rows: applied } = await client.query<Applied>(
      'select number, name, checksum from migrations order by number',
    )
    refuseDrift(known, applied)
    for (const migration of known.slice(applied.length)) {
      await apply(client, migration)
      log(`migrated the database: ${migration.name}`)
    }
    await client.query(await readFile(path.join(folder, 'search.sql'), 'utf8'))
    await installJobs(connection)
    return { appRole: await grant(client) }
  } finally {
    await endQuietly(client)
  }
}

/** A table that is there from the beginning of a restore to its end: until then nothing else may use the database. */
export const unfinishedRestore = 'restore_unfinished'

async function refuseUnfinishedRestore(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ found: string | null }>('select to_regclass($1) as found', [
    `public.${unfinishedRestore}`,
  ])
  if (rows[0]!.found !== null)
    throw new MigrationError(
      'A restore into this database did not finish. Drop the database, or delete the data folder, and restore again.',
    )
}

/** Makes the schema that these migrations made elsewhere, in an empty database. `begin` is called before the first. */
export async function migrateTo(
  client: pg.Client,
  applied: Applied[],
  begin: () => Promise<unknown>,
): Promise<void> {
  const known = await readMigrations()
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  refuseOldServer(rows[0]!.version)
  refuseDrift(known, applied, 'backup')
  await client.query('select pg_advisory_lock($1)', [migrationLock])
  await begin()
  await client.query(migrationsTable)
  for (const migration of known.slice(0, applied.length)) await apply(client, migration)
}

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const text = await readFile(path.join(folder, name), 'utf8')
      const number = Number(name.slice(0, 4))
      if (number !== index + 1) throw new MigrationError(`Migration ${name} is out of sequence.`)
      return { number, name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** The number of the last one that this code knows. */
export const newestMigration = async (): Promise<number> => (await readMigrations()).length

function refuseDrift(known: Migration[], applied: Applied[], what = 'database'): void {
  if (applied.length > known.length) {
    const newest = applied.at(-1)
    throw new MigrationError(
      `The ${what} is newer than this version of Signalbox: it has migration ${newest?.name}, this version knows ${known.length}. Update Signalbox, or restore a backup made with this version.`,
    )
  }
  for (const [index, row] of applied.entries()) {
    if (known[index]?.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.name} was changed after it had been applied. Migrations are never edited; restore the file.`,
      )
    }
  }
}

const oldestServer = 15

/** Checked first: a migration would fail with an unhelpful message. */
export function refuseOldServer(version: string): void {
  if (Number.parseInt(version, 10) >= oldestServer) return
  throw new MigrationError(
    `The database runs PostgreSQL ${version}, and Signalbox needs ${oldestServer} or later. Upgrade PostgreSQL, or set DATABASE_URL to a newer server.`,
  )
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.text)
    await client.query('insert into migrations (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback').catch(() => {})
    throw new MigrationError(`Migration ${migration.name} failed: ${(cause as Error).message}`, { cause })
  }
}

/** The restricted role needs the right to create roles once; without it the triggers alone guard the log. */
async function grant(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`
      do $$ begin
        if not exists (select from pg_roles where rolname = '${appRole}') then
          create role ${appRole} nologin;
        end if;
      exception when duplicate_object or unique_violation then null;
      end $$`)
    await client.query(`
      do $$ begin
        if not pg_has_role(current_user, '${appRole}', 'member') then
          execute format('grant ${appRole} to %I', current_user);
        end if;
      end $$`)
  } catch (error) {
    if ((error as { code?: string }).code === '42501') return false
    throw error
  }
  await client.query(await readFile(path.join(folder, 'grants.sql'), 'utf8'))
  return true
}
