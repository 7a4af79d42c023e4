import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import fc from 'fast-check'
import { Secrets, secretsOf } from './mask.ts'

const token = 'tk_0123456789abcdefghijklmnopqrstuv'

test('a secret is masked in lines and in every text of a report', () => {
  const secrets = new Secrets([token])
  assert.equal(secrets.maskedText(`a ${token} b ${token}`), 'a *** b ***')
  assert.deepEqual(secrets.masked({ type: 'failed', list: [`${token}!`], count: 3, none: null }), {
    type: 'failed',
    list: ['***!'],
    count: 3,
    none: null,
  })
})

test('a secret is masked in the spellings in which it turns up', () => {
  const odd = 'p/ss"word+1234'
  const secrets = new Secrets([odd])
  for (const spelling of [encodeURIComponent(odd), JSON.stringify(odd)])
    assert.ok(!secrets.maskedText(spelling).includes('1234'), spelling)
  for (const before of ['', 'x', 'xx', 'user:']) {
    const encoded = Buffer.from(`${before}${odd}`).toString('base64')
    assert.match(secrets.maskedText(encoded), /\*\*\*/, encoded)
  }
})

test('short texts are no secrets, and of a header only the credential is one', () => {
  const secrets = new Secrets(['true', '1234'])
  secrets.addHeader('Authorization: Basic aGVsbG86c2VjcmV0LXdvcmQ=')
  secrets.addHeader('PRIVATE-TOKEN: glpat-0123456789')
  secrets.addHeader('X-Very-Long-Header-Name: Bearertoken 0123456789abcdef')
  assert.equal(
    secrets.maskedText('true 1234 Authorization: Basic aGVsbG86c2VjcmV0LXdvcmQ='),
    'true 1234 Authorization: Basic ***',
  )
  assert.equal(secrets.maskedText('its password is secret-word'), 'its password is ***')
  assert.equal(secrets.maskedText('PRIVATE-TOKEN: glpat-0123456789'), 'PRIVATE-TOKEN: ***')
  assert.equal(
    secrets.maskedText('X-Very-Long-Header-Name: Bearertoken 0123456789abcdef'),
    'X-Very-Long-Header-Name: Bearertoken ***',
  )
})

test('paths, branches, hashes and names are told as they are, whatever is a secret', () => {
  const secrets = new Secrets(['postgres-data', 'persistent', 'a'.repeat(40)])
  secrets.addHeader('Authorization: Basic aGVsbG86c2VjcmV0LXdvcmQ=')
  const paths = ['src/Authorization/rule.ts', 'infra/postgres-data/init.sql']
  const change: RunnerEvent = {
    type: 'change_ready',
    change: { files: 2, additions: 1, deletions: 1, paths },
    work: { base: 'a'.repeat(40), head: 'b'.repeat(40), bundle: 'c'.repeat(64) },
    findings: ['infra/postgres-data/init.sql is new.'],
  }
  assert.deepEqual(secrets.masked(change), { ...change, findings: ['infra/***/init.sql is new.'] })
  assert.deepEqual(secrets.leftIn(change), ['infra/***/init.sql', '***'])
  const failed: RunnerEvent = { type: 'failed', failureClass: 'persistent', error: 'It is persistent.' }
  assert.deepEqual(secrets.masked(failed), { ...failed, error: 'It is ***.' })
})

test('what an order brings is masked in it, and known to no other order', () => {
  const process = new Secrets([token])
  const [one, two] = [process.forOrder(), process.forOrder()]
  one.add('only-for-the-first')
  assert.equal(one.maskedText(`${token} only-for-the-first`), '*** ***')
  assert.equal(two.maskedText(`${token} only-for-the-first`), '*** only-for-the-first')
  assert.equal(process.maskedText('only-for-the-first'), 'only-for-the-first')
})

test('of any text and any secrets nothing is left, and nothing else is masked', () => {
  const secret = fc.string({ unit: fc.constantFrom('a', 'b', '/', '"'), minLength: 8, maxLength: 12 })
  const between = fc.string({ unit: fc.constantFrom('x', 'y', ' '), maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(secret, { maxLength: 6 }),
      fc.array(secret, { maxLength: 6 }),
      fc.array(between),
      (process, order, texts) => {
        const secrets = new Secrets(process).forOrder()
        for (const one of order) secrets.add(one)
        const all = [...process, ...order]
        const plain = texts.join('')
        assert.equal(secrets.maskedText(plain), plain)
        const told = secrets.maskedText(
          texts.map((text, at) => text + (all[at % all.length] ?? '')).join('x'),
        )
        for (const one of all) assert.ok(!told.includes(one), told)
      },
    ),
  )
})

test('keys of models are secrets by their names', () => {
  const environment = { ANTHROPIC_API_KEY: 'sk-ant-1', GITHUB_TOKEN: 'ghp', PATH: '/bin', EMPTY_KEY: '' }
  assert.deepEqual(secretsOf(environment), ['sk-ant-1', 'ghp'])
})
