/** An error that its message explains, so no stack trace is printed. */
export class ExitError extends Error {
  /** What the process ends with. */
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Documented in docs/manual/runner.md: supervisors act on them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, revoked: 4, upgrade: 5 } as const
