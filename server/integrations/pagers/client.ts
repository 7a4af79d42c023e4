import { ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { type Client, createClient } from '../../infra/http/client.ts'

/** Calls a pager's API. What may pass is ToolBusy: no answer, too many requests, trouble on the other side. */
export function pagerClient(tool: string): Pick<Client, 'request'> {
  const client = createClient({
    name: tool,
    // A source can only be given the addresses of the tool itself.
    allow: 'anywhere',
    // An effect is held for half a minute, and an update takes two calls.
    timeoutMs: 10_000,
    // Longer than any answer of such an API.
    maxBytes: 256 * 1024,
    whenLarger: 'cut',
  })
  return {
    request: (asked) =>
      client.request(asked).catch((error: unknown) => {
        if (!(error instanceof CallFailed) || !error.mayPass) throw error
        throw new ToolBusy(error.message, error.retryAfterMs, new Date())
      }),
  }
}

/** Why it was not done, and what helps. What the tool says is not repeated, because it may quote the key. */
export function refusedWith(tool: string, status: number): ToolRefused {
  if (status === 401)
    return new ToolRefused(
      'unauthorized',
      `${tool} rejected the API key (status 401). Replace it on the source’s page.`,
      { status },
    )
  if (status === 402 || status === 403)
    return new ToolRefused(
      'forbidden',
      `${tool} doesn’t allow this API key to update alerts (status ${status}). Give it that permission there, or replace it on the source’s page.`,
      { status },
    )
  if (status === 404 || status === 410)
    return new ToolRefused(
      'not_found',
      `${tool} doesn’t know the alert (status ${status}). Check that the API key belongs to the account that sends the alerts.`,
      { status },
    )
  return status === 409
    ? new ToolRefused('conflict', `${tool} can’t do that right now (status 409).`, { status })
    : new ToolRefused('invalid', `${tool} didn’t accept the request (status ${status}).`, { status })
}
