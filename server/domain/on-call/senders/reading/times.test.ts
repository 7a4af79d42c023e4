import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from './times.ts'

test('times of all senders become ISO 8601 in UTC with milliseconds', () => {
  for (const [given, expected] of [
    ['2030-01-31T09:30:00Z', '2030-01-31T09:30:00.000Z'],
    ['2030-01-31T09:30:00.123456789+08:00', '2030-01-31T01:30:00.123Z'],
    ['2030-06-15T23:53:45.093+0000', '2030-06-15T23:53:45.093Z'],
    ['2030-03-22T14:03:16.2246313Z', '2030-03-22T14:03:16.224Z'],
    ['2030-08-08T10:45:44.09-04:00', '2030-08-08T14:45:44.090Z'],
    ['2030-08-08 10:45:44', '2030-08-08T10:45:44.000Z'],
    ['2030-08-08', '2030-08-08T00:00:00.000Z'],
    ['2030-12-31T23:59:60Z', '2031-01-01T00:00:00.000Z'],
    ['1896000000104', '2030-01-30T10:40:00.104Z'],
    [1896000000104, '2030-01-30T10:40:00.104Z'],
    [1896000000, '2030-01-30T10:40:00.000Z'],
    ['1896000000166002246', '2030-01-30T10:40:00.166Z'],
    [1896000000166002, '2030-01-30T10:40:00.166Z'],
  ] as const)
    assert.equal(instant(given), expected, String(given))
})

test('the zero of a clock means that there is no time yet', () => {
  for (const zero of [
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00.000+01:00',
    '1970-01-01T00:00:00Z',
    0,
    '0',
  ])
    assert.equal(instant(zero), null, String(zero))
})

test('what is not a time is none', () => {
  for (const wrong of [
    '',
    'soon',
    '2030-02-30T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01T25:00:00Z',
    '99999-01-01',
    '2030-01-31T09:30:00+99:99',
    '2030-01-31T09:30:00+24:00',
    '2030-01-31T09:30:00-05:60',
    -1,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    null,
    undefined,
    {},
    [],
    true,
    '9'.repeat(30),
    'x'.repeat(100_000),
  ])
    assert.equal(instant(wrong), null, String(wrong).slice(0, 40))
})
