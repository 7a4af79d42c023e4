import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { NewToken, Token } from '@signalbox/contract/app/tokens.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { until } from '../../../test/until.ts'

describe('API tokens in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  async function twoMembers() {
    const workspace = await aWorkspace(app.storage.db)
    const [one, other] = [await aMember(workspace, 'member'), await aMember(workspace, 'owner')]
    return {
      mine: await signedIn(app, { ...one, slug: workspace.slug }),
      theirs: await signedIn(app, { ...other, slug: workspace.slug }),
    }
  }
  const input = { name: 'ci', permissions: ['read'], expires: '30d' }
  const listed = async (response: Promise<Response>) =>
    ((await (await response).json()) as { data: Token[] }).data
  const codeOf = async (response: Response) =>
    ((await response.json()) as { error: { code: string } }).error.code

  test('a token works over REST until it is revoked, and is refused at once afterwards', async () => {
    const { mine } = await twoMembers()
    const made = (await (await mine.write('tokens.create', input)).json()) as NewToken
    assert.equal((await app.get('/v1/teams', made.token)).status, 200)
    assert.equal((await mine.write('tokens.revoke', { id: made.id })).status, 200)
    assert.equal((await app.get('/v1/teams', made.token)).status, 401)
    const [kept] = await listed(mine.read('tokens.list'))
    assert.ok(kept?.revokedAt)
  })

  test('when a token was last used is seen soon after', async () => {
    const { mine } = await twoMembers()
    const made = (await (await mine.write('tokens.create', input)).json()) as NewToken
    const began = Date.now()
    assert.equal((await app.get('/v1/teams', made.token)).status, 200)
    const lastUsed = async () => (await listed(mine.read('tokens.list')))[0]!.lastUsedAt
    await until('the use of the token is noted', async () => (await lastUsed()) !== null)
    assert.ok(Date.parse((await lastUsed())!) >= began - 1_000)
  })

  test('the value is in the answer that makes it and in no other, nor in the log', async () => {
    const { mine } = await twoMembers()
    const made = (await (await mine.write('tokens.create', input)).json()) as NewToken
    const text = await (await mine.read('tokens.list')).text()
    assert.ok(text.includes(made.prefix) && !text.includes(made.token))
    assert.equal(made.prefix, made.token.slice(0, 11))
    const { token: _, ...shown } = made
    assert.deepEqual((JSON.parse(text) as { data: Token[] }).data, [shown])
    assert.ok(!app.log.join('').includes(made.token))
  })

  test('no one else sees a token or can revoke it, not even an owner', async () => {
    const { mine, theirs } = await twoMembers()
    const made = (await (await mine.write('tokens.create', input)).json()) as NewToken
    assert.deepEqual(await listed(theirs.read('tokens.list')), [])
    const refused = await theirs.write('tokens.revoke', { id: made.id })
    assert.equal(refused.status, 403)
    assert.equal(await codeOf(refused), 'insufficient_role')
    assert.equal((await app.get('/v1/teams', made.token)).status, 200)
  })

  test('what a token may take is said before anything is made', async () => {
    const { mine } = await twoMembers()
    for (const wrong of [
      { ...input, permissions: [] },
      { ...input, permissions: ['root'] },
      { ...input, expires: '2y' },
      { ...input, name: '' },
      { ...input, name: '   ' },
      { ...input, personId: '0197a000-0000-7000-8000-000000000000' },
    ]) {
      const response = await mine.write('tokens.create', wrong)
      assert.equal(response.status, 400, JSON.stringify(wrong))
    }
    assert.deepEqual(await listed(mine.read('tokens.list')), [])
  })
})
