import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

// biome-ignore lint/suspicious/noExplicitAny: a test looks where it likes
type Body = any

const server = path.join(import.meta.dirname, '..')

async function explainAlert(args: string[], input = '', read: (text: string) => unknown = JSON.parse) {
  const { NODE_COMPILE_CACHE } = process.env
  const options = { cwd: server, env: { NODE_COMPILE_CACHE } }
  const child = spawn(process.execPath, ['main.ts', 'explain-alert', ...args], options)
  // What is larger than a body may be is not read to its end.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await closed, stdout, stderr, explained: stdout === '' ? null : (read(stdout) as Body) }
}

test('a file is explained as the intake would read it, without any database', async () => {
  const file = 'domain/on-call/senders/azure-monitor/fixtures/fired.json'
  const { code, explained } = await explainAlert(['--kind', 'azure-monitor', file])
  assert.equal(code, 0)
  assert.deepEqual(Object.keys(explained), ['http', 'test', 'problem', 'identity', 'alerts'])
  assert.match(explained.identity, /^body:[0-9a-f]{64}$/)
  assert.deepEqual([explained.http, explained.test, explained.problem], [202, false, null])
  assert.deepEqual(Object.keys(explained.alerts[0]), [
    ...[
      'title',
      'status',
      'severity',
      'fingerprint',
      'service',
      'environment',
      'startedAt',
      'endedAt',
      'updateOnly',
      'labels',
      'links',
      'cuts',
    ],
  ])
  assert.equal(explained.alerts[0].severity, 'high')
})

test('a body comes from standard input, and its headers from the command line', async () => {
  const body = JSON.stringify({ action: 'created', data: { issue: { id: '1', title: 'x' } } })
  const headers = [
    '--header',
    'Content-Type: application/json; charset=utf-8',
    '--header',
    'Sentry-Hook-Resource: comment',
  ]
  const { explained } = await explainAlert(['--kind', 'sentry', ...headers, '-'], body)
  assert.deepEqual(explained.alerts, [])
  assert.match(explained.problem, /"comment"/)
})

test('the answer is the one of the intake: 400, 401, 413, 415', async () => {
  const [wrong, large, form, topic] = await Promise.all([
    explainAlert(['--kind', 'generic', '-'], '{}'),
    explainAlert(['--kind', 'grafana', '-'], ' '.repeat(524_289)),
    explainAlert(
      ['--kind', 'datadog', '--header', 'Content-Type: application/x-www-form-urlencoded', '-'],
      'a=b',
    ),
    explainAlert(
      ['--kind', 'cloudwatch-sns', '--header', 'content-type: text/plain; charset=UTF-8', '-'],
      '{}',
    ),
  ])
  assert.deepEqual(
    [wrong, large, form, topic].map(({ explained }) => explained.http),
    [400, 413, 415, 202],
  )
  assert.match(wrong.explained.problem, /`title` is missing/)
  assert.equal(wrong.code, 0)
  const unsubscribed = {
    Type: 'UnsubscribeConfirmation',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  }
  const unsigned = await explainAlert(['--kind', 'cloudwatch', '-'], JSON.stringify(unsubscribed))
  assert.equal(unsigned.explained.http, 401)
  assert.match(unsigned.explained.problem, /not a signed message of Amazon SNS/)
})

test('a mistake is told with the usage', async () => {
  const results = await Promise.all([
    explainAlert([]),
    explainAlert(['--kind', 'pager', '-']),
    explainAlert(['--kind', 'generic']),
    explainAlert(['--kind', 'generic', '--header', 'no colon', '-']),
    explainAlert(['--kind', 'generic', '--odd', '-']),
  ])
  for (const { code, stdout, stderr } of results) {
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /Usage: .*explain-alert --kind KIND/)
  }
})

test('an alert that only tells of a known one says so, and a delivery without an identity has none', async () => {
  const body = { action: 'Acknowledge', alert: { alertId: 'a', message: 'Disk is full' } }
  const { explained } = await explainAlert(['--kind', 'opsgenie', '-'], JSON.stringify(body))
  assert.deepEqual([explained.identity, explained.alerts[0].updateOnly], [null, true])
})

test('help is printed for anyone who asks, and is no mistake', async () => {
  for (const flag of ['--help', '-h']) {
    const { code, stdout, stderr } = await explainAlert([flag], '', (text) => text)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Usage: .*explain-alert --kind KIND/)
  }
})

test('a folder, or a file that is not there, is refused in a sentence', async () => {
  for (const [file, sentence] of [
    ['domain', /^domain is a folder\. Name a file\.\n$/],
    ['nowhere.json', /^There is no file nowhere\.json\.\n$/],
  ] as const) {
    const { code, stdout, stderr } = await explainAlert(['--kind', 'generic', file])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, sentence)
  }
})
