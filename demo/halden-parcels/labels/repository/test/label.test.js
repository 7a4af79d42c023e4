import assert from 'node:assert/strict'
import { test } from 'node:test'
import { label } from '../src/label.js'

const ada = { name: 'Ada Quist', street: 'Storgata 4', postcode: '1772', city: 'Halden' }

test('a label has name, street, postcode and city', () => {
  assert.equal(label(ada), 'Ada Quist\nStorgata 4\n1772 Halden')
})
