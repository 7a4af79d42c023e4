import { type Proof, proven, refused, single } from '../proving/proof.ts'
import type { Proving } from '../proving/proving.ts'
import { signed } from '../proving/shell.ts'
import { signatureBytes, signatureOf, signedBySource } from '../proving/signature.ts'

/** `Sentry-Hook-Signature: <hex>` over the body. Its Sentry-Hook-Timestamp is not signed, so it proves nothing. */
const proof: Proof = ({ body, headers }, source) => {
  const written = single(headers['sentry-hook-signature'])
  if (written === undefined)
    return refused(
      'The header Sentry-Hook-Signature is missing. Webhooks of an integration are signed, those of the old WebHooks plugin are not.',
    )
  const signature = written === null ? null : signatureBytes(written)
  if (signature === null) return refused('Sentry-Hook-Signature is not a signature of 64 hexadecimal digits.')
  if (signedBySource([signature], source, body)) return proven
  return refused('Sentry-Hook-Signature does not match the body and the client secret of this source.')
}

export const proving: Proving = {
  proof: () => proof,
  sign: ({ secret, body }) => ({ headers: { 'sentry-hook-signature': signatureOf(secret, body) } }),
  words: 'Sentry signs each request with the client secret of the integration (Sentry-Hook-Signature).',
  shell: () => signed('Sentry-Hook-Signature: ', '-H "Sentry-Hook-Resource: issue"'),
}
