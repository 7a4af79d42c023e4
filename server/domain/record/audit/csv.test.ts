import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/any-character.ts'
import { csvHeader, csvLine, defuse, parseCsv } from './csv.ts'

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '=1+1',
    "'=1",
    '-2',
    ' +x',
    '\u00a0@sum',
    'a\n=b',
    'a\r\n-b',
    '\uff1dcmd',
    '"quoted", "twice"',
    '\t=x',
    "''@",
  ),
)
const entry = fc.record({
  id: fc.uuid(),
  timestamp: fc.constant('2026-03-31T12:00:00.000Z'),
  actor: fc.record({
    type: fc.constantFrom('human', 'service', 'system'),
    name: text,
    userId: fc.option(fc.uuid()),
  }),
  team: fc.option(fc.constantFrom('checkout-web', 'data')),
  runKey: fc.option(fc.constant('run-ab12')),
  event: fc.constant('team_paused'),
  result: fc.constantFrom('success', 'failure', 'denied'),
  entity: fc.record({
    type: fc.constant('team'),
    id: text.filter((id) => id !== ''),
    name: fc.option(text.filter((name) => name !== '')),
  }),
  details: fc.dictionary(fc.string(), fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))),
}) as unknown as fc.Arbitrary<AuditEntry>

test('a CSV export can be read back exactly, whatever the cells hold', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      const read = parseCsv(csvHeader + entries.map(csvLine).join(''))
      const expected = entries.map((one) => ({ ...one, actor: { ...one.actor, name: one.actor.name } }))
      assert.deepEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(expected)))
    }),
    { numRuns: 300 },
  )
})

test('no cell begins, on any of its lines, with what a spreadsheet would run', () => {
  fc.assert(
    fc.property(text, (value) => {
      const safe = defuse(value)
      if (safe !== value) return assert.equal(safe, `'${value}`)
      for (const line of value.split(/[\r\n]/)) assert.doesNotMatch(line.trim(), /^[=+\-@＝＋－＠]/u)
    }),
    { numRuns: 500 },
  )
})
