import { ApiError, ConnectionError } from './errors.ts'
import type { ErrorCode } from './openapi.ts'

export interface SendSettings {
  /** Takes the place of the global one: for a proxy, or a test. */
  fetch: typeof fetch
  /** How often a request that failed for the moment is sent again. */
  retries: number
  /** The longest wait before that; a server that asks for more gets none. */
  mostWaitSeconds: number
  /** Waits, and gives up when the signal says so. */
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export interface Request {
  method: string
  url: URL
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
}

/**
 * Sends a request until it is answered. Every request of this client can be sent twice: reads change nothing, and a
 * write carries an Idempotency-Key. So what failed for the moment (no answer, 429, 502, 503, 504) is sent again, when the
 * server says so in Retry-After, or else after a little longer each time.
 */
export async function send(request: Request, settings: SendSettings): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(request, settings.fetch)
    if (outcome instanceof Response) return outcome
    const seconds = waitSeconds(outcome, attempt)
    if (!isPassing(outcome) || attempt > settings.retries || seconds > settings.mostWaitSeconds) throw outcome
    await settings.sleep(seconds * 1_000, request.signal)
  }
}

async function sendOnce(
  { url, signal, ...request }: Request,
  call: typeof fetch,
): Promise<Response | ApiError | ConnectionError> {
  let response: Response
  try {
    // Another address would be given the token, or, more likely, the address is wrong.
    response = await call(url, { ...request, redirect: 'manual', ...(signal ? { signal } : {}) })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return new ConnectionError(`${url.origin} cannot be reached: ${causeOf(error)}.`, { cause: error })
  }
  if (response.ok) return response
  if (response.status >= 300 && response.status < 400)
    return new ConnectionError(
      `${url.origin} answers with a redirect to ${response.headers.get('location')}. Use that address.`,
    )
  return errorOf(response, url)
}

/** Of the body `{error: {code, message}}`; a proxy in front of the server may have answered instead. */
async function errorOf(response: Response, url: URL): Promise<ApiError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  const { code, message } = errorIn(text) ?? {
    code: status === 429 ? 'rate_limited' : status === 503 ? 'service_unavailable' : 'unknown',
    message: `${url.origin} answered ${status}, but not as Signalbox would. Check the address.`,
  }
  return new ApiError({
    ...{ status, code, message },
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(headers.get('retry-after'), Date.now()),
  })
}

function errorIn(text: string): { code: ErrorCode; message: string } | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    return typeof error?.code === 'string' && typeof error.message === 'string'
      ? { code: error.code, message: error.message }
      : null
  } catch {
    return null
  }
}

const isPassing = (error: ApiError | ConnectionError) =>
  error instanceof ConnectionError ? error.cause !== undefined : [429, 502, 503, 504].includes(error.status)

/** What the server says, or half a second, doubled with each attempt. */
function waitSeconds(error: ApiError | ConnectionError, attempt: number): number {
  const said = error instanceof ApiError ? error.retryAfterSeconds : null
  return said ?? 0.5 * 2 ** (attempt - 1)
}

/** Retry-After is a number of seconds, or a date. */
export function secondsIn(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1_000))
}

/** fetch says only that it failed; why is in the cause, and for a name with several addresses one further down. */
function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? (cause?.message || message || String(error))
}
