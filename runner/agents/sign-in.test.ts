import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/origin.ts'
import { accessOf, signInFor } from './access.ts'
import { findSignIn, isExpired, subscribable } from './sign-in.ts'

const token = (claims: object) =>
  `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`

/** Sign-ins as the agents leave them in the home of the account that signed in. */
const signedIn = {
  '.claude/.credentials.json': {
    claudeAiOauth: { accessToken: 'claude-access', refreshToken: 'claude-refresh', expiresAt: 2e12 },
  },
  '.codex/auth.json': {
    OPENAI_API_KEY: null,
    tokens: {
      ...{ id_token: token({ email: 'a@example.com' }), access_token: token({ exp: 2e9 }) },
      ...{ refresh_token: 'codex-refresh', account_id: 'account' },
    },
    last_refresh: '2026-01-01T00:00:00Z',
  },
  '.gemini/oauth_creds.json': {
    access_token: 'google-access',
    refresh_token: 'google-refresh',
    expiry_date: 1,
  },
}

function homeWith(t: Parameters<typeof temporaryFolder>[0], files: Record<string, unknown>) {
  const home = temporaryFolder(t)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return home
}

test('sign-ins are found where each agent keeps them, and reach only its maker', (t) => {
  const place = { home: homeWith(t, signedIn), environment: {} }
  const found = subscribable.map((name) => findSignIn(name, place)!)
  assert.deepEqual(
    found.map(({ from, hosts }) => [from, hosts]),
    [
      ['~/.claude/.credentials.json', ['api.anthropic.com:443']],
      ['~/.codex/auth.json', ['chatgpt.com:443']],
      [
        '~/.gemini/oauth_creds.json',
        ['cloudcode-pa.googleapis.com:443', 'oauth2.googleapis.com:443', 'www.googleapis.com:443'],
      ],
    ],
  )
  for (const name of ['opencode', 'copilot', 'qwen', 'pi', 'command', 'scripted'] as const)
    assert.equal(findSignIn(name, place), null)
})

test('what renews the sign-ins of Claude Code and Codex stays outside', (t) => {
  const place = { home: homeWith(t, signedIn), environment: {} }
  for (const name of ['claude_code', 'codex'] as const)
    assert.doesNotMatch(JSON.stringify(findSignIn(name, place)), /-refresh/)
  assert.deepEqual(findSignIn('claude_code', place)!.environment, {
    CLAUDE_CODE_OAUTH_TOKEN: 'claude-access',
  })
  const { secrets, files } = findSignIn('codex', place)!
  assert.ok(secrets.every((secret) => files['.codex/auth.json']!.includes(secret)))
})

test('a token in the environment goes first, and what has expired says so', (t) => {
  const home = homeWith(t, signedIn)
  const environment = { CLAUDE_CODE_OAUTH_TOKEN: 'from-setup-token' }
  assert.deepEqual(findSignIn('claude_code', { home, environment })!.secrets, ['from-setup-token'])
  const found = (['claude_code', 'codex', 'gemini'] as const).map((name) =>
    findSignIn(name, { home, environment: {} }),
  )
  const at = (ms: number) => found.map((signIn) => isExpired(signIn!, new Date(ms)))
  assert.deepEqual(
    [at(1.9e12), at(2.1e12)],
    [
      [false, false, false],
      [true, true, false],
    ],
  )
})

test('a stored key is no subscription, and a broken file is none either', (t) => {
  const place = { environment: {}, home: homeWith(t, { '.codex/auth.json': { OPENAI_API_KEY: 'sk-1' } }) }
  assert.equal(findSignIn('codex', place), null)
  for (const broken of ['', '[]', '{"tokens":3}', '{"claudeAiOauth":{"accessToken":7}}']) {
    const files = Object.fromEntries(Object.keys(signedIn).map((name) => [name, broken]))
    const home = homeWith(t, files)
    for (const name of subscribable) assert.equal(findSignIn(name, { home, environment: {} }), null)
  }
})

test('a subscription is used only where the operator allows it and there is no key', (t) => {
  const place = { home: homeWith(t, signedIn), environment: {} }
  const anthropic = { base: 'https://api.anthropic.com', key: 'sk' }
  const off = { ...place, upstreams: {}, subscriptions: [] }
  const on = { ...off, subscriptions: ['claude_code'] }
  const keyed = { ...on, upstreams: { anthropic } }
  assert.deepEqual(
    [off, on, keyed].map((options) => accessOf('claude_code', options)),
    ['none', 'subscription', 'gateway'],
  )
  assert.deepEqual(
    [off, on, keyed].map((options) => signInFor('claude_code', options)?.from ?? null),
    [null, '~/.claude/.credentials.json', null],
  )
  assert.equal(accessOf('codex', keyed), 'none', 'a key of another maker is of no use')
  assert.equal(accessOf('scripted', on), undefined)
})
