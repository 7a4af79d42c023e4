/** The database is unreachable, noticed otherwise than by a lost connection. */
export class DatabaseAway extends Error {}

/** A session that would not act as the role that guards the audit log, or could write where only reading is meant. */
export class UnguardedSession extends Error {}

/** A read that took longer than anybody waits for it. The database is well. */
export class TooSlow extends Error {}

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

type Failure = Partial<Error & { code: string; syscall: string }>

const said =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired)/
