import type { Certificates } from '../../../ports/certificates.ts'
import { byKey, keyProof } from '../proving/key.ts'
import { type Proof, proven, refused } from '../proving/proof.ts'
import type { Proving } from '../proving/proving.ts'
import { readEnvelope } from './sns/envelope.ts'
import { KnownCertificates } from './sns/known-certificates.ts'
import { notSigned, snsFault } from './sns/verify.ts'

/** `?key=<secret>`, and a signature of SNS on every message. The setting `topicArn` binds the source to one topic. */
function proofWith(certificates: Certificates): Proof {
  const known = new KnownCertificates(certificates)
  return async (delivered, source, now) => {
    const key = keyProof(delivered, source)
    if (!key.proven) return key
    if (delivered.headers['x-amz-sns-rawdelivery'] === 'true')
      return refused(
        'Raw message delivery is on for the SNS subscription. Turn it off: raw messages carry no signature.',
      )
    const fault = await snsFault(delivered.body, { topicArn: source.settings.topicArn, now }, known)
    return fault === null ? proven : refused(fault)
  }
}

export const proving: Proving = {
  proof: ({ certificates }) => proofWith(certificates),
  sign: byKey.sign,
  words:
    'The secret is part of the address, as ?key=SECRET. Every message must also carry a valid Amazon SNS signature.',
  alone: {
    name: 'Amazon SNS',
    remedy: 'subscribe the address to an SNS topic',
    trial: keyProof,
    unsigned: (body) => (readEnvelope(body) === null ? notSigned : null),
    tested: 'Accepted. The key was checked. Only Amazon can create the signature.',
  },
}
