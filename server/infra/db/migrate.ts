import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseClient } from './client.ts'
import { appRole } from './db.ts'
import { endQuietly } from './end-quietly.ts'
import { installJobs } from './install-jobs.ts'
import {
  type Applied,
  contractedSince,
  isChecksumOf,
  type Migration,
  MigrationError,
  migrationsFolder,
  readMigrations,
} from './migration-files.ts'
import { prepareSearch } from './prepare-search.ts'
import { type Patience, patiently, runMigration, type Session, usualPatience } from './run-migration.ts'
import { plainSettings } from './session.ts'
import { patience } from './timeouts.ts'

const migrationLock = 4401
const lockAgainMs = 250

interface Options {
  log?: (line: string) => void
  /** What to apply; those beside the code unless told otherwise. */
  migrations?: Migration[]
  patience?: Patience
  /** The restore itself is what goes on. */
  isRestoring?: boolean
  /** Fails if this database is not for us, before anything in it is changed. Its schema may be older. */
  refuse?: (client: pg.Client) => Promise<void>
}

/**
 * Brings the database to the shape this code expects, or leaves one that is newer as it is where this code can work
 * beside it. Safe to run from several nodes at once. Returns whether the server can act as the restricted role, and what
 * a superuser has to run if it cannot.
 */
