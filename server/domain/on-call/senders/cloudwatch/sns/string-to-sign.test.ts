import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringToSign } from './string-to-sign.ts'

const notification = {
  UnsubscribeURL: 'unsigned',
  Type: 'Notification',
  TopicArn: 'the topic',
  Timestamp: 'the time',
  Subject: 'the subject',
  MessageId: 'the id',
  Message: 'the\nmessage – ü',
}
const { Subject: _, ...withoutSubject } = notification
const confirmation = { ...withoutSubject, SubscribeURL: 'the address', Token: 'the token' }

test('of a notification, these are signed, in this order', () => {
  assert.equal(
    stringToSign(notification),
    'Message\nthe\nmessage – ü\nMessageId\nthe id\nSubject\nthe subject\nTimestamp\nthe time\nTopicArn\nthe topic\nType\nNotification\n',
  )
})

test('a subject that is not there, or null, is left out; an empty one is not', () => {
  const text =
    'Message\nthe\nmessage – ü\nMessageId\nthe id\nTimestamp\nthe time\nTopicArn\nthe topic\nType\nNotification\n'
  assert.equal(stringToSign(withoutSubject), text)
  assert.equal(stringToSign({ ...notification, Subject: null }), text)
  assert.equal(
    stringToSign({ ...notification, Subject: '' }),
    text.replace('Timestamp', 'Subject\n\nTimestamp'),
  )
})

test('of both confirmations, the address and the token are signed too', () => {
  for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'])
    assert.equal(
      stringToSign({ ...confirmation, Type: type }),
      `Message\nthe\nmessage – ü\nMessageId\nthe id\nSubscribeURL\nthe address\nTimestamp\nthe time\nToken\nthe token\nTopicArn\nthe topic\nType\n${type}\n`,
    )
})

test('a message that lacks something signed, or has it in another form, has no such text', () => {
  for (const key of ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'])
    for (const value of [undefined, null, 1, {}, ['x']])
      assert.equal(stringToSign({ ...notification, [key]: value }), null, `${key} ${value}`)
  for (const key of ['SubscribeURL', 'Token'])
    assert.equal(stringToSign({ ...confirmation, Type: 'SubscriptionConfirmation', [key]: undefined }), null)
  for (const type of ['', 'notification', 'Other', '__proto__', 'constructor', 'toString'])
    assert.equal(stringToSign({ ...notification, Type: type }), null)
})

test('no signed text can be read as two messages: only the message itself may have line breaks', () => {
  for (const key of ['MessageId', 'Subject', 'Timestamp', 'TopicArn'])
    assert.equal(stringToSign({ ...notification, [key]: 'x\ny' }), null, key)
})
