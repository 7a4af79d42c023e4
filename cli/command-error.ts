import { peopleExitCodes } from './exit-codes.ts'

/** A sentence for the person who typed the command, and the code to end with. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, why: keyof typeof peopleExitCodes = 'failed') {
    super(message)
    this.exitCode = peopleExitCodes[why]
  }
}
