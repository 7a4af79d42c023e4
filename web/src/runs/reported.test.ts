import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportedSentence, signedCost } from './reported.ts'

test('a run whose calls were all metered is not marked', () => {
  assert.equal(reportedSentence([]), null)
  assert.equal(reportedSentence([{ source: 'gateway', cents: 120 }]), null)
  assert.equal(signedCost({ currency: 'USD', amount: 1.2 }), '1.20 USD')
})

test('what is only the agent’s own number is marked, with how much of the cost it is', () => {
  assert.match(
    reportedSentence([{ source: 'agent', cents: 41.2 }])!,
    /^Not metered: €0\.42, the whole cost, is/,
  )
  const mixed = [
    { source: 'gateway', cents: 120 },
    { source: 'agent', cents: 30 },
  ] as const
  assert.match(reportedSentence(mixed)!, /^Not metered: €0\.30 of the cost, is/)
  assert.equal(signedCost({ currency: 'USD', amount: 1, reported: 1 }), '1.00 USD, reported by the agent')
  assert.equal(
    signedCost({ currency: 'USD', amount: 1, reported: 0.25 }),
    '1.00 USD, of it 0.25 USD reported by the agent',
  )
})
