import { exitCodes, give } from '@signalbox/contract/command-line.ts'
import { ConfigError } from '../app/config.ts'
import { StorageError } from '../app/storage.ts'
import { DomainError } from '../domain/errors.ts'
import { EmbeddedDatabaseError } from '../infra/db/embedded.ts'
import { MigrationError } from '../infra/db/migrate.ts'
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
    give({
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
  (isExpected(error) ? (error as Error).message : (error as Error).stack) ?? String(error)

function isExpected(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return (
    [
      ...[ConfigError, DomainError, EmbeddedDatabaseError, MigrationError, StorageError, UsageError],
      WorkerFailed,
    ].some((kind) => error instanceof kind) ||
    ['EADDRINUSE', 'EACCES', 'ECONNREFUSED', 'ENOTFOUND', 'ENOENT'].includes(code) ||
    /^(28|3D)/.test(code)
  )
}
