import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentIn } from './moments.ts'

const day = 86_400_000
const spanOf = (text: string) => {
  const { start, end } = momentIn('from', text)
  return [new Date(start).toISOString(), end - start]
}

test('a date is its whole day, a timestamp its millisecond, as people and programs write them', () => {
  for (const [text, iso, length] of [
    ['2026-03-31', '2026-03-31T00:00:00.000Z', day],
    ['2026-03-31T14:05:00Z', '2026-03-31T14:05:00.000Z', 1],
    ['2026-03-31t14:05z', '2026-03-31T14:05:00.000Z', 1],
    ['2026-03-31 14:05:06,789', '2026-03-31T14:05:06.789Z', 1],
    ['2026-03-31T14:05:06.123456789+02:00', '2026-03-31T12:05:06.123Z', 1],
    ['2026-03-31T14:05:06-0330', '2026-03-31T17:35:06.000Z', 1],
    ['2026-03-31 14:05:06+02', '2026-03-31T12:05:06.000Z', 1],
  ] as const)
    assert.deepEqual(spanOf(text), [iso, length], text)
})

test('a date before 1970, or in the last days there are, is a date like any other', () => {
  assert.deepEqual(spanOf('1969-12-31'), ['1969-12-31T00:00:00.000Z', day])
  assert.deepEqual(spanOf('1815-12-10T06:00:00Z'), ['1815-12-10T06:00:00.000Z', 1])
  assert.deepEqual(spanOf('1970-01-01T00:00:00+14:00'), ['1969-12-31T10:00:00.000Z', 1])
  assert.deepEqual(spanOf('0050-03-01'), ['0050-03-01T00:00:00.000Z', day])
  assert.deepEqual(spanOf('9999-12-31T23:59:59Z'), ['9999-12-31T23:59:59.000Z', 1])
})

const refusal = (text: string) => {
  try {
    momentIn('from', text)
  } catch (error) {
    return (error as Error).message
  }
  return assert.fail(`${text} was taken`)
}

test('what is no moment is refused with a sentence that helps', () => {
  for (const text of ['2026-03-31T14:05:00 02:00', '2026-03-31T14:05:00.5 0200', '2026-03-31 14:05 02'])
    assert.match(refusal(text), /^`from` has a space before its offset.*%2B/, text)
  for (const text of [
    '2026-11-15T13Z',
    '2026-11-15T13',
    '2026-11-15 13',
    '2026-11-15T13+02:00',
    '2026-11-15T13 02:00',
  ])
    assert.match(refusal(text), /^`from` has an hour without minutes.*2026-11-15T13:00/, text)
  for (const text of ['2026-02-30', '2026-13-01', '2025-02-29T10:00Z', '2026-00-10'])
    assert.match(refusal(text), /^`from` is not a real date/, text)
  for (const text of [
    '2026-03-31T24:00:00Z',
    '2026-03-31T14:60Z',
    '2026-03-31T14:05:61Z',
    '2026-03-31T14:05+15:00',
  ])
    assert.match(refusal(text), /^`from` names a time that no clock shows/, text)
  for (const text of [
    '',
    'yesterday',
    '1711893900',
    '31.03.2026',
    '2026-3-1',
    '2026-03',
    '+12026-01-01',
    '2026-03-31T',
  ])
    assert.match(refusal(text), /^`from` must be a date \(2026-03-31\) or an ISO 8601 timestamp/, text)
})
