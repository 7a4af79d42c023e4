import {
  type Proof,
  type ProofResult,
  type ProofSource,
  proven,
  provenByAll,
  refused,
  single,
} from '../proving/proof.ts'
import type { Proving } from '../proving/proving.ts'
import { timestampFault, unixTime } from '../proving/replay-window.ts'
import { signed, timed } from '../proving/shell.ts'
import { signatureBytes, signatureOf, signedBySource } from '../proving/signature.ts'
import { bearerCheck } from '../proving/token.ts'
import type { Delivered } from '../reading/reading.ts'

export const usualHeader = 'X-Grafana-Alerting-Signature'

/**
 * The contact point's HMAC signature, or a bearer token. Both header names are the contact point's: `signatureHeader`
 * has a usual name, `timestampHeader` has none, and without it a signature that covers a time cannot be checked.
 */
const proof: Proof = (delivered, source, now) =>
  provenByAll(
    [() => bearerCheck(delivered, source), () => signatureCheck(delivered, source, now)],
    `There is neither a header ${signatureHeader(source)} nor a header Authorization with the scheme Bearer.`,
  )

const signatureHeader = ({ settings }: ProofSource) => settings.signatureHeader || usualHeader

function signatureCheck({ body, headers }: Delivered, source: ProofSource, now: Date): ProofResult | null {
  const header = signatureHeader(source)
  const written = single(headers[header.toLowerCase()])
  if (written === undefined) return null
  const signature = written === null ? null : signatureBytes(written)
  if (signature === null) return refused(`${header} is not a signature of 64 hexadecimal digits.`)

  const timeHeader = source.settings.timestampHeader
  if (!timeHeader) {
    if (signedBySource([signature], source, body)) return proven
    return refused(
      `${header} does not match the body and the secret of this source. If the contact point sends a timestamp header, its name has to be set here too.`,
    )
  }

  const timestamp = single(headers[timeHeader.toLowerCase()])
  if (timestamp === undefined)
    return refused(`The header ${timeHeader} is missing, which is set as this source's timestamp header.`)
  const fault = timestampFault(timestamp, timeHeader, now)
  if (fault !== null) return refused(fault)
  if (signedBySource([signature], source, `${timestamp}:`, body)) return proven
  return refused(`${header} does not match ${timeHeader}, the body and the secret of this source.`)
}

export const proving: Proving = {
  proof: () => proof,
  sign({ secret, body, settings, at }) {
    const header = (settings.signatureHeader || usualHeader).toLowerCase()
    if (!settings.timestampHeader) return { headers: { [header]: signatureOf(secret, body) } }
    const timestamp = unixTime(at)
    return {
      headers: {
        [settings.timestampHeader.toLowerCase()]: timestamp,
        [header]: signatureOf(secret, `${timestamp}:${body}`),
      },
    }
  },
  words:
    'The contact point signs each request with the secret (X-Grafana-Alerting-Signature, unless it names another header), or sends it as Authorization: Bearer SECRET.',
  shell({ signatureHeader, timestampHeader }) {
    const header = `${signatureHeader ?? usualHeader}: `
    return timestampHeader ? timed(String(timestampHeader), ':', header) : signed(header)
  },
}
