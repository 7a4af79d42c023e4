import { type Proof, proven, refused, single } from '../proving/proof.ts'
import { signatureBytes, signedBySource } from '../proving/signature.ts'

/** `Sentry-Hook-Signature: <hex>` over the body. Its Sentry-Hook-Timestamp is not signed, so it proves nothing. */
export const sentryProof: Proof = ({ body, headers }, source) => {
  const written = single(headers['sentry-hook-signature'])
  if (written === undefined)
    return refused(
      'The header Sentry-Hook-Signature is missing. Webhooks of an integration are signed, those of the old WebHooks plugin are not.',
    )
  const signature = written === null ? null : signatureBytes(written)
  if (signature === null) return refused('Sentry-Hook-Signature is not a signature of 64 hexadecimal digits.')
  if (signedBySource([signature], source, body)) return proven
  return refused('Sentry-Hook-Signature does not fit the body and the client secret of this source.')
}
