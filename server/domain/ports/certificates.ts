import { DomainError } from '../errors.ts'

/** Where the certificates are with which messages were signed. */
export interface Certificates {
  /** The certificate as PEM; null when that address has none, and asking again would not change it. */
  fetch(url: URL): Promise<string | null>
}

/** Neither yes nor no: the certificate could not be had for now. The sender should try again. */
export class CertificateUnavailable extends DomainError {
  constructor(why: string) {
    super(
      'service_unavailable',
      `The certificate that signed the message could not be fetched: ${why}. Nothing was recorded; send it again.`,
    )
  }
}
