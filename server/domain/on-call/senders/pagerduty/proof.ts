import { type Proof, proven, refused, single } from '../proving/proof.ts'
import type { Proving } from '../proving/proving.ts'
import { signed } from '../proving/shell.ts'
import { signatureBytes, signatureOf, signedBySource } from '../proving/signature.ts'

const version = 'v1='

/** `X-PagerDuty-Signature: v1=<hex>,v1=<hex>`: one for each secret that is active there, and any may be ours. */
const proof: Proof = ({ body, headers }, source) => {
  const written = single(headers['x-pagerduty-signature'])
  if (written === undefined)
    return refused('The header X-PagerDuty-Signature is missing. Only webhooks of version 3 are signed.')
  const signatures = signaturesIn(written ?? '')
  if (signatures.length === 0)
    return refused('X-PagerDuty-Signature has no signature of the form v1=<64 hexadecimal digits>.')
  if (signedBySource(signatures, source, body)) return proven
  return refused('No signature in X-PagerDuty-Signature fits the body and the signing secret of this source.')
}

/** Those of other versions are passed over: they come when PagerDuty changes its scheme, beside ours. */
const signaturesIn = (written: string): Buffer[] =>
  written
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry.startsWith(version))
    .map((entry) => signatureBytes(entry.slice(version.length)))
    .filter((signature) => signature !== null)

export const proving: Proving = {
  proof: () => proof,
  sign: ({ secret, body }) => ({ headers: { 'x-pagerduty-signature': version + signatureOf(secret, body) } }),
  words: 'PagerDuty signs each request with the signing secret of the subscription (X-PagerDuty-Signature).',
  shell: () => signed(`X-PagerDuty-Signature: ${version}`),
}
