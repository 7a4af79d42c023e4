import type { X509Certificate } from 'node:crypto'
import type { Topic } from './topic.ts'

const leastModulusBits = 2048

/** Why this certificate does not speak for SNS in the region of the topic at that time; null when it does. */
export function certificateFault(certificate: X509Certificate, topic: Topic, now: Date): string | null {
  if (now < certificate.validFromDate || now > certificate.validToDate)
    return 'The certificate that signed the message is not valid at this time. If this repeats, check the clock of the server.'
  if (!namesOf(topic).some((name) => certificate.checkHost(name, { wildcards: false }) === name))
    return 'The certificate that signed the message was not issued to Amazon SNS in the region of the topic.'
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < leastModulusBits)
    return 'The certificate that signed the message has no RSA key of at least 2048 bits.'
  return null
}

/** The names SNS signs under. Regions that have to be opted into have one each; both GovCloud regions share one. */
function namesOf({ partition, region }: Topic): string[] {
  if (partition === 'aws-cn') return [`sns-${region}.amazonaws.com.cn`]
  if (partition === 'aws-us-gov') return ['sns-us-gov-west-1.amazonaws.com']
  return ['sns.amazonaws.com', `sns-signing.${region}.amazonaws.com`]
}
