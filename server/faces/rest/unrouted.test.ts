import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testApp } from '../../test/app.ts'
import { aMember, aToken, aWorkspace } from '../../test/factories.ts'

/** Every request with a living token counts against it, also one that no endpoint takes. */

const limit = 5
const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: String(limit) } })
after(() => app.stop())
const owner = await aMember(await aWorkspace(app.storage.db), 'owner')

const lost: [name: string, method: string, path: string, status: number][] = [
  ['a path that is none', 'GET', '/v1/nothing', 404],
  ['a path that is none, asked for its headers', 'HEAD', '/v1/nothing', 404],
  ['another method', 'DELETE', '/v1/teams', 405],
  ['a HEAD where it would be recorded', 'HEAD', '/v1/audit/export', 405],
  ['an endpoint that is gone', 'GET', '/v1/tasks', 410],
  ['an endpoint that is gone, by its old address', 'POST', '/projects/7', 410],
]

const remaining = (answer: Response) => Number(answer.headers.get('x-ratelimit-remaining'))

for (const [name, method, path, status] of lost)
  test(`${name} counts against the token and shows its quota, and is never refused for it`, async () => {
    const { token } = await aToken(owner, ['read', 'write'])
    const ask = () => app.get(path, token, { method })
    for (let left = limit - 1; left >= 0; left -= 1) {
      const answer = await ask()
      assert.equal(answer.status, status)
      assert.equal(remaining(answer), left)
      await answer.body?.cancel()
    }
    const beyond = await ask()
    assert.deepEqual([beyond.status, remaining(beyond)], [status, 0])
    await beyond.body?.cancel()
    const served = await app.get('/v1/teams', token)
    assert.equal(served.status, 429, 'the quota is that of all its requests')
    await served.body?.cancel()
  })

test('a body that is too large counts as any other request: 401 comes first, then 429, then 413', async () => {
  const { token } = await aToken(owner, ['read', 'write'])
  const statusOf = async (given: string | undefined) => {
    const post = { method: 'POST', body: 'x'.repeat(70_000) }
    const answer = await app.get('/v1/decisions/dec-0000/resolve', given, post)
    await answer.body?.cancel()
    return answer.status
  }
  for (let left = limit - 1; left >= 0; left -= 1) assert.equal(await statusOf(token), 413)
  assert.equal(await statusOf(token), 429)
  assert.equal(await statusOf(undefined), 401)
})

test('without a living token the same are counted by address, and OPTIONS is not counted', async () => {
  const { token } = await aToken(owner)
  for (const given of [undefined, 'tk_short', `tk_${'a'.repeat(32)}`]) {
    const answer = await app.get('/v1/nothing', given)
    assert.equal(answer.status, 404)
    assert.ok(answer.headers.has('x-ratelimit-remaining'))
    await answer.body?.cancel()
  }
  for (const path of ['/v1/teams', '/v1/nothing']) {
    const options = await app.get(path, token, { method: 'OPTIONS' })
    await options.body?.cancel()
  }
  const first = await app.get('/v1/teams', token)
  assert.equal(remaining(first), limit - 1)
  await first.body?.cancel()
})
