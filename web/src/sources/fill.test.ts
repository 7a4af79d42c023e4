import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fill, fillCommand } from './fill.ts'

const url = 'https://signalbox.example.com/signals/abc'

test('the address and the secret are put into a step', () => {
  assert.equal(fill('{url} {secret}', { url, secret: 'a+b' }), `${url} a+b`)
  assert.equal(fill('{key}', { url, secret: 'a+b' }), `${url}?key=a%2Bb`)
  assert.equal(fill('{key} {secret}', { url, secret: null }), `${url}?key=SECRET SECRET`)
})

test('a command finds them in its variables', () => {
  assert.equal(fillCommand('curl', { url, secret: 's' }), `URL='${url}'\nSECRET='s'\ncurl`)
  assert.match(fillCommand('curl', { url, secret: null }), /SECRET='your secret'/)
})
