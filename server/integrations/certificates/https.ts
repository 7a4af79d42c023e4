import { type Certificates, CertificateUnavailable } from '../../domain/ports/certificates.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { type ClientOptions, createClient } from '../../infra/http/client.ts'

const onlyPem = /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----\s*)+$/

/**
 * Fetches signing certificates from where their sender keeps them, and from nowhere else: the caller has already
 * checked the address, and it is checked again here.
 */
export function httpsCertificates({
  isAllowed,
  ...options
}: { isAllowed: (url: URL) => boolean } & Partial<
  Pick<ClientOptions, 'request' | 'timeoutMs'>
>): Certificates {
  const client = createClient({
    // The addresses of SNS; inside a cloud they may be private ones.
    allow: 'anywhere',
    httpsOnly: true,
    timeoutMs: 5_000,
    maxBytes: 64 * 1024,
    // Made-up addresses must not open a connection each.
    maxConnections: 4,
    ...options,
  })
  return {
    async fetch(url) {
      if (!isAllowed(url)) return null
      try {
        const { text } = await client.request({ url, accept: (status) => status === 200 })
        return onlyPem.test(text) ? text : null
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error
        if (error.mayPass) throw new CertificateUnavailable(`its address ${error.what}`)
        return null
      }
    },
  }
}
