import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('short texts are no secrets, and a header is masked without its scheme', () => {
  const secrets = new Secrets(['true', '1234'])
  secrets.addHeader('Authorization: Basic aGVsbG86c2VjcmV0LXdvcmQ=')
  assert.equal(secrets.maskedText('true 1234 Basic aGVsbG86c2VjcmV0LXdvcmQ='), 'true 1234 Basic ***')
})

test('keys of models are secrets by their names', () => {
  const environment = { ANTHROPIC_API_KEY: 'sk-ant-1', GITHUB_TOKEN: 'ghp', PATH: '/bin', EMPTY_KEY: '' }
  assert.deepEqual(secretsOf(environment), ['sk-ant-1', 'ghp'])
})
