import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysIn } from './keys-in.ts'

const keys = (text: string) => keysIn(text).filter((_, at) => at % 2)

test('the keys of a sentence stay on one line, whatever is beside them', () => {
  assert.deepEqual(keysIn('PAR-12 was merged (run-7k2q).'), ['', 'PAR-12', ' was merged (', 'run-7k2q', ').'])
  assert.deepEqual(keys('dec-ab12: inc-4m8t, run-7k2q9z, A-1'), ['dec-ab12', 'inc-4m8t', 'run-7k2q9z', 'A-1'])
})

test('what only looks like a key breaks as words do', () => {
  assert.deepEqual(keys('re-run-7k2q run-times run-7k2q9 PAR-012 par-12 XPAR-12-4 long-running'), [])
  assert.deepEqual(keysIn('nothing'), ['nothing'])
})
