import type { Web } from '../../domain/ports/web.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { type ClientOptions, createClient } from '../../infra/http/client.ts'

/** Visits what has to be visited to confirm a subscription, and nothing else: the address is checked again here. */
export function httpsWeb({
  isAllowed,
  ...options
}: { isAllowed: (url: URL) => boolean } & Pick<ClientOptions, 'request'>): Web {
  const client = createClient({
    // The addresses of SNS; inside a cloud they may be private ones.
    allow: 'anywhere',
    httpsOnly: true,
    timeoutMs: 10_000,
    maxBytes: 64 * 1024,
    whenLarger: 'cut',
    maxConnections: 4,
    ...options,
  })
  return {
    async confirm(url) {
      if (!isAllowed(url)) return { confirmed: false, reason: 'it is not confirmed at that address' }
      try {
        await client.request({ url, accept: (status) => status === 200 })
        return { confirmed: true }
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error
        if (error.mayPass) throw new Error(`The subscription could not be confirmed: ${error.message}`)
        return { confirmed: false, reason: `${error.host} ${error.what}` }
      }
    },
  }
}
