/** The command was called in a way that it does not understand: it ends with 2, and has looked at nothing. */
export class UsageError extends Error {}

/** What `read` returns; a mistake in the arguments is one of usage. */
export function orUsageError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