export async function migrate(
  connection: pg.ClientConfig,
  {
    log = () => {},
    migrations,
    patience: locks = usualPatience,
    isRestoring = false,
    refuse = async () => {},
  }: Options = {},
): Promise<{ appRole: true } | { appRole: false; missing: string }> {
  const client = connectionTo(connection)
  let lock: pg.Client | null = null
  try {
    await connectPlainly(client)
    lock = await lockMigrations(connection, log)
    refuseOldServer(await versionOf(client))
    if (!isRestoring) await refuseUnfinishedRestore(client)
    await refuseStrangeDatabase(client, log)
    await refuse(client)
    await makeTable(client)
    const known = migrations ?? (await readMigrations())
    const applied = await readApplied(client)
    refuseDrift(known, applied)
    if (applied.length > known.length) {
      log(
        `the database is newer than this version of Signalbox, which can still use it: it has migration ${applied.at(-1)!.name}, this version ends with ${known.at(-1)!.name}`,
      )
      // Its rights and its job queue are those of the newer version.
      return (await canBeAppRole(client)) ? { appRole: true } : await withoutRole(client)
    }
    for (const migration of known.slice(applied.length)) {
      await runMigration({ client, connection, log, patience: locks }, migration)
      // An empty one gets a line for all of them, below.
      if (applied.length > 0) log(`migrated the database: ${migration.name}`)
    }
    if (applied.length === 0) log(`made the tables of the database, with ${known.length} migrations`)
    const session = { client, connection, log, patience: locks }
    await prepareSearch(session)
    await installJobs(session)
    return (await grant(session)) ? { appRole: true } : await withoutRole(client)
  } finally {
    await Promise.all([endQuietly(client), lock && endQuietly(lock)])
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

function connectionTo(connection: pg.ClientConfig): pg.Client {
  const client = new DatabaseClient({ ...connection, ...patience, application_name: 'signalbox migrate' })
  // Between two statements nothing listens for errors, and an unhandled one ends the process.
  client.on('error', () => {})
  return client
}

/**
 * What holds for those who serve (session.ts), and no limit of time: what was set for the user or the database is meant
 * for short questions.
 */
export async function connectPlainly(client: pg.Client): Promise<void> {
  await client.connect()
  const settings = { ...plainSettings, statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
  await client.query(
    Object.entries(settings)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  )
}

/**
 * A database in which another program has tables is left as it is: we would write among them, and change those that are
 * called as ours are. One that is empty must be able to hold every character. SQL_ASCII takes the bytes of each as they are,
 * and counts those: it is enough, and said.
 */
export async function refuseStrangeDatabase(
  client: pg.Client,
  log: (line: string) => void = () => {},
): Promise<void> {
  const { rows } = await client.query<{ encoding: string; columns: string[]; table: string | null }>(`
    select current_setting('server_encoding') as encoding,
      array(
        select attname::text from pg_attribute
        where attrelid = to_regclass('public.migrations') and attnum > 0 and not attisdropped
      ) as columns,
      (
        select min(c.relname::text) from pg_class c
        where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p')
          and c.relname <> '${unfinishedRestore}' and not exists (
            select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
          )
      ) as table`)
  const { encoding, columns, table } = rows[0]!
  if (['number', 'name', 'checksum'].every((column) => columns.includes(column))) return
  if (table !== null)
    throw new MigrationError(
      `The database has tables of another program, such as ${table}, and Signalbox needs one of its own. Create it, and set DATABASE_URL to it: create database NAME owner USER.`,
    )
  const remedy = "create database NAME owner USER encoding 'UTF8' template template0"
  if (encoding === 'SQL_ASCII')
    log(
      `the database has the encoding SQL_ASCII: letters such as é are sorted and counted as bytes. A new one should have UTF8: ${remedy}`,
    )
  else if (encoding !== 'UTF8')
    throw new MigrationError(
      `The database has the encoding ${encoding}, which cannot store every character. Create it again: ${remedy}.`,
    )
}

/** Throws unless these are the first of the migrations that this version knows. */
export async function refuseUnknownMigrations(applied: Applied[]): Promise<void> {
  const known = await readMigrations()
  if (applied.length > known.length)
    throw new MigrationError(
      `The backup is newer than this version of Signalbox: it has migration ${applied.at(-1)!.name}, and this version ends with ${known.at(-1)!.name}. Restore it with the version that made it.`,
    )
  refuseDrift(known, applied)
}

/** Makes the schema that these migrations made elsewhere, in an empty database. `begin` is called before the first. */
export async function migrateTo(
  { client, connection }: { client: pg.Client; connection: pg.ClientConfig },
  applied: Applied[],
  begin: () => Promise<unknown>,
): Promise<void> {
  const known = await readMigrations()
  refuseOldServer(await versionOf(client))
  const lock = await lockMigrations(connection)
  try {
    await begin()
    await makeTable(client)
    const session = { client, connection, log: () => {}, patience: usualPatience }
    for (const migration of known.slice(0, applied.length)) await runMigration(session, migration)
  } finally {
    await endQuietly(lock)
  }
}

/** The number of the last one that this code knows. */
export const newestMigration = async (): Promise<number> => (await readMigrations()).length

/**
 * In a transaction of its own, which a pooler leaves with one session: whatever happens to it, the lock ends with it.
 * Asked for again and again instead of waited for: a statement that waits has a snapshot, and an index that is built
 * concurrently by the one that holds the lock would wait for that.
 */
async function lockMigrations(
  connection: pg.ClientConfig,
  log: (line: string) => void = () => {},
): Promise<pg.Client> {
  const lock = connectionTo(connection)
  try {
    await connectPlainly(lock)
    await lock.query('begin; set local idle_in_transaction_session_timeout = 0')
    for (let attempt = 0; !(await isLocked(lock)); attempt += 1) {
      if (attempt === 0) log('another node is migrating the database; this one waits for it')
      await sleep(lockAgainMs)
    }
    return lock
  } catch (error) {
    await endQuietly(lock)
    throw error
  }
}

/** Without parameters: what they are bound to keeps its snapshot to the end of the transaction. */
const isLocked = async (lock: pg.Client): Promise<boolean> =>
  (await lock.query<{ held: boolean }>(`select pg_try_advisory_xact_lock(${migrationLock}) as held`)).rows[0]!
    .held

async function makeTable(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
  // Releases up to 0.1.0 have made it without.
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'contract'`,
  )
  if (!rowCount) await client.query('alter table migrations add column contract integer not null default 0')
}

/** The oldest first. The table may be one of a release that noted less. */
export const readApplied = async (client: pg.Client): Promise<Applied[]> =>
  (
    await client.query<Applied>(
      `select number, name, checksum, coalesce((to_jsonb(m) ->> 'contract')::integer, 0) as contract
       from migrations m order by number`,
    )
  ).rows

export function refuseDrift(known: readonly Migration[], applied: readonly Applied[]): void {
  const contracted = contractedSince(known.length, applied)
  if (contracted)
    throw new MigrationError(
      `The database is newer than this version of Signalbox: it has migration ${contracted.name}, which only works with versions that know migration ${contracted.contract}, and this version ends with ${known.length}. Update Signalbox, or restore a backup made with this version.`,
    )
  for (const [index, { checksum, name }] of applied.slice(0, known.length).entries()) {
    if (!isChecksumOf(known[index]!, checksum)) {
      throw new MigrationError(
        `Migration ${name} was changed after it had been applied. Migrations are never edited; restore the file.`,
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

const versionOf = async (client: pg.Client): Promise<string> =>
  (await client.query<{ version: string }>(`select current_setting('server_version') as version`)).rows[0]!
    .version

async function canBeAppRole(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ can: boolean }>(
    `select coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = $1), false) as can`,
    [appRole],
  )
  return rows[0]!.can
}

async function withoutRole(client: pg.Client): Promise<{ appRole: false; missing: string }> {
  const { rows } = await client.query<{ missing: string }>(
    `select concat(case when to_regrole($1) is null then format('create role %I nologin; ', $1::text) end,
      format('grant %I to %I;', $1::text, current_user)) as missing`,
    [appRole],
  )
  return { appRole: false, missing: rows[0]!.missing }
}

/** The restricted role is made here by a user who can create roles, or beforehand by someone who can. */
async function grant(session: Session): Promise<boolean> {
  const { client } = session
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
  const rights = await readFile(path.join(migrationsFolder, 'grants.sql'), 'utf8')
  await patiently(session, 'of rights', () => client.query(rights))
  return true
}
