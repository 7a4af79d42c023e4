import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago } from './ago.ts'

const now = Date.parse('2026-11-17T12:00:00Z')
const lengths = { minute: 60, hour: 3_600, day: 86_400, month: 2_592_000, year: 31_536_000 }
const most = { minute: 59, hour: 23, day: 29, month: 12, year: 30 }

test('a moment is as far away as Intl.RelativeTimeFormat says, which is not loaded for it, in the units of durations', () => {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  const inUnits = (text: string) => text.replace(/hours?/, 'h').replace(/minutes?/, 'min')
  for (const unit of Object.keys(lengths) as (keyof typeof lengths)[])
    for (let count = 1; count <= most[unit]; count += 1)
      for (const sign of [-1, 1]) {
        const at = new Date(now + sign * count * lengths[unit] * 1000)
        assert.equal(ago(at, now), inUnits(format.format(sign * count, unit)))
      }
  assert.equal(ago(new Date(now - 2 * 3_600_000), now), '2 h ago')
})

test('what lies ahead is rounded, what is over is counted in full, and less than a minute is said so', () => {
  const after = (seconds: number) => ago(new Date(now + seconds * 1000), now)
  assert.equal(after(6.6 * 86_400), 'in 7 days')
  assert.equal(after(-6.6 * 86_400), '6 days ago')
  assert.equal(after(30), 'in less than a minute')
  assert.equal(after(-30), 'just now')
})
