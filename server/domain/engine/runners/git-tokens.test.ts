import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type GitToken, GitTokens } from './git-tokens.ts'

const gitToken: GitToken = {
  ...{ workspaceId: 'w', runnerId: 'r', tokenId: 't', run: 'run-7k2q', fence: 3, access: 'read' },
  repository: { name: 'halden/shop', connectionId: 'c' },
  expiresAt: '2026-11-16T09:00:00.000Z',
}
const soon = new Date('2026-11-16T08:59:59.999Z')
const refused = { code: 'invalid_token' }

test('a git token is known on every node with the key, until it expires', () => {
  const key = randomBytes(32)
  const sealed = new GitTokens(key).seal(gitToken)
  assert.match(sealed, /^sbg_/)
  assert.deepEqual(new GitTokens(key).open(sealed, soon), gitToken)
  assert.throws(() => new GitTokens(key).open(sealed, new Date(gitToken.expiresAt)), refused)
  assert.throws(() => new GitTokens(randomBytes(32)).open(sealed, soon), refused)
})

test('a git token in which anything was changed is none', () => {
  const gitTokens = new GitTokens(randomBytes(32))
  const sealed = gitTokens.seal(gitToken)
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    assert.throws(
      () => gitTokens.open(`${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`, soon),
      refused,
    )
    assert.throws(() => gitTokens.open(sealed.slice(0, at), soon), refused)
  }
  const [, mac] = sealed.split('.')
  const wider = Buffer.from(JSON.stringify({ ...gitToken, access: 'write' })).toString('base64url')
  for (const text of [
    '',
    'sbg_',
    'sbg_.',
    `sbg_${wider}.${mac}`,
    `${sealed}=`,
    ` ${sealed}`,
    `${sealed}.${mac}`,
  ])
    assert.throws(() => gitTokens.open(text, soon), refused)
})
