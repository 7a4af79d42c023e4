/** Nobody answered, or only that it cannot be done just now: the same call may be made again. */
export class Unreachable extends Error {
  readonly retryAfterSeconds: number | null

  constructor(message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The server has understood and says no: the same call would be refused again. */
export class Refused extends Error {
  readonly status: number
  /** One of the server's error codes, if it gave one. */
  readonly code: string | null
  readonly retryAfterSeconds: number | null
  /** With a gap in numbers: which one is wanted. */
  readonly next: number | null
  /** With `stop` the order is not this runner's any more, whatever number is wanted. */
  readonly isStop: boolean

  constructor(
    message: string,
    told: {
      status: number
      code: string | null
      retryAfterSeconds: number | null
      next: number | null
      isStop?: boolean
    },
  ) {
    super(message)
    this.status = told.status
    this.code = told.code
    this.retryAfterSeconds = told.retryAfterSeconds
    this.next = told.next
    this.isStop = told.isStop ?? false
  }
}

/** The token no longer opens anything: whatever runs is stopped, and nothing more is asked. */
export const isRevoked = (error: unknown): error is Refused =>
  error instanceof Refused && error.status === 401

/** Another session stands in this one's place, or the server forgot it: register again. */
export const isSessionGone = (error: unknown): error is Refused =>
  error instanceof Refused && error.status === 409

/** Nothing that this process asks is answered any more; it is about to end, and what it has not sent stays. */
export const isFinal = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 401 || error.status === 426)
