import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hearPosition, positionHeaders } from './replica-position.ts'

test('a read carries the furthest position that the page was told of, and none before', () => {
  assert.deepEqual(positionHeaders(), {})
  const sent = [41, 42, 40, undefined].map((heard) => {
    hearPosition(heard)
    return positionHeaders()['x-signalbox-position']
  })
  assert.deepEqual(sent, ['41', '42', '42', '42'])
})
