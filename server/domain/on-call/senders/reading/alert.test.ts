import assert from 'node:assert/strict'
import { test } from 'node:test'
import { senderKinds } from '@signalbox/contract/signal.ts'
import { bodyOf, deliver, fixtureNames } from '../../../../test/on-call/deliver.ts'
import { alertFrom } from './alert.ts'

const read = (found: Partial<Parameters<typeof alertFrom>[0]>) =>
  alertFrom({
    ...{ title: ['x'], status: 'firing', fingerprint: 'x' },
    rated: { severity: 'high', severityGiven: true },
    ...found,
  })

const x = (length: number) => 'x'.repeat(length)

test('a description that was cut says so on the alert', () => {
  const { description, cuts } = read({ description: [x(10_001)] })
  assert.equal(description?.length, 10_000)
  assert.deepEqual(cuts, ['The description was cut at 10,000 characters.'])
  assert.deepEqual(read({ description: [x(10_000)] }).cuts, [])
})

test('several texts of a description share its length', () => {
  const { description, cuts } = read({ description: [x(20_000), '', 'Rule: disks'] })
  assert.ok(description!.length <= 10_000)
  assert.match(description!, /…\n\nRule: disks$/)
  assert.deepEqual(cuts, ['The description was cut at 10,000 characters.'])
})

test('labels that were cut, or are too many, say so on the alert', () => {
  assert.deepEqual(read({ labels: [['query', x(2_001)]] }).cuts, [
    'The label query was cut at 2,000 characters.',
  ])
  assert.deepEqual(read({ labels: [[x(201), 'y']] }).cuts, [`The label ${x(40)}… was cut at 200 characters.`])
  const two = read({ labels: ['a', 'b', 'c'].map((name) => [name, name === 'c' ? 'y' : x(3_000)] as const) })
  assert.deepEqual(two.cuts, ['2 labels were cut at 2,000 characters: a, b.'])
  const many = read({ labels: Array.from({ length: 112 }, (_, i) => [`label-${i}`, 'y'] as const) })
  assert.equal(Object.keys(many.labels).length, 100)
  assert.deepEqual(many.cuts, ['12 labels were left out: an alert has at most 100.'])
})

test('so do a title, a name, and links that are too many', () => {
  const links = Array.from({ length: 21 }, (_, i) => ['Link', `https://example.com/${i}`] as const)
  assert.deepEqual(read({ title: [x(301)], service: [x(201)], environment: [x(201)], links }).cuts, [
    'The title was cut at 300 characters.',
    'The service was cut at 200 characters.',
    'The environment was cut at 200 characters.',
    '1 link was left out: an alert has at most 20.',
  ])
})

test('nothing says so that was not cut', () => {
  for (const kind of senderKinds)
    for (const name of fixtureNames(kind))
      for (const { cuts } of deliver(kind, bodyOf(kind, name)).alerts) assert.deepEqual(cuts, [])
})

test('a text of thousands of tags or of a whole stack trace says so too, from any sender', () => {
  const tags = Array.from({ length: 2_000 }, (_, i) => `tag-${i}:${x(20)}`)
  const [datadog] = deliver('datadog', { title: '[Triggered] X', tags: tags.join(',') }).alerts
  assert.match(datadog!.cuts.join(' '), /^19\d\d labels were left out/)
  const event = { issue_id: '1', title: 'X', metadata: { value: x(50_000) }, culprit: 'y' }
  const [sentry] = deliver('sentry', { action: 'triggered', data: { event } }).alerts
  assert.deepEqual(sentry!.cuts, ['The description was cut at 10,000 characters.'])
  const alarm = {
    AlarmName: 'X',
    NewStateValue: 'ALARM',
    AlarmDescription: x(9_000),
    NewStateReason: x(9_000),
  }
  const message = { Type: 'Notification', MessageId: '1', Message: JSON.stringify(alarm) }
  assert.deepEqual(deliver('cloudwatch', message).alerts[0]!.cuts, sentry!.cuts)
})
