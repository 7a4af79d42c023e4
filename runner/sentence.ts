/** A mistake that a sentence explains; whoever reads it needs no stack. */
export class Sentence extends Error {
  /** What the process ends with. */
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Also docs/manual/runner.md has them: whoever supervises a runner acts on them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, revoked: 4, upgrade: 5 } as const
