import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Me } from '@signalbox/contract/app/me.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { readTeam } from '../../domain/work/teams/read.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aTeam, aWorkspace } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'

/** With any Host: fetch has its own. */
const asked = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    get(url, { headers }, async (response) => {
      let body = ''
      for await (const piece of response) body += piece
      resolve({ status: response.statusCode!, body })
    }).on('error', reject)
  })

describe('the app’s own API', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let first: Awaited<ReturnType<typeof aWorkspace>>
  before(async () => {
    app = await testApp({ env: { GIT_ALLOW: '/srv/git' } })
    first = await aWorkspace(app.storage.db)
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
      { slug: workspace.slug, name: workspace.slug, role: 'member', isFirst: false },
    ])
  })

  test('tells what is set to an owner of the installation at the machine of the server, and to no one else', async () => {
    const setToday = async (role: 'owner' | 'admin', host: string, workspace = first) => {
      const { slug } = workspace
      const { cookie } = await signedIn(app, { ...(await aMember(workspace, role)), slug })
      const { status, body } = await asked(`${app.url}/api/me`, { cookie, host })
      assert.equal(status, 200)
      return (JSON.parse(body) as Me).setToday
    }
    const { host } = new URL(app.url)
    assert.equal((await setToday('owner', host))?.GIT_ALLOW, '/srv/git')
    assert.equal(await setToday('admin', host), null)
    assert.equal(await setToday('owner', host, await aWorkspace(app.storage.db)), null)
    // A proxy on the same machine hands on the name that it was asked for.
    assert.equal(await setToday('owner', 'signalbox.example.com'), null)
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
  })
})
