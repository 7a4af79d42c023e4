import { ApiError, ConnectionError } from '@signalbox/client'
import { writeAnswer } from '@signalbox/contract/command-line.ts'
import { certificateRemedy } from './certificate-remedy.ts'
import { CommandError } from './command-error.ts'
import { peopleExitCodes } from './exit-codes.ts'

/** Runs a command of people: what the server refuses is told in its own sentence, anything unexpected with its stack. */
export async function reportingErrors(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    writeAnswer({ exitCode: exitCodeOf(error), stdout: '', stderr: `${sentenceOf(error)}\n` })
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 401)
    return `${error.message} Sign in with: signalbox login`
  if (error instanceof ConnectionError) {
    const remedy = certificateRemedy(error)
    return remedy === null ? error.message : `${withoutReason(error.message)} ${remedy}`
  }
  if (error instanceof ApiError || error instanceof CommandError) return error.message
  return (error as Error).stack ?? String(error)
}

/** The code that the client ends its sentence with is in the remedy as well. */
const withoutReason = (message: string) => message.replace(/: [A-Z_]+\.$/, '.')

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof ConnectionError) return peopleExitCodes.unavailable
  return error instanceof ApiError ? codeOfStatus(error.status) : peopleExitCodes.failed
}

function codeOfStatus(status: number): number {
  if (status === 401) return peopleExitCodes.notSignedIn
  if (status === 403) return peopleExitCodes.forbidden
  if (status === 404) return peopleExitCodes.notFound
  if (status === 409) return peopleExitCodes.conflict
  return status === 429 || status >= 500 ? peopleExitCodes.unavailable : peopleExitCodes.failed
}
