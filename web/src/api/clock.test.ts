import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aheadBy, hearTime, serverNow } from './clock.ts'

describe('the time of the server', () => {
  const date = 'Tue, 17 Nov 2026 12:00:00 GMT'
  const noon = Date.parse(date)

  test('is counted from the date of an answer, whatever the browser’s clock says', () => {
    const tenMinutes = 600_000
    assert.equal(aheadBy(date, noon - tenMinutes, noon - tenMinutes + 1_000), tenMinutes)
    assert.equal(aheadBy(date, noon + tenMinutes, noon + tenMinutes + 1_000), -tenMinutes)
  })

  test('is the browser’s where both agree but for what an answer takes', () => {
    assert.equal(aheadBy(date, noon - 200, noon + 900), 0)
    assert.equal(aheadBy(date, noon - 1_800, noon + 2_000), 0)
  })

  test('is left as it was by an answer without a date, or that took too long to tell', () => {
    assert.equal(aheadBy(null, noon, noon), null)
    assert.equal(aheadBy('yesterday', noon, noon), null)
    assert.equal(aheadBy(date, noon - 60_000, noon), null)
  })

  test('is what deadlines are compared with', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: noon - 600_000 })
    hearTime(date, noon - 600_500, noon - 599_500)
    assert.ok(Math.abs(serverNow() - noon) <= 500)
    hearTime(null, 0, 0)
    assert.ok(Math.abs(serverNow() - noon) <= 500)
  })
})
