import type { PagerUpdate } from '../../domain/ports/pager.ts'

export interface Call {
  method: 'GET' | 'PUT' | 'POST'
  url: string
  headers: Record<string, string>
  body?: unknown
}

export interface Answer {
  status: number
  /** What was in it; null when it is no JSON. */
  body: unknown
  text: string
}

const mostBytes = 256 * 1024
/** An effect is held for half a minute, and an update takes two calls. */
const longestMs = 10_000

/** Calls a pager's API. Throws what may pass: no answer, too many requests, trouble on the other side. */
export async function call(
  tool: string,
  { method, url, headers, body }: Call,
  milliseconds = longestMs,
): Promise<Answer> {
  const signal = AbortSignal.timeout(milliseconds)
  let status: number
  let text: string
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key goes to the address that was set, and to no other.
      redirect: 'error',
      signal,
    })
    status = response.status
    text = await limited(response)
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    throw new Error(
      signal.aborted
        ? `${tool} did not answer within ${milliseconds / 1000} seconds.`
        : `${tool} cannot be reached${code ? ` (${code})` : ''}.`,
    )
  }
  if (status === 408 || status === 429 || status >= 500)
    throw new Error(`${tool} answered with status ${status}.`)
  return { status, body: parsed(text), text }
}

/** Why it was not done; what the tool says is not repeated, because it may quote the key. */
export const refusedWith = (status: number): PagerUpdate => ({
  outcome: 'refused',
  reason:
    status === 401 || status === 403
      ? `it does not accept the credentials (status ${status})`
      : status === 404
        ? 'it does not know the alert (status 404)'
        : `it answered with status ${status}`,
})

/** What is longer than any answer of such an API is not read to its end. */
async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
