import { type Proof, proven, refused, single } from '../proving/proof.ts'
import type { Proving } from '../proving/proving.ts'
import { timestampFault, unixTime } from '../proving/replay-window.ts'
import { timed } from '../proving/shell.ts'
import { signatureBytes, signatureOf, signedBySource } from '../proving/signature.ts'

const prefix = 'sha256='

/**
 * `X-Service-Signature: sha256=<hex>` over the body, or over `<timestamp>.<body>` with X-Service-Timestamp. A signature
 * without a time can be replayed forever; the setting `timestamp: required` refuses it.
 */
const proof: Proof = ({ body, headers }, source, now) => {
  const written = single(headers['x-service-signature'])
  if (written === undefined) return refused('The header X-Service-Signature is missing.')
  const signature = written?.startsWith(prefix) ? signatureBytes(written.slice(prefix.length)) : null
  if (signature === null)
    return refused('X-Service-Signature is not of the form sha256=<64 hexadecimal digits>.')

  const timestamp = single(headers['x-service-timestamp'])
  if (timestamp === undefined) {
    if (source.settings.timestamp === 'required')
      return refused('The header X-Service-Timestamp is missing, which this source requires.')
    if (signedBySource([signature], source, body)) return proven
    return refused('X-Service-Signature does not match the body and the secret of this source.')
  }

  const fault = timestampFault(timestamp, 'X-Service-Timestamp', now)
  if (fault !== null) return refused(fault)
  if (signedBySource([signature], source, `${timestamp}.`, body)) return proven
  return refused(
    'X-Service-Signature does not match the secret of this source. With X-Service-Timestamp, the signed text is the timestamp, a dot and the body.',
  )
}

export const proving: Proving = {
  proof: () => proof,
  sign({ secret, body, at }) {
    const timestamp = unixTime(at)
    return {
      headers: {
        'x-service-timestamp': timestamp,
        'x-service-signature': prefix + signatureOf(secret, `${timestamp}.${body}`),
      },
    }
  },
  words:
    'Each request is signed: X-Service-Signature is the HMAC-SHA256 of the exact body, keyed with the secret. With X-Service-Timestamp, the time is signed too, so no one can replay the request later.',
  shell: () => timed('X-Service-Timestamp', '.', `X-Service-Signature: ${prefix}`),
}
