import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import * as formats from './formats.ts'

afterEach(() => formats.applyFormats({ locale: '', zone: '' }))

const at = '2026-11-17T00:40:00Z'
const spaces = (text: string) => text.replaceAll(/\s/g, ' ')

test('moments, numbers and amounts are written as the chosen place writes them', () => {
  const written = (locale: string) => {
    formats.applyFormats({ locale, zone: 'UTC' })
    return [
      formats.dateOf(at),
      formats.grouped(12_400),
      formats.money(800),
      formats.moneyToTheCent(825),
      formats.shortDay('2026-11-17'),
    ].map(spaces)
  }
  assert.deepEqual(written('de-DE'), ['17.11.2026, 00:40', '12.400', '8 €', '8,25 €', '17. Nov.'])
  assert.deepEqual(written('ja-JP'), ['2026/11/17 0:40', '12,400', '€8', '€8.25', '11月17日'])
  assert.deepEqual(written('en-US'), ['Nov 17, 2026, 12:40 AM', '12,400', '€8', '€8.25', 'Nov 17'])
})

test('the time zone is the chosen one, except for days of a calendar', () => {
  formats.applyFormats({ locale: 'en-GB', zone: 'Asia/Tokyo' })
  assert.equal(formats.dateOf(at), '17 Nov 2026, 09:40')
  assert.equal(formats.shortDay('2026-11-17'), '17 Nov')
  assert.ok(formats.isNotUtc(at))
  formats.applyFormats({ locale: 'en-GB', zone: 'UTC' })
  assert.ok(!formats.isNotUtc(at))
})
