import { asksFor } from '@signalbox/contract/remedy.ts'
import type { Probe } from '../../domain/ports/probe.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { createClient, isRedirect } from '../../infra/http/client.ts'
import type { Resolve } from '../../infra/http/reach.ts'

export interface HttpProbeOptions {
  /** Hosts and networks that may be reached although they are not on the public internet. */
  allow: readonly string[]
  resolve?: Resolve
}

/** Looks at addresses that people of a workspace chose, from a machine that can see more than they may. */
export function httpProbe(options: HttpProbeOptions): Probe {
  const client = createClient({
    ...options,
    timeoutMs: 10_000,
    maxBytes: 256 * 1024,
    whenLarger: 'cut',
    maxRedirects: 3,
    userAgent: 'Signalbox uptime check',
  })
  return {
    async get({ url, timeoutMs, expected }, signal) {
      try {
        const { status, text } = await client.request({
          url,
          timeoutMs,
          signal,
          accept: (status, headers) => expected.includes(status) || !isRedirect(status, headers),
        })
        return { status, body: text }
      } catch (error) {
        if (error instanceof CallFailed) return { problem: problemOf(error, timeoutMs) }
        throw error
      }
    },
  }
}

function problemOf({ because, host, code, what }: CallFailed, timeoutMs: number): string {
  switch (because) {
    case 'timeout':
      return `no response within ${timeoutMs / 1000} seconds`
    case 'unreachable':
      return `it could not be reached (${code ?? 'unknown error'})`
    case 'no address':
      return `its host ${what}`
    case 'not public':
      return `${host} ${what}. ${asksFor('UPTIME_ALLOW', host)}`
    default:
      return `it ${what}`
  }
}
