import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Me } from '@signalbox/contract/app/me.ts'
import type { Found, Integrations } from '@signalbox/contract/app/workspaces.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { testApp } from '../../../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'

describe('workspaces in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp({
      env: {
        SMTP_URL: 'smtp://someone:secret-word@localhost:2525',
        MAIL_FROM: 'Signalbox <box@example.com>',
      },
    })
  })
  after(() => app.stop())

  async function somebody(role: Role) {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, role)), slug: workspace.slug }
    return { workspace, ...member, ...(await signedIn(app, member)) }
  }
  const create = (cookie: string, input: unknown) =>
    fetch(`${app.url}/api/workspaces.create`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', origin: app.url },
      body: JSON.stringify(input),
    })
  const workspacesOf = async (cookie: string) =>
    ((await (await fetch(`${app.url}/api/me`, { headers: { cookie } })).json()) as Me).workspaces

  test('the creator of a workspace is its owner, and its log begins with that', async () => {
    const { cookie } = await somebody('member')
    const slug = `new-${Date.now().toString(36)}`
    assert.equal((await create(cookie, { name: ' New place ', slug })).status, 200)
    assert.ok((await workspacesOf(cookie)).some((one) => one.slug === slug && one.role === 'owner'))
    const { rows } = await app.storage.pool.query(
      `select e.event, e.actor_type from audit_entries e join workspaces w on w.id = e.workspace_id
       where w.slug = $1 order by e.id`,
      [slug],
    )
    assert.deepEqual(rows, [
      { event: 'workspace_created', actor_type: 'human' },
      { event: 'member_joined', actor_type: 'human' },
    ])
    assert.equal((await create(cookie, { name: 'Again', slug })).status, 409)
  })

  test('an address that means something else is not given to a workspace', async () => {
    const { cookie } = await somebody('member')
    for (const slug of ['login', 'new', 'v1', 'api', 'Has Space', 'under_score', ''])
      assert.equal((await create(cookie, { name: 'A', slug })).status, 400, slug)
  })

  test('owners and admins rename it; the change is in the log', async () => {
    const [admin, member] = [await somebody('admin'), await somebody('member')]
    assert.equal((await member.write('workspaces.change', { name: 'Mine' })).status, 403)
    assert.equal((await admin.write('workspaces.change', { name: 'Renamed' })).status, 200)
    const { name } = (await (await admin.read('workspaces.read')).json()) as { name: string }
    assert.equal(name, 'Renamed')
    const { rows } = await app.storage.pool.query(
      `select entry::json -> 'details' -> 'changes' -> 0 as change from audit_entries
       where workspace_id = $1 and event = 'workspace_changed'`,
      [admin.workspaceId],
    )
    assert.deepEqual(rows, [{ change: { field: 'name', before: admin.slug, after: 'Renamed' } }])
  })

  test('only an owner who types the slug deletes it, and then it is gone with its tokens', async () => {
    const [owner, admin] = [await somebody('owner'), await somebody('admin')]
    assert.equal((await admin.write('workspaces.delete', { slug: admin.slug })).status, 403)
    assert.equal((await owner.write('workspaces.delete', { slug: 'another' })).status, 400)
    const { token } = await aToken(owner)
    assert.equal((await owner.write('workspaces.delete', { slug: owner.slug })).status, 200)
    assert.equal((await owner.read('workspaces.read')).status, 404)
    assert.equal((await app.get('/v1/teams', token)).status, 401)
    assert.deepEqual(await workspacesOf(owner.cookie), [])
  })

  test('a search finds by words and by key, a few of each, and never in another workspace', async () => {
    const [mine, other] = [await somebody('member'), await somebody('member')]
    const found = async (q: string) =>
      ((await (await mine.read('workspaces.search', { q })).json()) as { data: Found[] }).data
    const team = await aTeam(mine.workspace)
    for (let n = 0; n < 7; n += 1) await aStory(mine.workspace, team, { title: `Parcel ${n} is 100% late` })
    const story = await aStory(mine.workspace, team, { title: 'Other words' })
    const run = await aRun(mine.workspace, team, story)
    const decision = await aDecision(mine.workspace, team, { run })
    const elsewhere = await aTeam(other.workspace)
    await aStory(other.workspace, elsewhere, { title: 'Parcel of another' })

    const parcels = await found('parcel')
    assert.equal(parcels.length, 5)
    assert.ok(parcels.every(({ noun, title }) => noun === 'story' && title.endsWith('late')))
    assert.deepEqual(await found('of another'), [])
    assert.deepEqual(await found(elsewhere.slug), [])
    assert.equal((await found('100%')).length, 5)
    assert.deepEqual(await found('100_'), [])
    assert.equal((await mine.read('workspaces.search', { q: 'late\0' })).status, 400)
    assert.deepEqual(
      (await found(run.key)).map(({ noun, key }) => [noun, key]),
      [['run', run.key]],
    )
    assert.ok((await found('approve the plan')).some(({ key }) => key === decision.key))
    assert.deepEqual(
      (await found('  ')).map(({ noun, key }) => [noun, key]),
      [['team', team.slug]],
    )
  })

  test('integrations tell what is connected, and no secret', async () => {
    const { read } = await somebody('member')
    const text = await (await read('workspaces.integrations')).text()
    const integrations = JSON.parse(text) as Integrations
    assert.deepEqual(integrations.mail, { host: 'localhost', from: 'box@example.com' })
    assert.equal(integrations.splitter, null)
    assert.equal(integrations.tracker, false)
    assert.ok(!text.includes('secret-word') && !text.includes('someone'))
  })
})
