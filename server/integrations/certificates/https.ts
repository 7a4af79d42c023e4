import type { request } from 'node:https'
import { type Certificates, CertificateUnavailable, certificateUrl } from '../../domain/ports/certificates.ts'
import { mayPass, NoAnswer, strictGet } from '../../infra/http/strict-get.ts'

const mostBytes = 64 * 1024
const longestMs = 5_000
/** Made-up addresses must not open a connection each. */
const mostConnections = 4

const onlyPem = /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----\s*)+$/

/** Fetches signing certificates from where SNS keeps them, and from nowhere else. */
export function httpsCertificates(
  options: { request?: typeof request; milliseconds?: number } = {},
): Certificates {
  const get = strictGet({ mostBytes, milliseconds: longestMs, mostConnections, ...options })
  return {
    async fetch(url) {
      if (certificateUrl(url.href) === null) return null
      const { status, body } = await get(url).catch((error) => {
        throw error instanceof NoAnswer ? new CertificateUnavailable(error.message) : error
      })
      if (mayPass(status)) throw new CertificateUnavailable(`its address answered with status ${status}`)
      return status === 200 && body !== null && onlyPem.test(body) ? body : null
    },
  }
}
