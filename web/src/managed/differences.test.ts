import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differencesOf } from './differences.ts'

test('a difference has the field, what the file says and what is so now, of objects only the parts that differ', () => {
  const fields = [
    { field: 'role', file: 'member', now: 'admin' },
    { field: 'deniedPaths', file: ['infra/**', '*.sql'], now: [] },
    { field: 'description', file: null, now: 'x'.repeat(100) },
    {
      field: 'budgets',
      file: { runCents: 500, dayCents: null },
      now: { runCents: 500, dayCents: 2_000 },
    },
  ]
  assert.deepEqual(
    differencesOf(fields).map(({ field, file, now }) => [field, file, now]),
    [
      ['role', 'member', 'admin'],
      ['deniedPaths', 'infra/**, *.sql', 'None'],
      ['description', 'None', `${'x'.repeat(79)}…`],
      ['budgets.dayCents', 'None', '2000'],
    ],
  )
})
