import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from './signed.ts'

test('what was signed is read from its envelope, letter for letter', () => {
  const predicate = { run: 'run-7k2q', demonstration: 'Größe → 40 %' }
  const payload = Buffer.from(JSON.stringify({ predicate })).toString('base64')
  assert.deepEqual(signedIn({ envelope: JSON.stringify({ payload, signatures: [] }) }), predicate)
})
