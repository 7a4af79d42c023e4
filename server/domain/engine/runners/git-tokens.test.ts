import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretsFrom } from '../../../infra/secrets.ts'
import { type GitToken, GitTokens } from './git-tokens.ts'

const gitToken: GitToken = {
  ...{ workspaceId: 'w', runnerId: 'r', tokenId: 't', run: 'run-7k2q', fence: 3, access: 'read' },
  repository: { name: 'halden/shop', connectionId: 'c' },
  expiresAt: '2026-11-16T09:00:00.000Z',
}
const soon = new Date('2026-11-16T08:59:59.999Z')
const [one, other] = ['a key that is long enough for tests', 'another key that is long enough']
const keys = secretsFrom(one!).macKeys('git passes')
const otherKeys = secretsFrom(other!).macKeys('git passes')
const refused = { code: 'invalid_token' }

test('a git token is known on every node with the key, until it expires', () => {
  const sealed = new GitTokens(keys).seal(gitToken)
  assert.match(sealed, /^sbg_/)
  assert.deepEqual(new GitTokens(keys).open(sealed, soon), gitToken)
  assert.throws(() => new GitTokens(keys).open(sealed, new Date(gitToken.expiresAt)), refused)
  assert.throws(() => new GitTokens(otherKeys).open(sealed, soon), refused)
  const rotating = new GitTokens(secretsFrom(other!, one!).macKeys('git passes'))
  assert.deepEqual(rotating.open(sealed, soon), gitToken, 'of the key before')
  assert.deepEqual(new GitTokens(otherKeys).open(rotating.seal(gitToken), soon), gitToken)
})

test('a git token in which anything was changed is none', () => {
  const gitTokens = new GitTokens(otherKeys)
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
