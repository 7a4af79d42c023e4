import type { Certificates } from '../../ports/certificates.ts'
import { keyProof } from '../proving/key.ts'
import { type Proof, proven, refused } from '../proving/proof.ts'
import { KnownCertificates } from './sns/known-certificates.ts'
import { snsFault } from './sns/verify.ts'

/** `?key=<secret>`, and a signature of SNS on every message. The setting `topicArn` binds the source to one topic. */
export function cloudwatchProof(certificates: Certificates): Proof {
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
