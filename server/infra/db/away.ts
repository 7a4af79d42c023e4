/** The database is unreachable, noticed otherwise than by a lost connection. */
export class DatabaseAway extends Error {}

/** A session that would not act as the role that guards the audit log, or could write where only reading is meant. */
export class UnguardedSession extends Error {}

/** What took longer than anybody waits for it. The database is well. */
export class TooSlow extends Error {}

/** The same of a read, which might find its answer sooner if less was asked. */
export class ReadTooSlow extends TooSlow {}

/** A replica lacks something that the reader has to see. */
export class ReplicaBehind extends Error {}

/**
 * Connection refused, broken or shutting down: PostgreSQL classes 08 and 57P, what the socket says and, where there is
 * no code, what the driver says. Whatever it was that failed can be tried again.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true
  const { code = '', message = '', syscall, cause } = error as Failure
  return (
    /^(08|57P|ECONN|EPIPE|ETIMEDOUT)/.test(String(code)) ||
    // The socket of a database on this machine is a file, which is gone while the database is.
    (code === 'ENOENT' && syscall === 'connect') ||
    said.test(message) ||
    (cause instanceof Error && isDatabaseAway(cause))
  )
}

/**
 * A connection that was made broke, as all do when PostgreSQL restarts. A read is then asked again on another one;
 * where a connection could not be made, or was silent, that would only double the wait.
 */
export function hasBroken(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as Failure
  return /^(57P0[12]|ECONNRESET|EPIPE)$/.test(code) || message === 'Connection terminated unexpectedly'
}

/** PostgreSQL answered, and the answer is about the statement: the connection is well. */
export const isOfStatement = (error: Error & { code?: string; severity?: string }): boolean =>
  error.severity === 'ERROR' && !error.code?.startsWith('57P')

/** PostgreSQL ended the statement because its time was over. */
export const isCancelled = (error: unknown): boolean => (error as Failure).code === '57014'

/** Every connection of a pool was in use by others for as long as one was waited for. */
const isQueueTooLong = (error: unknown): boolean =>
  (error as Failure).message?.startsWith('timeout exceeded when trying to connect') ?? false

/**
 * A statement, or the wait for a connection, took too long, also where another error wraps that one. It is not
 * that the database is away, though a cause may read so.
 */
export function isTooSlow(error: unknown): boolean {
  if (error instanceof TooSlow || isCancelled(error) || isQueueTooLong(error)) return true
  const { cause } = error as Failure
  return cause instanceof Error && isTooSlow(cause)
}

/** Throws what a statement failed with, by its name if that is that it took too long. */
export function throwTooSlow(error: unknown): never {
  if (isCancelled(error) || isQueueTooLong(error))
    throw new TooSlow('The statement took too long.', { cause: error })
  throw error
}

/** Throws what a connection could not be had for: all of them were taken by reads that take as long. */
export function refuseQueue(error: unknown): never {
  if (!isQueueTooLong(error)) throw error
  throw new ReadTooSlow('Other slow reads came first.', { cause: error })
}

type Failure = Partial<Error & { code: string; syscall: string }>

const said =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired)/
