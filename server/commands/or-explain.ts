import { exitCodes, writeAnswer } from '@signalbox/contract/command-line.ts'
import { ConfigError } from '../app/config.ts'
import { CannotListen } from '../app/explain-listen-error.ts'
import { StorageError } from '../app/storage.ts'
import { DomainError } from '../domain/errors.ts'
import { CannotDecrypt } from '../infra/backup/age.ts'
import { NotEmpty } from '../infra/backup/copy-in.ts'
import { NothingToBackUp } from '../infra/backup/copy-out.ts'
import { BrokenArchive } from '../infra/backup/tar.ts'
import { UnguardedSession } from '../infra/db/away.ts'
import { EmbeddedDatabaseError } from '../infra/db/embedded.ts'
import { MigrationError } from '../infra/db/migration-files.ts'
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

export const explanationOf = (error: unknown): string =>
  remedyOf(error) ?? (isExpected(error) ? (error as Error).message : (error as Error).stack) ?? String(error)

/** What the database or the system says in its own words, with what to do about it. */
function remedyOf(error: unknown): string | undefined {
  const { code = '', message, cause } = error as { code?: string; message?: string; cause?: unknown }
  const remedy = remedies.find(([codes]) => codes.test(String(code)))?.[1]
  if (remedy && !(error instanceof CannotListen)) return `${message}. ${remedy}`
  // The driver has no code for it.
  if (message === 'The server does not support SSL connections')
    return 'The database does not offer TLS, which sslmode in DATABASE_URL asks for. Turn on ssl in PostgreSQL, or set sslmode=disable.'
  return error instanceof MigrationError && cause instanceof Error ? remedyOf(cause) : undefined
}

const remedies: [codes: RegExp, remedy: string][] = [
  [
    /^42501$/,
    'The user in DATABASE_URL must own the database, or be allowed to create tables and schemas in it: alter database NAME owner to USER.',
  ],
  [/^25006$/, 'The database is read-only, as a standby is. Set DATABASE_URL to the primary.'],
  [
    /^53300$/,
    'PostgreSQL has no connection left. Lower DATABASE_CONNECTIONS, or raise max_connections in PostgreSQL.',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/,
    'The certificate of the database is from a private authority. Add sslrootcert=/path/to/ca.pem to DATABASE_URL.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the database is for another name. Use that name in DATABASE_URL, or have the certificate name this one.',
  ],
  [/^(ENOTDIR|EEXIST|EROFS)$/, 'Set DATA_DIR to a folder that this account can create and write to.'],
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
      ...[CannotListen, UnguardedSession, WorkerFailed],
      ...[BrokenArchive, CannotDecrypt, NothingToBackUp, NotEmpty],
    ].some((kind) => error instanceof kind) ||
    ['EADDRINUSE', 'EACCES', 'ECONNREFUSED', 'ENOTFOUND', 'ENOENT'].includes(code) ||
    /^(28|3D)/.test(code)
  )
}
