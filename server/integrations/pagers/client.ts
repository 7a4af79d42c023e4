import type { PagerUpdate } from '../../domain/ports/pager.ts'
import { type Client, createClient } from '../../infra/http/client.ts'

/** Calls a pager's API. Throws what may pass: no answer, too many requests, trouble on the other side. */
export const pagerClient = (tool: string): Client =>
  createClient({
    name: tool,
    // A source can only be given the addresses of the tool itself.
    allow: 'anywhere',
    // An effect is held for half a minute, and an update takes two calls.
    timeoutMs: 10_000,
    // Longer than any answer of such an API.
    maxBytes: 256 * 1024,
    whenLarger: 'cut',
  })

/** Why it was not done; what the tool says is not repeated, because it may quote the key. */
export const refusedWith = (status: number): PagerUpdate => ({
  outcome: 'refused',
  reason:
    status === 401 || status === 403
      ? `it rejected the credentials (status ${status})`
      : status === 404
        ? 'it does not know the alert (status 404)'
        : `it answered with status ${status}`,
})
