import { X509Certificate } from 'node:crypto'
import type { Certificates } from '../../../../ports/certificates.ts'

interface Known {
  certificate: Promise<X509Certificate | null>
  untilMs: number
}

const mostKnown = 100
const keptMs = 24 * 60 * 60 * 1000
/** Long enough that a flood of messages is not a flood of questions, short enough for the sender's next attempt. */
const failureKeptMs = 15_000

/** Certificates by address. Callers that ask while one is being fetched wait for the same answer. */
export class KnownCertificates {
  readonly #certificates: Certificates
  readonly #known = new Map<string, Known>()

  constructor(certificates: Certificates) {
    this.#certificates = certificates
  }

  /** Null when there is no certificate at that address. */
  find(url: URL, now: Date): Promise<X509Certificate | null> {
    const known = this.#known.get(url.href)
    const usable = known && known.untilMs > now.getTime() ? known : this.#fetch(url, now)
    this.#remember(url.href, usable)
    return usable.certificate
  }

  #fetch(url: URL, now: Date): Known {
    const certificate = this.#certificates.fetch(url).then((pem) => (pem === null ? null : read(pem)))
    const known: Known = { certificate, untilMs: Number.POSITIVE_INFINITY }
    const keepFor = (ms: number) => {
      known.untilMs = now.getTime() + ms
    }
    certificate.then(
      (found) => keepFor(found ? keptMs : failureKeptMs),
      () => keepFor(failureKeptMs),
    )
    return known
  }

  /** Keeps the most recently used last, so that made-up addresses do not push out those in use. */
  #remember(address: string, known: Known): void {
    this.#known.delete(address)
    this.#known.set(address, known)
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.keys().next().value!)
  }
}

function read(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}
