import type pg from 'pg'
import { UnguardedSession } from './away.ts'
import { endQuietly } from './end-quietly.ts'
import { patience, streamOf } from './timeouts.ts'

/** What a session is set to before anything else is asked on it. */
export interface SessionSettings {
  /** Whom it acts as; null leaves it to the login. */
  role: string | null
  readOnly: boolean
  /** Beyond that, by their names in PostgreSQL. */
  others: Readonly<Record<string, string>>
}

const setAll = `select set_config(name, value, false) from unnest($1::text[], $2::text[]) as settings (name, value)`
const askBack = `select current_user::text as role, current_setting('transaction_read_only') = 'on' as "readOnly"`

/**
 * Sets a new session by statements, and asks it whether they have taken. Startup parameters would be quicker, but
 * `options` in DATABASE_URL replaces ours, and poolers drop or refuse those they do not know: the session would then act
 * as the owner of everything, without a word.
 */
export async function setUpSession(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  // The driver's own limit ends with the login.
  const late = () => streamOf(client).destroy(new Error('timeout expired'))
  const timer = setTimeout(late, patience.connectionTimeoutMillis)
  try {
    const named = Object.entries(allOf(settings))
    await client
      .query(setAll, [named.map(([name]) => name), named.map(([, value]) => value)])
      .catch((error) => refuseRole(error, settings))
    const { rows } = await client.query<Found>(askBack)
    refuseUnguarded(settings, rows[0]!)
  } catch (error) {
    void endQuietly(client as pg.Client)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const allOf = ({ role, readOnly, others }: SessionSettings): Record<string, string> => ({
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
  'Something between Signalbox and PostgreSQL does not keep the settings of a session. Connect directly, or through PgBouncer with pool_mode = session.'
