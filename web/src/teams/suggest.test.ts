import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefixFor, slugFor } from './suggest.ts'

test('a name suggests a slug and a key prefix', () => {
  assert.equal(slugFor('Checkout Web'), 'checkout-web')
  assert.equal(slugFor('  Über & Größe! '), 'uber-gro-e')
  assert.equal(prefixFor('Checkout Web'), 'CW')
  assert.equal(prefixFor('Billing'), 'BILL')
  assert.equal(prefixFor('3 lockers'), 'L')
  assert.equal(prefixFor(''), '')
})
