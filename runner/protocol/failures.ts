import type { ErrorCode } from '@signalbox/contract/error.ts'

/** No answer, or a temporary refusal: the same call may be made again. */
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

/**
 * What a refusal means is said by its code, never by its status: one status stands for many things, and whatever stands
 * between here and the server, such as a proxy, answers with any of them.
 */
const saysOneOf =
  (...codes: readonly ErrorCode[]) =>
  (error: unknown): boolean =>
    error instanceof Refused && (codes as readonly (string | null)[]).includes(error.code)

/** The answer is not from a server of this protocol, such as a proxy's: the same call is made again. */
export const isFromElsewhere = (error: unknown): boolean => error instanceof Refused && error.code === null

/** The token no longer opens anything: whatever runs is stopped, and nothing more is asked. */
export const isRevoked = saysOneOf('missing_token', 'invalid_token', 'token_expired')

/** The server does not speak with a runner of this age. */
export const isTooOld = saysOneOf('upgrade_required')

/** Another session has taken this one's place, or the server forgot it: register again. */
export const isSessionGone = saysOneOf('session_over')

/** What was signed is no longer what the server asks for: it is signed again. */
export const isChallengeOver = saysOneOf('challenge_over')

/** Another process still stands for this runner. */
export const isSessionTaken = saysOneOf('session_alive')

/** The order is over, or someone else's by now. */
export const isOutdated = saysOneOf('outdated')

/** What was sent does not join what the server has; with the number that it wants. */
export const isGap = (error: Refused): boolean =>
  saysOneOf('report_gap')(error) && error.next !== null && error.next >= 1 && !error.isStop

const isNotUnderstood = saysOneOf(
  'invalid_request',
  'invalid_parameter',
  'payload_too_large',
  'unsupported_media_type',
  'hash_mismatch',
  'report_limit',
)

/**
 * It would not be taken the second time either. A proxy that takes no more than so many bytes will not take more the
 * next time, though no one of ours says so.
 */
export const isUnacceptable = (error: unknown): boolean =>
  isNotUnderstood(error) || (isFromElsewhere(error) && (error as Refused).status === 413)

/** Nothing that this process asks is answered any more; it is about to end, and what it has not sent stays. */
export const isFinal = (error: unknown): boolean => isRevoked(error) || isTooOld(error)
