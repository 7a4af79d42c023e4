import { readTopic } from './topic.ts'

const usableToken = /^[\w-]{1,1024}$/

/**
 * Where a subscription is confirmed. Built from the signed parts and never from the message's own SubscribeURL: a
 * sender who could choose that address could make this server visit it. Null when the parts are not valid.
 */
export function confirmationUrl({ topicArn, token }: { topicArn: string; token: string }): URL | null {
  const topic = readTopic(topicArn)
  if (topic === null || !usableToken.test(token)) return null
  const url = new URL(`https://${topic.host}/`)
  url.search = new URLSearchParams({
    Action: 'ConfirmSubscription',
    TopicArn: topic.arn,
    Token: token,
  }).toString()
  return url
}

/** Whether it is exactly the address that its own parts would be confirmed at. */
export function isConfirmationUrl(url: URL): boolean {
  const topicArn = url.searchParams.get('TopicArn') ?? ''
  const token = url.searchParams.get('Token') ?? ''
  return confirmationUrl({ topicArn, token })?.href === url.href
}
