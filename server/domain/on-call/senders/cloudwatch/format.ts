import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { identity } from '../reading/identity.ts'
import { at, type Fields, isObject, listAt, parseText } from '../reading/json.ts'
import type { Pair } from '../reading/labels.ts'
import type { Reading } from '../reading/reading.ts'
import { type Rated, severityTagged } from '../reading/severity.ts'
import { hasText, quoted, textOf } from '../reading/text.ts'
import { readTopic } from './sns/topic.ts'

/** Alarms as SNS carries them. Its headers are not signed, so the body's own `Type` tells what it is. */
export const format = objectFormat((body) => {
  const deliveryId = identity(textOf(at(body, 'MessageId'))) || null
  return { ...readMessage(body), deliveryId }
})

function readMessage(body: Fields): Reading {
  const type = textOf(at(body, 'Type'))
  const topicArn = textOf(at(body, 'TopicArn'))
  switch (type) {
    case 'Notification':
      return readNotification(body)
    case 'SubscriptionConfirmation':
      return readConfirmation(topicArn, textOf(at(body, 'Token')))
    case 'UnsubscribeConfirmation':
      return readTopic(topicArn)
        ? makeReading({ handshake: { type: 'sns_unsubscribed', topicArn } })
        : makeReading({ problem: noTopic(topicArn) })
    default:
      return makeReading({
        problem:
          'The body is not an SNS message: it has no `Type` of one. Turn raw message delivery off for the subscription.',
      })
  }
}

function readConfirmation(topicArn: string, token: string): Reading {
  const topic = readTopic(topicArn)
  if (!topic) return makeReading({ problem: noTopic(topicArn) })
  if (!/^[\w-]{1,1024}$/.test(token))
    return makeReading({ problem: 'The request to confirm a subscription has no usable `Token`.' })
  return makeReading({ handshake: { type: 'sns_confirmation', topicArn, token, region: topic.region } })
}

const noTopic = (topicArn: string) => `${quoted(topicArn)} is not the ARN of an SNS topic.`

/** A topic carries whatever is published to it; only alarms become alerts. */
function readNotification(body: Fields): Reading {
  const parsed = parseText(textOf(at(body, 'Message')))
  const alarm = 'value' in parsed && isObject(parsed.value) ? parsed.value : null
  if (!alarm || !hasText(at(alarm, 'AlarmName')) || !hasText(at(alarm, 'NewStateValue')))
    return makeReading({
      problem: `The message ${quoted(at(body, 'Subject') ?? at(body, 'Message'))} is not a CloudWatch alarm.`,
    })
  const state = at(alarm, 'NewStateValue')
  if (state === 'ALARM') return makeReading({ alerts: [alertOf(alarm, 'firing', body)] })
  if (state === 'OK') return makeReading({ alerts: [alertOf(alarm, 'resolved', body)] })
  return makeReading({
    problem: `The alarm ${quoted(at(alarm, 'AlarmName'))} went into the state ${quoted(state)}, which changes no alert.`,
  })
}

function alertOf(alarm: Fields, status: Alert['status'], body: Fields) {
  const name = textOf(at(alarm, 'AlarmName'))
  const changedAt = at(alarm, 'StateChangeTime')
  const description = textOf(at(alarm, 'AlarmDescription'))
  const dimensions = dimensionsOf(alarm)
  const dimension = (named: string) => dimensions.find(([key]) => key.toLowerCase() === named)?.[1]
  return alertFrom({
    title: [name],
    status,
    rated: ratedBy(description),
    fingerprint: fingerprintOf(alarm, name),
    service: [dimension('service'), dimension('servicename')],
    environment: [dimension('environment'), dimension('env')],
    description: [description, at(alarm, 'NewStateReason')],
    startedAt: status === 'firing' ? changedAt : null,
    endedAt: status === 'resolved' ? changedAt : null,
    occurredAt: changedAt,
    labels: [
      ['account', at(alarm, 'AWSAccountId')],
      ['region', at(alarm, 'Region')],
      ['namespace', at(alarm, 'Trigger', 'Namespace')],
      ['metric', at(alarm, 'Trigger', 'MetricName')],
      ['rule', at(alarm, 'AlarmRule')],
      ...dimensions,
    ],
    links: [
      ['CloudWatch', consoleAddress(textOf(at(alarm, 'AlarmArn')) || textOf(at(body, 'TopicArn')), name)],
    ],
  })
}

const mostDescriptionCharacters = 10_000

function ratedBy(description: string): Rated {
  const tagged = severityTagged(description.slice(0, mostDescriptionCharacters))
  return { severity: tagged ?? 'high', severityGiven: true }
}

/** Never the trigger: an alarm may be edited between its ALARM and its OK. */
function fingerprintOf(alarm: Fields, name: string): string {
  const arn = identity(textOf(at(alarm, 'AlarmArn')))
  if (arn !== '') return arn
  return identity([textOf(at(alarm, 'AWSAccountId')), textOf(at(alarm, 'Region')), name].join(':'))
}

/** Composite alarms have no trigger, and computed metrics no dimensions of their own. */
const dimensionsOf = (alarm: Fields): Pair[] =>
  listAt(alarm, 'Trigger', 'Dimensions').map(
    (dimension) => [textOf(at(dimension, 'name')), at(dimension, 'value')] as const,
  )

const consoles = new Map([
  ['aws', 'console.aws.amazon.com'],
  ['aws-cn', 'console.amazonaws.cn'],
  ['aws-us-gov', 'console.amazonaws-us-gov.com'],
])

/** An alarm and the topic it is published to are in one region. */
function consoleAddress(arn: string, name: string): string {
  const [, partition = '', region] = /^arn:([a-z-]{1,20}):\w{1,20}:([a-z]{2}(?:-[a-z]+)+-\d):/.exec(arn) ?? []
  const host = consoles.get(partition)
  if (!host) return ''
  const alarm = encodeURIComponent(name.slice(0, 500).toWellFormed())
  return `https://${region}.${host}/cloudwatch/home?region=${region}#alarmsV2:alarm/${alarm}`
}
