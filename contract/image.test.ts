import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatImageName, imageIn } from './image.ts'

const digest = `sha256:${'a'.repeat(64)}`

test('an image has the name that every tool gives it', () => {
  const names: [string, string][] = [
    ['node', 'docker.io/library/node:latest'],
    ['node:22-bookworm', 'docker.io/library/node:22-bookworm'],
    ['acme/ci', 'docker.io/acme/ci:latest'],
    ['docker.io/node:22', 'docker.io/library/node:22'],
    ['ghcr.io/acme/ci:1.2', 'ghcr.io/acme/ci:1.2'],
    ['localhost/ci', 'localhost/ci:latest'],
    ['registry.example.com:5000/a/b/c:x', 'registry.example.com:5000/a/b/c:x'],
    [`ghcr.io/acme/ci@${digest}`, `ghcr.io/acme/ci@${digest}`],
    // The digest decides; the tag beside it is for people.
    [`ghcr.io/acme/ci:1.2@${digest}`, `ghcr.io/acme/ci@${digest}`],
  ]
  assert.deepEqual(
    names.map(([text]) => formatImageName(imageIn(text)!)),
    names.map(([, full]) => full),
  )
})

test('what is no name of an image is none: another transport, a path, an option, a variable', () => {
  const others = [
    '',
    ' ',
    'Node',
    'node:',
    'node@sha256:abc',
    `node@${digest}@${digest}`,
    'docker://node',
    'dir:/etc',
    'oci-archive:/etc/passwd',
    '/etc',
    '../node',
    './node',
    '--tls-verify=false',
    '-q',
    'node 22',
    'node\n22',
    'node:22:23',
    '$' + '{localEnv:IMAGE}',
    'user:password@ghcr.io/acme/ci',
    'https://ghcr.io/acme/ci',
    'ghcr.io//ci',
    'ghcr.io/acme/',
    'a'.repeat(401),
  ]
  assert.deepEqual(
    others.filter((text) => imageIn(text) !== null),
    [],
  )
})

test('whatever is taken for a name is one: it holds nothing that a shell or a tool would take for something else', () => {
  const letters = fc.constantFrom(...'ab9./:@-_ \n$A'.split(''), 'ghcr.io', digest, '//', 'sha256:')
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), (parts) => {
      const image = imageIn(parts.join(''))
      if (!image) return
      const full = formatImageName(image)
      assert.match(full, /^[a-z0-9][\w.:@/-]*$/i)
      assert.doesNotMatch(full, /\/\/|\.\./)
      assert.deepEqual(formatImageName(imageIn(full)!), full)
    }),
  )
})
