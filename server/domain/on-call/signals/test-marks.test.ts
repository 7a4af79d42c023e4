import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMarkHeader } from '@signalbox/contract/test-alert.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { makeReading } from '../senders/reading/alert.ts'
import { TestMarks } from './test-marks.ts'

const key = 'a key for tests that is long enough'
const marks = new TestMarks(secretsFrom(key).macKeys('test marks'))
const now = new Date('2030-01-31T08:00:00Z')
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const reading = makeReading({ test: true, deliveryId: 'by-hand' })

const alertsWith = (mark: string | undefined, source = 'source-1', at = now) =>
  marks.applied(reading, { headers: { [testMarkHeader]: mark } }, source, at)

test('a mark makes one test alert of a delivery to its source, for an hour', () => {
  const mark = marks.make({ sourceId: 'source-1', service: 'Checkout é' }, now)
  const { alerts, test: isTrial, deliveryId } = alertsWith(mark, 'source-1', later(59))
  assert.deepEqual([isTrial, deliveryId], [false, null])
  assert.deepEqual(
    alerts.map(({ title, service, isTest, opensTest, status }) => ({
      title,
      service,
      isTest,
      opensTest,
      status,
    })),
    [
      {
        ...{ title: 'Test alert from Signalbox', service: 'Checkout é' },
        ...{ isTest: true, opensTest: true, status: 'firing' },
      },
    ],
  )
})

test('a mark that is forged, expired or of another source is as if there were none', () => {
  const marked = { sourceId: 'source-1', service: 'checkout' }
  const mark = marks.make(marked, now)
  const [until, service, mac] = mark.split('.') as [string, string, string]
  const longer = (Number.parseInt(until, 36) + 1).toString(36)
  const elsewhere = new TestMarks(secretsFrom(`another ${key}`).macKeys('test marks')).make(marked, now)
  for (const [source, given, at] of [
    ['source-2', mark, now],
    ['source-1', mark, later(60)],
    ['source-1', `${longer}.${service}.${mac}`, now],
    ['source-1', `${until}.${Buffer.from('billing').toString('base64url')}.${mac}`, now],
    ['source-1', elsewhere, now],
    ['source-1', 'true', now],
    ['source-1', '', now],
    ['source-1', undefined, now],
  ] as const)
    assert.equal(alertsWith(given, source, at), reading, String(given))
})
