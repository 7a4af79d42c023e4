import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { secretFile } from './db/secret-file.ts'
import { hashPassword, secretsFrom, verifyPassword } from './secrets.ts'

test('one key gives the same secrets everywhere, and another key others', () => {
  const [one, same, other] = ['a'.repeat(32), 'a'.repeat(32), 'b'.repeat(32)].map((key) => secretsFrom(key))
  assert.equal(one!.fingerprint, same!.fingerprint)
  assert.deepEqual(one!.derive('x'), same!.derive('x'))
  assert.notDeepEqual(one!.derive('x'), one!.derive('y'))
  assert.notEqual(one!.fingerprint, other!.fingerprint)
  const text = (secrets: typeof one) => secrets!.signing.publicKey.export({ format: 'pem', type: 'spki' })
  assert.equal(text(one), text(same))
  assert.notEqual(text(one), text(other))
})

test('a generated secret is kept, readable by its owner alone', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-secret-'))
  const first = await secretFile(folder, 'secret.key')
  assert.equal(await secretFile(folder, 'secret.key'), first)
  assert.ok(first.length >= 32)
  assert.equal((await stat(path.join(folder, 'secret.key'))).mode & 0o777, 0o600)
  await rm(folder, { recursive: true })
})

test('a key that was left empty or half written is refused and left as it is', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-secret-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'secret.key')
  for (const text of ['', '\n', 'a'.repeat(31)]) {
    await writeFile(file, text)
    await assert.rejects(
      secretFile(folder, 'secret.key'),
      /secret\.key is damaged.*Put it back from a backup/,
    )
    assert.equal(await readFile(file, 'utf8'), text)
  }
})

test('a password is kept as argon2id and only the right one opens it', async () => {
  const hash = await hashPassword('correct horse')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await verifyPassword('correct horse', hash), true)
  assert.equal(await verifyPassword('wrong horse', hash), false)
  assert.equal(await verifyPassword('correct horse', 'not a hash'), false)
})

test('what was encrypted is read again in its row, and nothing else is', () => {
  const secrets = secretsFrom(key)
  const sealed = secrets.encrypt('hunter2 ✓', 'row 1')
  assert.equal(secrets.decrypt(sealed, 'row 1'), 'hunter2 ✓')
  assert.ok(!sealed.includes('hunter2'))
  assert.notDeepEqual(secrets.encrypt('hunter2 ✓', 'row 1'), sealed)
  assert.throws(() => secrets.decrypt(sealed, 'row 2'))
  assert.throws(() => secretsFrom('another key that is long enough').decrypt(sealed, 'row 1'))
  sealed[sealed.length - 1]! ^= 1
  assert.throws(() => secrets.decrypt(sealed, 'row 1'))
})

const key = 'a key that is long enough for the purpose'

/** As earlier versions encrypted: bound to nothing. */
function unbound(text: string, nonce: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', secretsFrom(key).derive('stored secrets'), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

test('what an earlier version encrypted is read, whatever it begins with', () => {
  const secrets = secretsFrom(key)
  for (const first of [0, 1, 2, 255]) {
    const sealed = unbound('hunter2', Buffer.concat([Buffer.of(first), randomBytes(11)]))
    assert.equal(secrets.decrypt(sealed, 'row 1'), 'hunter2')
    assert.equal(secrets.isBound(sealed, 'row 1'), false)
  }
  assert.equal(secrets.isBound(secrets.encrypt('hunter2', 'row 1'), 'row 1'), true)
})
