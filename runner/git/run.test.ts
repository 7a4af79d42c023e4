import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/origin.ts'
import { GitError, git, gitLine, invocation } from './run.ts'

test('the header goes into the environment of the process that reaches out, never into an argument', () => {
  const header = 'Authorization: Basic c2VjcmV0'
  const outside = invocation(['fetch'], { gitDir: '/store', reach: { protocol: 'https', header } })
  assert.equal(outside.environment.GIT_CONFIG_VALUE_0, header)
  assert.equal(outside.environment.GIT_CONFIG_COUNT, '1')
  assert.ok(!outside.args.join(' ').includes('c2VjcmV0'))
  assert.ok(outside.args.includes('protocol.https.allow=always'))
  assert.ok(!outside.args.includes('protocol.file.allow=always'))
  const inside = invocation(['status'], { gitDir: '/store' })
  assert.ok(!Object.keys(inside.environment).some((key) => key.startsWith('GIT_CONFIG_VALUE')))
  assert.deepEqual(
    inside.args.filter((arg) => arg.startsWith('protocol.')),
    ['protocol.allow=never'],
  )
})

test('authorities of its own are believed where they are named, and those of the machine elsewhere', () => {
  const reach = { protocol: 'https', header: null } as const
  const named = invocation(['fetch'], { gitDir: '/store', reach: { ...reach, authorities: '/own.pem' } })
  assert.equal(named.environment.GIT_SSL_CAINFO, '/own.pem')
  const usual = invocation(['fetch'], { gitDir: '/store', reach })
  assert.ok(!('GIT_SSL_CAINFO' in usual.environment))
})

test('nothing of the environment reaches git but the PATH', () => {
  process.env.GIT_DIR = '/elsewhere'
  process.env.SERVICE_API_KEY = 'tk_secret'
  try {
    const { environment } = invocation(['status'], { gitDir: '/store' })
    assert.deepEqual(Object.keys(environment).sort(), [
      'GIT_ATTR_NOSYSTEM',
      'GIT_CONFIG_GLOBAL',
      'GIT_CONFIG_NOSYSTEM',
      'GIT_LITERAL_PATHSPECS',
      'GIT_NO_LAZY_FETCH',
      'GIT_NO_REPLACE_OBJECTS',
      'GIT_OPTIONAL_LOCKS',
      'GIT_TERMINAL_PROMPT',
      'HOME',
      'LC_ALL',
      'PATH',
    ])
  } finally {
    delete process.env.GIT_DIR
    delete process.env.SERVICE_API_KEY
  }
})

test('a git that prints too much or takes too long is ended with all it has started', async (t) => {
  const gitDir = temporaryFolder(t)
  await git(['init', '--quiet', '--bare'], { gitDir })
  const blob = await gitLine(['hash-object', '-w', '--stdin'], { gitDir, input: 'x'.repeat(100_000) })
  const look = (options: object) => git(['cat-file', 'blob', blob], { gitDir, ...options })
  await assert.rejects(look({ maxBytes: 1_000 }), /printed more than 1000 bytes/)
  assert.equal((await look({ maxBytes: 1_000, cuts: true })).length, 1_000)
  // An alias of the command line is the one way to have git start something slow, which holds what git prints open.
  await assert.rejects(
    git(['-c', 'alias.slow=!sleep 600', 'slow'], { gitDir, timeoutMs: 300 }),
    /longer than 0.3 s/,
  )
})

test('what git says when it fails is passed on, without the header', async (t) => {
  const gitDir = temporaryFolder(t)
  await git(['init', '--quiet', '--bare'], { gitDir })
  await assert.rejects(git(['cat-file', 'blob', 'HEAD'], { gitDir }), (error) => {
    assert.ok(error instanceof GitError)
    assert.match(error.message, /^git cat-file: fatal: /)
    return true
  })
  const reach = { protocol: 'file' as const, header: 'Authorization: Basic c2VjcmV0' }
  await assert.rejects(git(['fetch', '--', '/nowhere/c2VjcmV0', 'main'], { gitDir, reach }), (error) => {
    assert.ok(!String(error).includes('c2VjcmV0'))
    return true
  })
})

test('no address is reached by a protocol that was not asked for', async (t) => {
  const gitDir = temporaryFolder(t)
  await git(['init', '--quiet', '--bare'], { gitDir })
  const other = path.join(gitDir, 'other')
  mkdirSync(other)
  for (const address of [
    other,
    `file://${other}`,
    'ext::touch /tmp/x',
    'http://127.0.0.1:1/x',
    'ssh://127.0.0.1:1/x',
  ])
    await assert.rejects(
      git(['fetch', '--', address, 'main'], { gitDir, reach: { protocol: 'https', header: null } }),
      /transport '(file|ext|http|ssh)' not allowed/,
      address,
    )
})
