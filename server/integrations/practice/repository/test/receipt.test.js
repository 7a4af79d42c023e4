import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receipt } from '../src/receipt.js'

const items = [
  { name: 'Tea', cents: 450 },
  { name: 'Cake', cents: 550 },
]

test('a receipt lists the items and their total', () => {
  assert.equal(receipt({ items }), 'Tea 4.50\nCake 5.50\nTotal 10.00')
})
