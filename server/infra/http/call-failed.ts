export type FailedBecause =
  | 'timeout'
  | 'unreachable'
  | 'no address'
  | 'not public'
  | 'not http'
  | 'redirects'
  | 'too large'
  | 'status'

interface Circumstances {
  /** As people know whom we called; the host, unless it is given. */
  name?: string | undefined
  host: string
  because: FailedBecause
  what: string
  /** What the system calls it: ECONNREFUSED, CERT_HAS_EXPIRED. */
  code?: string | undefined
  status?: number
  retryAfterMs?: number | null
}

/**
 * A call that brought nothing back. Its message is a sentence that anyone may read: it holds neither a path nor a query
 * nor a header nor a word of the answer, because any of them may be a secret, and no address, which would map a
 * network.
 */
export class CallFailed extends Error {
  /** Who was asked at last; after a redirect not the one who was asked first. */
  readonly host: string
  readonly because: FailedBecause
  /** The message without its subject: "cannot be reached (ECONNREFUSED)". */
  readonly what: string
  readonly code: string | null
  /** Of the answer, where there was one. */
  readonly status: number | null
  /** Whether the same call may well succeed later. There is no retry here: the caller decides. */
  readonly mayPass: boolean
  /** How long the other side asks to be left alone. */
  readonly retryAfterMs: number | null

  constructor({ name, host, because, what, code, status, retryAfterMs }: Circumstances) {
    super(`${name ?? host} ${what}.`)
    this.host = host
    this.because = because
    this.what = what
    this.code = code ?? null
    this.status = status ?? null
    this.retryAfterMs = retryAfterMs ?? null
    this.mayPass =
      because === 'status'
        ? isTransientStatus(status ?? 0)
        : ['timeout', 'unreachable', 'no address'].includes(because)
  }
}

/** Any other status would be the same tomorrow. */
export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500
