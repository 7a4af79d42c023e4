import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

const arn = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:router-errors'

/** The alarm of a fixture, changed. */
const alarmWith = (fields: object) =>
  deliverFixture('cloudwatch', 'alarm', (body) => {
    body.Message = JSON.stringify({ ...JSON.parse(body.Message), ...fields })
  })

test('an alarm and its OK are one alert, although it was edited in between', () => {
  const alarm = alertIn(deliverFixture('cloudwatch', 'alarm'))
  assert.deepEqual([alarm.title, alarm.status, alarm.fingerprint], ['router-errors', 'firing', arn])
  assert.equal(alarm.startedAt, '2030-06-15T23:53:45.093Z')
  assert.equal(alarm.service, 'parcel-router')
  assert.equal(alarm.labels.ClusterName, 'shop')
  assert.deepEqual(alarm.links, [
    {
      label: 'CloudWatch',
      url: 'https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#alarmsV2:alarm/router-errors',
    },
  ])
  const ok = alertIn(deliverFixture('cloudwatch', 'ok'))
  assert.deepEqual([ok.status, ok.fingerprint, ok.endedAt], ['resolved', arn, '2030-06-16T00:10:00.000Z'])
})

test('the severity is a tag of the description; an alarm without one is high', () => {
  const severity = (text: unknown) => alertIn(alarmWith({ AlarmDescription: text })).severity
  assert.equal(severity('[critical] x'), 'critical')
  assert.equal(severity('x [warning]'), 'medium')
  for (const untagged of ['x', '', null, '[prod] x']) assert.equal(severity(untagged), 'high')
})

test('a composite alarm has no trigger, and an old message no ARN', () => {
  const alert = alertIn(deliverFixture('cloudwatch', 'composite'))
  assert.deepEqual(
    [alert.title, alert.severity, alert.fingerprint],
    ['shop down', 'high', '123456789012:EU (Ireland):shop down'],
  )
})

test('too little data changes nothing, and neither does whatever else is published to the topic', () => {
  const little = deliverFixture('cloudwatch', 'insufficient-data')
  assert.deepEqual(little.alerts, [])
  assert.match(little.problem ?? '', /"router-errors".*"INSUFFICIENT_DATA"/)
  const text = deliverFixture('cloudwatch', 'plain-text')
  assert.deepEqual(
    [text.alerts, text.problem],
    [[], 'The message "Hello from the console" is not a CloudWatch alarm.'],
  )
  const event = deliverFixture('cloudwatch', 'alarm', (body) =>
    Object.assign(body, { Message: '{"Records":[]}' }),
  )
  assert.deepEqual(event.alerts, [])
})

test('a subscription asks to be confirmed, and tells when it ended', () => {
  assert.deepEqual(deliverFixture('cloudwatch', 'confirmation').handshake, {
    type: 'sns_confirmation',
    topicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
    token: '00112233445566778899aabbccddeeff',
    region: 'eu-west-1',
  })
  assert.deepEqual(deliverFixture('cloudwatch', 'unsubscribed').handshake, {
    type: 'sns_unsubscribed',
    topicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  })
})

test('a confirmation with a topic or token that is none is told', () => {
  for (const part of [
    { TopicArn: 'arn:aws:sns:evil.example.com:1:x' },
    { Token: 'a&b=c' },
    { Token: undefined },
  ]) {
    const reading = deliverFixture('cloudwatch', 'confirmation', (body) => Object.assign(body, part))
    assert.equal(reading.handshake, null)
    assert.ok(reading.problem)
  }
})

test('a raw message is told by its name', () => {
  assert.match(
    deliver('cloudwatch', { AlarmName: 'x', NewStateValue: 'ALARM' }).problem ?? '',
    /raw message delivery/,
  )
})

test('a delivery is known by its MessageId', () => {
  assert.equal(deliverFixture('cloudwatch', 'alarm').deliveryId, '00000000-0000-5000-8000-000000000001')
})
