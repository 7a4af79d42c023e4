import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Me } from '@signalbox/contract/app/me.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { readTeam } from '../../domain/teams/read.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'

describe('the app’s own API', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('knows a person by the session cookie', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const { cookie } = await signedIn(app, member)
    const response = await fetch(`${app.url}/api/me`, { headers: { cookie } })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(((await response.json()) as Me).workspaces, [
      { slug: workspace.slug, name: workspace.slug, role: 'member' },
    ])
  })

  test('never takes an API token', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const { token } = await aToken(await aMember(workspace, 'owner'), ['admin'])
    const response = await app.get('/api/me', token)
    assert.equal(response.status, 401)
    assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'not_signed_in')
  })

  test('refuses a cookie whose signature is not ours', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const { cookie } = await signedIn(app, member)
    const forged = cookie.replace(/.(?=[^.]*$)/, 'x').slice(0, -6)
    assert.equal((await fetch(`${app.url}/api/me`, { headers: { cookie: forged } })).status, 401)
  })

  test('text that no database takes is found nowhere, and is no failure of ours', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const { slug } = workspace
    const { cookie, read } = await signedIn(app, { ...(await aMember(workspace, 'member')), slug })
    const ask = (path: string) => fetch(app.url + path, { headers: { cookie } })
    assert.equal((await ask('/api/w/a%00b/teams.list')).status, 404)
    assert.equal((await ask(`/api/w/${slug}/runs/run-%00abc/log`)).status, 404)
    assert.equal((await ask(`/api/w/${slug}/runs/run-%00abc/log.txt`)).status, 404)
    const found = await read('workspaces.search', { q: 'a\0b' })
    assert.equal(found.status, 400)
    assert.match(((await found.json()) as { error: { message: string } }).error.message, /`q` contains a NUL/)
  })

  test('is never taken for anything but what it says it is', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const { read } = await signedIn(app, { ...(await aMember(workspace, 'member')), slug: workspace.slug })
    for (const response of [await read('teams.list'), await read('runs.read', { key: 'run-0000' })])
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  })

  describe('a write', () => {
    async function anAdmin() {
      const workspace = await aWorkspace(app.storage.db)
      const member = { ...(await aMember(workspace, 'admin')), slug: workspace.slug }
      const team = await aTeam(workspace)
      const { cookie } = await signedIn(app, member)
      const pause = (headers: Record<string, string>, body: string = JSON.stringify({ team: team.slug })) =>
        fetch(`${app.url}/api/w/${workspace.slug}/teams.pause`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json', ...headers },
          body,
        })
      return { pause, team, member }
    }
    const codeOf = async (response: Response) =>
      ((await response.json()) as { error: { code: string } }).error.code

    test('is taken from our own page', async () => {
      const { pause } = await anAdmin()
      assert.equal((await pause({ origin: app.url, 'sec-fetch-site': 'same-origin' })).status, 200)
    })

    for (const [from, headers] of Object.entries({
      'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      'a neighbour under the same name': { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      'a page that hides where it is': { origin: 'null' },
      'what does not say where it comes from': {},
      'a browser that says cross-site and claims our origin': { 'sec-fetch-site': 'cross-site', own: 'yes' },
    })) {
      test(`is refused from ${from}`, async () => {
        const { pause, team, member } = await anAdmin()
        const { own, ...sent } = headers as Record<string, string>
        const response = await pause(own ? { ...sent, origin: app.url } : sent)
        assert.equal(response.status, 403)
        assert.equal(await codeOf(response), 'cross_site')
        assert.equal(fromJson(await readTeam(member, team.slug)).paused, false)
      })
    }

    test('must be JSON of the right shape, and is told which field is wrong', async () => {
      const { pause } = await anAdmin()
      const own = { origin: app.url }
      const form = await pause({ ...own, 'content-type': 'application/x-www-form-urlencoded' })
      assert.equal(form.status, 415)
      assert.equal((await pause(own, '{')).status, 400)
      const missing = await pause(own, '{}')
      assert.match(
        ((await missing.json()) as { error: { message: string } }).error.message,
        /`team` is missing/,
      )
      const extra = await pause(own, JSON.stringify({ team: 'x', also: 1 }))
      assert.match(((await extra.json()) as { error: { message: string } }).error.message, /no field `also`/)
    })

    test('reaches no workspace that the person is not in: it looks like one that does not exist', async () => {
      const [mine, theirs] = [await anAdmin(), await anAdmin()]
      const { cookie } = await signedIn(app, mine.member)
      const ask = (slug: string) => fetch(`${app.url}/api/w/${slug}/teams.list`, { headers: { cookie } })
      const [other, none] = await Promise.all([ask(theirs.member.slug), ask('there-is-none')])
      assert.equal(other.status, 404)
      assert.equal(none.status, 404)
      const words = async (response: Response, slug: string) => (await response.text()).replace(slug, 'X')
      assert.equal(await words(other, theirs.member.slug), await words(none, 'there-is-none'))
    })
  })
})
