import { exitCodes, writeAnswer } from '@signalbox/contract/command-line.ts'
import { ConfigError, folderSettingOf } from '../app/config.ts'
import { CannotListen } from '../app/explain-listen-error.ts'
import { StorageError } from '../app/storage.ts'
import { DomainError } from '../domain/errors.ts'
import { CannotDecrypt } from '../infra/backup/age.ts'
import { NotEmpty } from '../infra/backup/copy-in.ts'
import { NothingToBackUp } from '../infra/backup/copy-out.ts'
import { BrokenArchive } from '../infra/backup/tar.ts'
import { isDatabaseAway, TooSlow, UnguardedSession } from '../infra/db/away.ts'
import { EmbeddedDatabaseError } from '../infra/db/embedded.ts'
import { MigrationError } from '../infra/db/migration-files.ts'
import { DamagedSecret } from '../infra/db/secret-file.ts'
import { WorkerFailed } from '../infra/workers.ts'
import { Stopped } from './until-stopped.ts'
import { UsageError } from './usage-error.ts'

/** Runs a command. A mistake that a sentence explains ends it with that sentence; anything else needs its stack. */
export async function orExplain(command: Promise<void>): Promise<void> {
  try {
    await command
  } catch (error) {
    if (wasStopped(error)) return
    const isMistake = error instanceof UsageError || error instanceof ConfigError
    writeAnswer({
      exitCode: isMistake ? exitCodes.usage : exitCodes.failed,
      stdout: '',
      stderr: `${explanationOf(error)}\n`,
    })
  }
}

/** By a signal, before it had begun to serve. */
const wasStopped = (error: unknown): boolean =>
  error instanceof Stopped || (error instanceof Error && error.cause instanceof Stopped)

export const explanationOf = (error: unknown): string => {
  const { says, remedy } = explainFailure(error)
  return remedy === null ? says : `${says} ${remedy}`
}

/** What went wrong and, where that is not in the same sentences, what to do about it. */
export interface Explained {
  says: string
  remedy: string | null
}

export const explainFailure = (error: unknown): Explained =>
  withRemedy(error) ?? {
    says: (isExpected(error) ? (error as Error).message : (error as Error).stack) ?? String(error),
    remedy: null,
  }

/** What the database or the system says in its own words, with what to do about it. */
function withRemedy(error: unknown): Explained | undefined {
  const { code = '', cause, syscall } = error as Failure
  const message = said(error as Failure)
  if (error instanceof TooSlow) return { says: 'The database took too long to answer.', remedy: tooSlow }
  if (error instanceof CannotListen || error instanceof DomainError) return undefined
  const remedy = remedies.find(([codes]) => codes.test(String(code)))?.[1]
  if (remedy) return { says: `${message}.`, remedy }
  // The socket of a database on this machine is a file.
  if (code === 'ENOENT' && syscall === 'connect') return { says: `${message}.`, remedy: notStarted }
  const [, says, advice] = ofTheDriver.find(([words]) => words.test(message)) ?? []
  if (says) return { says, remedy: advice! }
  if (code && fileCodes.test(String(code)))
    return { says: `${message}.`, remedy: remedyOfFile(error as Failure) }
  if (isExpected(error)) return cause instanceof Error && isPassedOn(error) ? withRemedy(cause) : undefined
  // PostgreSQL, or a pooler, ends the session with it: about what was asked of it, it says ERROR. 57P is of a shutdown.
  if ((error as Failure).severity === 'FATAL' && !String(code).startsWith('57P'))
    return {
      says: `The database refused the connection: ${message}.`,
      remedy: 'Check DATABASE_URL, and the log of PostgreSQL or of the pooler.',
    }
  if (isDatabaseAway(error)) return { says: `${message || code}.`, remedy: unreachable }
  return undefined
}

type Failure = Partial<
  Error & { code: string; cause: unknown; path: string; severity: string; syscall: string }
>

const said = ({ message = '' }: Failure): string => message.split(adviceOfNode)[0]!.replace(/\.$/, '')

const isPassedOn = (error: unknown): boolean => error instanceof MigrationError

const notStarted = 'Start PostgreSQL, or check host and port in DATABASE_URL.'
const unreachable =
  'Start PostgreSQL, or check host and port in DATABASE_URL, and the firewall on the way to it.'

const tooSlow =
  'If this happens again, look at what the database is busy with, and raise DATABASE_STATEMENT_SECONDS, or statement_timeout if it is set for the user or the database.'

