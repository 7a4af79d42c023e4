import pg from 'pg'
import { DatabaseAway, UnguardedSession } from './away.ts'
import { endQuietly } from './end-quietly.ts'
import { GuardedQuery } from './guarded-query.ts'
import { patience, streamOf } from './timeouts.ts'

/** What holds for everything that is asked on a connection. */
export interface SessionSettings {
  /** Whom it acts as; null leaves it to the login. */
  role: string | null
  readOnly: boolean
  /**
   * Whether a standby will not do. For a moment after a failover, a proxy may still lead to the former primary, which
   * refuses every write and tells what was true before.
   */
  onPrimary?: boolean
  /** Beyond that, by their names in PostgreSQL. */
  others: Readonly<Record<string, string>>
}

/**
 * How values are written and where names are looked for, whatever a user or a database was set to: a date in another
 * style would be read as no date at all. `search_path` is that of the functions in our migrations.
 */
export const plainSettings = {
  ...{ DateStyle: 'ISO, YMD', IntervalStyle: 'postgres', TimeZone: 'UTC', extra_float_digits: '1' },
  ...{ standard_conforming_strings: 'on', search_path: 'public' },
}

// Where a pooler is in between, the session is not ours to set: others have it next.
const setAll = `select set_config(name, value, pg_backend_pid() <> $3)
  from unnest($1::text[], $2::text[]) as settings (name, value)`
const askBack = `select current_user::text as role, current_setting('transaction_read_only') = 'on' as "readOnly",
  pg_backend_pid() as pid, pg_is_in_recovery() as "isStandby"`

/**
 * Sets a new session by statements, and asks it whether they have taken. Startup parameters would be quicker, but
 * `options` in DATABASE_URL replaces ours, and poolers drop or refuse those they do not know: the session would then act
 * as the owner of everything, without a word.
 *
 * Returns null where this is enough. Behind a pooler, which may give each transaction to another session, it returns the
 * statement that every transaction has to begin with.
 */
export async function setUpSession(client: pg.ClientBase, settings: SessionSettings): Promise<string | null> {
  // The driver's own limit ends with the login.
  const late = () => streamOf(client).destroy(new Error('timeout expired'))
  const timer = setTimeout(late, patience.connectionTimeoutMillis)
  try {
    const named = Object.entries(allOf(settings))
    const values = [named.map(([name]) => name), named.map(([, value]) => value), pidOf(client)]
    // As an object, which gets no name: behind a pooler, names are others' as well.
    await client.query({ text: setAll, values }).catch((error) => refuseRole(error, settings))
    const { rows } = await client.query<Found>(askBack)
    if (settings.onPrimary && rows[0]!.isStandby)
      throw new DatabaseAway('The database is a standby, which is read-only.')
    if (rows[0]!.pid === pidOf(client)) {
      refuseUnguarded(settings, rows[0]!)
      return null
    }
    const prologue = prologueOf(settings)
    refuseUnguarded(settings, await askBehind(client, prologue))
    return prologue
  } catch (error) {
    void endQuietly(client as pg.Client)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The number of the session. A pooler hands out numbers of its own. */
export const pidOf = (client: pg.ClientBase): number => (client as unknown as { processID: number }).processID

/** For the length of a transaction. */
function prologueOf({ readOnly, others, role }: SessionSettings): string {
  const local = {
    ...plainSettings,
    ...others,
    ...(readOnly ? { transaction_read_only: 'on' } : {}),
    ...(role ? { role } : {}),
  }
  const calls = Object.entries(local).map(
    ([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`,
  )
  return `select ${calls.join(', ')}`
}

function askBehind(client: pg.ClientBase, prologue: string): Promise<Found> {
  return new Promise((resolve, reject) => {
    const query = new GuardedQuery(prologue, { text: askBack })
    query.callback = (error, result) => (error ? reject(error) : resolve(result.rows[0] as Found))
    client.query(query as unknown as pg.Submittable)
  })
}

const allOf = ({ role, readOnly, others }: SessionSettings): Record<string, string> => ({
  ...plainSettings,
  ...others,
  ...(readOnly ? { default_transaction_read_only: 'on' } : {}),
  ...(role === null ? {} : { role }),
})

/** The role is not there, or may not be taken. */
function refuseRole(error: Error & { code?: string }, { role }: SessionSettings): never {
  if (error.code !== '22023' && error.code !== '42501') throw error
  throw new UnguardedSession(
    `The database does not let Signalbox act as ${role}, the role that cannot rewrite the audit log: ${error.message}. Restart Signalbox, which creates and grants the role, or grant it to the user in DATABASE_URL.`,
    { cause: error },
  )
}

interface Found {
  role: string
  readOnly: boolean
  pid: number
  isStandby: boolean
}

function refuseUnguarded(wanted: SessionSettings, found: Found): void {
  if (wanted.role !== null && found.role !== wanted.role)
    throw new UnguardedSession(
      `A database session acts as ${found.role} instead of ${wanted.role}, the role that cannot rewrite the audit log. ${remedy}`,
    )
  if (wanted.readOnly && !found.readOnly)
    throw new UnguardedSession(`A database session that is meant to read could write. ${remedy}`)
}

const remedy =
  'Something between Signalbox and PostgreSQL loses the settings of sessions, and does not look like a connection pooler. Connect directly, or through PgBouncer.'
