import {
  type Proof,
  type ProofResult,
  type ProofSource,
  proven,
  provenByAll,
  refused,
  single,
} from '../proving/proof.ts'
import { timestampFault } from '../proving/replay-window.ts'
import { signatureBytes, signedBySource } from '../proving/signature.ts'
import { bearerCheck } from '../proving/token.ts'
import type { Delivered } from '../reading/reading.ts'

const usualHeader = 'X-Grafana-Alerting-Signature'

/**
 * The contact point's HMAC signature, or a bearer token. Both header names are the contact point's: `signatureHeader`
 * has a usual name, `timestampHeader` has none, and without it a signature that covers a time cannot be checked.
 */
export const grafanaProof: Proof = (delivered, source, now) =>
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
      `${header} does not fit the body and the secret of this source. If the contact point sends a timestamp header, its name has to be set here too.`,
    )
  }

  const timestamp = single(headers[timeHeader.toLowerCase()])
  if (timestamp === undefined)
    return refused(`The header ${timeHeader} is missing, which is set as this source's timestamp header.`)
  const fault = timestampFault(timestamp, timeHeader, now)
  if (fault !== null) return refused(fault)
  if (signedBySource([signature], source, `${timestamp}:`, body)) return proven
  return refused(`${header} does not fit ${timeHeader}, the body and the secret of this source.`)
}
