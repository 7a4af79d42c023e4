import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvidencePack } from '@signalbox/contract/runner/evidence.ts'
import { signedIn, statementsIn } from './signed.ts'

test('what was signed is read from its envelope, letter for letter', () => {
  const predicate = { run: 'run-7k2q', demonstration: 'Größe → 40 %' }
  const payload = Buffer.from(JSON.stringify({ predicate })).toString('base64')
  assert.deepEqual(signedIn({ envelope: JSON.stringify({ payload, signatures: [] }) }), predicate)
})

test('the statements of gates and the summary are read with the hashes that the log has of them', () => {
  const sealed = (predicate: unknown) =>
    JSON.stringify({ payload: Buffer.from(JSON.stringify({ predicate })).toString('base64') })
  const configuration = [{ name: 'test', digest: { sha256: 'x' } }]
  const statements = [
    sealed({ result: 'WARNED', configuration, passedTests: ['a', 'b'], failedTests: ['c'] }),
    sealed({ result: 'PASSED', configuration }),
    sealed({
      verificationResult: 'PASSED',
      verifiedLevels: ['SIGNALBOX_GATES', 'SIGNALBOX_ISOLATION_BOX'],
      inputAttestations: [{}, {}, {}],
    }),
  ]
  const audit = { entry: { details: { statements: ['1', '2', '3'] } } } as unknown as EvidencePack['audit']
  assert.deepEqual(statementsIn({ statements, audit }), [
    { gate: 'test', result: 'WARNED', detail: '2 passed, 1 failed', sha256: '1' },
    { gate: 'test', result: 'PASSED', detail: 'No test names reported', sha256: '2' },
    { gate: null, result: 'PASSED', detail: 'From 3 statements · gates passed · closed box', sha256: '3' },
  ])
  assert.deepEqual(statementsIn({ audit }), [])
})
