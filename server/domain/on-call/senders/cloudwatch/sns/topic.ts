/** What the name of an SNS topic tells: where it is, and so whom to ask about it. */
export interface Topic {
  arn: string
  partition: string
  region: string
  /** The one host that serves this topic's region. */
  host: string
}

const topicArn = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[\w.-]{1,256}$/

/** Null for what is not the name of a topic. */
export function readTopic(arn: string): Topic | null {
  const [, partition, region] = topicArn.exec(arn) ?? []
  if (!partition || !region) return null
  // A Chinese region in another partition would be asked for at a host that is not its own.
  if ((partition === 'aws-cn') !== region.startsWith('cn-')) return null
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  return { arn, partition, region, host }
}
