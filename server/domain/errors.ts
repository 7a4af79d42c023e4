import type { ErrorCode } from '@signalbox/contract/error.ts'

/** The caller's mistake or misfortune, told to the caller. Anything else that is thrown is ours and is only logged. */
export class DomainError extends Error {
  readonly code: ErrorCode
  /** What a program is told beside it. */
  readonly beside: Record<string, unknown>

  constructor(code: ErrorCode, message: string, beside: Record<string, unknown> = {}) {
    super(message)
    this.code = code
    this.beside = beside
  }
}

type Missing = Extract<ErrorCode, `${string}_not_found`> extends `${infer Noun}_not_found` ? Noun : never

/** The same words whether a thing never existed or belongs to another workspace: the answer must not tell. */
export const notFound = (noun: Missing, key: string): DomainError =>
  new DomainError(`${noun}_not_found`, `There is no ${noun} \`${key}\` in this workspace.`)
