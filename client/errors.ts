import type { ErrorCode } from './openapi.ts'

/** What every error of this client is. */
export class SignalboxError extends Error {}

/** The server has answered, with an error. `code` is for programs, `message` for people. */
export class ApiError extends SignalboxError {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  /** Name it when you ask for help: it is in the server's log. */
  readonly requestId: string | null
  /** After how many seconds the server wants to be asked again, where it says so. */
  readonly retryAfterSeconds: number | null

  constructor(
    answer: Pick<ApiError, 'status' | 'code' | 'message' | 'requestId' | 'retryAfterSeconds'>,
    options?: ErrorOptions,
  ) {
    super(answer.message, options)
    this.status = answer.status
    this.code = answer.code
    this.requestId = answer.requestId
    this.retryAfterSeconds = answer.retryAfterSeconds
  }
}

/** There was no answer, or none of Signalbox. */
export class ConnectionError extends SignalboxError {
  override name = 'ConnectionError'
}

/** A webhook message that is not what the holder of the secret has sent just now. */
export class WebhookError extends SignalboxError {
  override name = 'WebhookError'
}