/** What the driver has no code for. */
const ofTheDriver: [words: RegExp, says: string, remedy: string][] = [
  [
    /^The server does not support SSL connections/,
    'The database does not offer TLS, which sslmode in DATABASE_URL asks for.',
    'Turn on ssl in PostgreSQL, or set sslmode=disable.',
  ],
  [
    /client password must be a/,
    'The database asks for a password, and DATABASE_URL has none.',
    'Add it, as in postgres://USER:PASSWORD@HOST:5432/NAME.',
  ],
  [
    /^no PostgreSQL user name specified/,
    'DATABASE_URL has no user.',
    'Add it, as in postgres://USER:PASSWORD@HOST:5432/NAME.',
  ],
  [/^timeout expired/, 'The database did not answer in time.', unreachable],
  [
    /^(Connection terminated|There was an error establishing an SSL connection)/,
    'What is at the host and port in DATABASE_URL closed the connection.',
    'Check that PostgreSQL is there, that it is running, and that nothing on the way ends connections.',
  ],
]

/** What the system says of files and folders. What is not there needs no explanation: the caller named it. */
const fileCodes =
  /^(EACCES|EBUSY|EDQUOT|EEXIST|EIO|EISDIR|ELOOP|EMFILE|ENAMETOOLONG|ENFILE|ENOSPC|ENOTDIR|EPERM|EROFS)$/

function remedyOfFile({ code = '', path }: Failure): string {
  if (/^E[MN]FILE$/.test(code)) return 'Allow this process more open files (ulimit -n, or LimitNOFILE=).'
  if (/^(ENOSPC|EDQUOT)$/.test(code)) return 'Free some space on the disk, or enlarge it.'
  const setting = path ? folderSettingOf(path, process.env) : null
  return setting
    ? `Let this account read and write everything in ${setting}, or set ${setting} to a folder that it can create and write to.`
    : 'Check that this account can use it, or name another.'
}

/** Meant for those who start Node themselves; ours is sslrootcert. */
const adviceOfNode = '; if the root CA is installed locally'

const remedies: [codes: RegExp, remedy: string][] = [
  [
    /^42501$/,
    'The user in DATABASE_URL must own the database, or be allowed to create tables and schemas in it: alter database NAME owner to USER.',
  ],
  [
    /^28000$/,
    'Have pg_hba.conf of PostgreSQL allow this user from this machine. If it does so over TLS only (hostssl), add sslmode=verify-full to DATABASE_URL.',
  ],
  [
    /^28P01$/,
    'Check user and password in DATABASE_URL. Characters such as @, / and % in a password have to be percent-encoded.',
  ],
  [
    /^3D000$/,
    'Check its name in DATABASE_URL, or create it as a superuser: create database NAME owner USER.',
  ],
  [/^(ECONNREFUSED|ENOTFOUND)$/, notStarted],
  [
    /^25006$/,
    'The database is read-only, as a standby is. Set DATABASE_URL to the primary. If it is the primary, turn off default_transaction_read_only.',
  ],
  [
    /^3F000$/,
    'Signalbox stores its tables in the schema public. Create it, and let the user in DATABASE_URL use it: grant all on schema public to USER.',
  ],
  [/^53100$/, 'The disk of the database is full. Free some space there, or enlarge it.'],
  [
    /^53300$/,
    'PostgreSQL has no connections left. Lower DATABASE_CONNECTIONS on each node, or raise max_connections in PostgreSQL, or the connection limit of the user or database.',
  ],
  [/^(53|58|XX00[12])/, 'The database server is in trouble: look at its log and at its machine.'],
  [/^57014$/, tooSlow],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/,
    'The certificate of the database is from a private authority. Add sslrootcert=/path/to/ca.pem to DATABASE_URL.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the database is for another name. Use that name in DATABASE_URL, or have the certificate name this one.',
  ],
  [
    /^(ERR_OSSL_|ERR_SSL_)/,
    'Check TLS_CERT and TLS_KEY: both must be PEM files, without a passphrase, and belong together.',
  ],
]

function isExpected(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return (
    [
      ...[ConfigError, DomainError, EmbeddedDatabaseError, MigrationError, StorageError, UsageError],
      ...[CannotListen, DamagedSecret, UnguardedSession, WorkerFailed],
      ...[BrokenArchive, CannotDecrypt, NothingToBackUp, NotEmpty],
    ].some((kind) => error instanceof kind) ||
    ['EADDRINUSE', 'ENOENT'].includes(code) ||
    /^(28|3D)/.test(code)
  )
}
