import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePageOf } from './code-page.ts'

const connected = [
  { kind: 'github', web: 'https://code.example.com' },
  { kind: 'gitlab', web: 'https://example.com:8443/gitlab' },
] as const

const linksOf = (address: string) => {
  const page = codePageOf(address, connected)
  return page && [page.commit('c0ffee'), page.pullRequest(12)]
}

test('a commit and a pull request are linked on known hosts and on hosts of one’s own, however git is let in', () => {
  assert.deepEqual(linksOf('https://github.com/halden/shop.git'), [
    'https://github.com/halden/shop/commit/c0ffee',
    'https://github.com/halden/shop/pull/12',
  ])
  assert.deepEqual(linksOf('git@gitlab.com:halden/apps/shop.git'), [
    'https://gitlab.com/halden/apps/shop/-/commit/c0ffee',
    'https://gitlab.com/halden/apps/shop/-/merge_requests/12',
  ])
  const own = [
    'https://code.example.com/halden/shop/commit/c0ffee',
    'https://code.example.com/halden/shop/pull/12',
  ]
  assert.deepEqual(linksOf('https://user:secret@code.example.com/halden/shop.git'), own)
  assert.deepEqual(linksOf('ssh://git@code.example.com:2222/halden/shop.git'), own)
  const below = 'https://example.com:8443/gitlab/halden/shop/-/commit/c0ffee'
  assert.equal(linksOf('https://example.com:8443/gitlab/halden/shop.git')?.[0], below)
  assert.equal(linksOf('git@example.com:halden/shop.git')?.[0], below)
})

test('an address of a host that is not known, or that would leave a link, is not linked', () => {
  for (const address of [
    'https://git.example.com/halden/shop.git',
    'https://example.com:8443/other/shop.git',
    'https://example.com/gitlab/halden/shop.git',
    'file:///srv/git/shop.git',
    'checkout-web',
    'https://github.com/halden/shop)[x](https://elsewhere.example',
    'https://github.com/',
  ])
    assert.equal(linksOf(address), null, address)
})
