import { dictionary } from '@signalbox/contract/dictionary.ts'

const confirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

/** What SNS signs of each type of message, in its order. Nothing else in a message can be trusted. */
const signedKeys: Readonly<Record<string, readonly string[]>> = dictionary({
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: confirmation,
  UnsubscribeConfirmation: confirmation,
})

/** Null when the message is of no type that SNS sends, or lacks something that is signed. */
export function stringToSign(message: Readonly<Record<string, unknown>>): string | null {
  const { Type: type } = message
  if (typeof type !== 'string' || !Object.hasOwn(signedKeys, type)) return null
  let text = ''
  for (const key of signedKeys[type]!) {
    const value = message[key]
    if (key === 'Subject' && (value === undefined || value === null)) continue
    if (typeof value !== 'string' || !staysInItsLine(key, value)) return null
    text += `${key}\n${value}\n`
  }
  return text
}

/**
 * The text that is signed has no marks between key and value but line breaks. With breaks in other values than the
 * message itself, one signed text could be cut into another set of fields, such as another topic.
 */
const staysInItsLine = (key: string, value: string) => key === 'Message' || !value.includes('\n')
