import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Pass, Passes } from './passes.ts'

const pass: Pass = {
  ...{ workspaceId: 'w', runnerId: 'r', tokenId: 't', run: 'run-7k2q', fence: 3, access: 'read' },
  repository: { name: 'halden/shop', connectionId: 'c' },
  expiresAt: '2026-11-16T09:00:00.000Z',
}
const soon = new Date('2026-11-16T08:59:59.999Z')
const refused = { code: 'invalid_token' }

test('a pass is known on every node with the key, until it expires', () => {
  const key = randomBytes(32)
  const sealed = new Passes(key).seal(pass)
  assert.match(sealed, /^sbg_/)
  assert.deepEqual(new Passes(key).open(sealed, soon), pass)
  assert.throws(() => new Passes(key).open(sealed, new Date(pass.expiresAt)), refused)
  assert.throws(() => new Passes(randomBytes(32)).open(sealed, soon), refused)
})

test('a pass in which anything was changed is none', () => {
  const passes = new Passes(randomBytes(32))
  const sealed = passes.seal(pass)
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    assert.throws(() => passes.open(`${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`, soon), refused)
    assert.throws(() => passes.open(sealed.slice(0, at), soon), refused)
  }
  const [, mac] = sealed.split('.')
  const wider = Buffer.from(JSON.stringify({ ...pass, access: 'write' })).toString('base64url')
  for (const text of [
    '',
    'sbg_',
    'sbg_.',
    `sbg_${wider}.${mac}`,
    `${sealed}=`,
    ` ${sealed}`,
    `${sealed}.${mac}`,
  ])
    assert.throws(() => passes.open(text, soon), refused)
})
