import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathAfter } from './next.ts'

const origin = 'https://signalbox.example.com'

test('signing in leads back to a path of this server', () => {
  assert.equal(
    pathAfter('/acme/decisions?kind=clarification#first'),
    '/acme/decisions?kind=clarification#first',
  )
  assert.equal(pathAfter(undefined), '/')
  assert.equal(pathAfter('/login?next=/acme'), '/', 'not to the sign-in itself')
})

test('whatever `next` says, the browser stays on this server', () => {
  for (const next of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/./\\evil.example',
    '/acme/..//evil.example',
    '/%2e//evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
  ])
    assert.equal(new URL(pathAfter(next), origin).origin, origin, next)
})
