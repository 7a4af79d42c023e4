import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { secretsFrom } from './secrets.ts'
import { openNote, readVerifierKey, signNote, textOf, verifierKey } from './signed-note.ts'

const { signing } = secretsFrom('a secret for tests')
const other = secretsFrom('another secret').signing
const text = 'example.org/log\n3\nroot\n'

// From golang.org/x/mod/sumdb/note, the implementation that C2SP's definition grew from.
const neumann = {
  seed: 'gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS/F1ccoMXM=',
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  note: `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`,
}

test('a note is signed and opened byte for byte as by the reference implementation', () => {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(neumann.seed, 'base64'),
  ])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { name, publicKey } = readVerifierKey(neumann.key)
  assert.equal(signNote(textOf(neumann.note), 'PeterNeumann', privateKey), neumann.note)
  assert.deepEqual(openNote(neumann.note, publicKey), { text: textOf(neumann.note), name: 'PeterNeumann' })
  assert.equal(verifierKey(name, publicKey), neumann.key)
})

test('a note opens with the key that signed it and says who signed', () => {
  assert.deepEqual(openNote(signNote(text, 'example.org/log', signing.privateKey), signing.publicKey), {
    text,
    name: 'example.org/log',
  })
})

test('a changed text, another key and another name are refused', () => {
  const note = signNote(text, 'example.org/log', signing.privateKey)
  assert.throws(() => openNote(note.replace('\n3\n', '\n4\n'), signing.publicKey), /signature does not match/)
  assert.throws(() => openNote(note, other.publicKey), /not signed with this key/)
  assert.throws(
    () => openNote(note.replace('— example.org', '— example.com'), signing.publicKey),
    /not signed/,
  )
  assert.throws(() => openNote(text, signing.publicKey), /not a signed note/)
})

test('the signature of a witness beside ours is passed over', () => {
  const witness = signNote(text, 'witness.example', other.privateKey).slice(text.length + 1)
  const ours = signNote(text, 'example.org/log', signing.privateKey)
  const cosigned = `${text}\n${witness}${ours.slice(text.length + 1)}`
  assert.equal(openNote(cosigned, signing.publicKey).name, 'example.org/log')
})

test('a verifier key with a letter changed is refused', () => {
  const key = verifierKey('example.org/log', signing.publicKey)
  assert.throws(() => readVerifierKey(key.replace('example', 'exemple')), /does not match its own id/)
  assert.throws(() => readVerifierKey('example.org/log'), /not a verifier key/)
})
