import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPublicKey, sign, verify } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openIdentity } from './identity.ts'
import { lockFolder } from './lock.ts'

const scratch = (t: { after(done: () => void): void }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'identity-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the same folder is the same runner with the same key, and every start is a new boot', (t) => {
  const folder = scratch(t)
  const [first, second] = [openIdentity(folder), openIdentity(folder)]
  assert.equal(first.instance, second.instance)
  assert.equal(first.publicKey, second.publicKey)
  assert.notEqual(first.boot, second.boot)
  assert.equal(Buffer.from(first.publicKey, 'base64').length, 32)
  const signature = sign(null, Buffer.from('evidence'), second.key)
  assert.ok(verify(null, Buffer.from('evidence'), createPublicKey(first.key), signature))
})

test('no one else can read the key', (t) => {
  const folder = scratch(t)
  openIdentity(folder)
  for (const file of ['evidence-key.pem', 'instance'])
    assert.equal(statSync(path.join(folder, file)).mode & 0o777, 0o600)
})

test('a second process is kept out of the folder, and told what to do', (t) => {
  const folder = scratch(t)
  const lock = lockFolder(folder)
  const other = () =>
    spawnSync(process.execPath, [
      '-e',
      `import(${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))}).then(({ lockFolder }) => lockFolder(${JSON.stringify(folder)}))`,
    ])
  assert.match(`${other().stderr}`, /Another runner \(process \d+\) uses .* --data/)
  lock.release()
  assert.equal(other().status, 0)
})

test('what a process that is gone left behind is taken over', (t) => {
  const folder = scratch(t)
  const script = `import(${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))}).then(({ lockFolder }) => { lockFolder(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL') })`
  assert.equal(spawnSync(process.execPath, ['-e', script]).signal, 'SIGKILL')
  lockFolder(folder).release()
})
