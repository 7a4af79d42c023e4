import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { PolicyPage } from '@signalbox/contract/app/policies.ts'
import type { BoardColumn, StoryPage } from '@signalbox/contract/app/stories.ts'
import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aStory, aToken, aWorkspace } from '../../../test/factories.ts'
import { browsersOf } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'

const input = { name: 'Checkout', slug: 'checkout', keyPrefix: 'WEB', preset: 'supervised' }
const code = async (response: Response) =>
  `${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`

describe('teams, policies and stories in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  async function aBrowserOfEach() {
    const workspace = await aWorkspace(app.storage.db)
    const of = browsersOf(app, workspace)
    return { workspace, owner: await of('owner'), admin: await of('admin'), member: await of('member') }
  }

  test('teams stand in the order in which people look for them', async () => {
    const { workspace, admin } = await aBrowserOfEach()
    const sorted = [
      'alpha',
      'Alpha',
      'Ångström',
      'Äther',
      'Beta',
      'Élan',
      'Émile',
      'Öl',
      'zoo',
      'Zoo',
      'Ζήτα',
    ]
    for (const [index, name] of sorted.toReversed().entries()) {
      const team = { ...input, name, slug: `team-${index}`, keyPrefix: `T${index}` }
      assert.equal((await admin.write('teams.create', team)).status, 200)
    }
    const namesIn = (teams: { name: string }[]) => teams.map(({ name }) => name)
    assert.deepEqual(namesIn((await (await admin.read('teams.list')).json()) as TeamRow[]), sorted)
    const { token } = await aToken(await aMember(workspace, 'member'))
    const rest = (await (await app.get('/v1/teams', token)).json()) as { data: TeamRow[]; nextCursor: null }
    assert.deepEqual([namesIn(rest.data), rest.nextCursor], [sorted, null])
    const old = (await (await app.get('/boards', token)).json()) as { boards: TeamRow[] }
    assert.deepEqual(namesIn(old.boards), sorted)
    const counted = (await (await admin.read('decisions.count')).json()) as { teams: TeamRow[] }
    assert.deepEqual(namesIn(counted.teams), sorted)
  })

  test('admins say where a team’s code is and hear what helps when git can’t use it; members read it', async () => {
    const { admin, member } = await aBrowserOfEach()
    await admin.write('teams.create', input)
    const repository = { name: 'halden/shop', address: '/etc', branch: 'main' }
    const set = { team: 'checkout', repositories: [repository] }
    const refused = await admin.write('teams.setFolders', set)
    assert.equal(refused.status, 400)
    assert.match(
      await refused.text(),
      /can’t be used: this server may not read its folder yet\. Ask the server operator to allow \//,
    )
    assert.equal(await code(await member.write('teams.setFolders', set)), '403 insufficient_role')
    const read = await member.read('teams.folders', { team: 'checkout' })
    assert.deepEqual(await read.json(), { repositories: [] })
    assert.equal(await code(await member.read('teams.folders', { team: 'none' })), '404 team_not_found')
    assert.equal((await admin.write('teams.setFolders', { ...set, repositories: [] })).status, 200)
  })

  test('admins create, pause, resume and change a team; members read it; owners delete it', async () => {
    const { owner, admin, member } = await aBrowserOfEach()
    assert.equal(await code(await member.write('teams.create', input)), '403 insufficient_role')
    assert.equal((await admin.write('teams.create', input)).status, 200)
    assert.equal(await code(await admin.write('teams.create', input)), '409 conflict')
    const [team] = (await (await member.read('teams.list')).json()) as TeamRow[]
    assert.equal(team?.policy?.maxConcurrency, 2)
    assert.equal(await code(await member.write('teams.pause', { team: 'checkout' })), '403 insufficient_role')
    assert.equal((await admin.write('teams.pause', { team: 'checkout', reason: 'Audit' })).status, 200)
    const paused = (await (await member.read('teams.read', { team: 'checkout' })).json()) as TeamRow
    assert.equal(paused.pause?.reason, 'Audit')
    assert.equal((await admin.write('teams.resume', { team: 'checkout' })).status, 200)
    assert.equal((await admin.write('teams.change', { team: 'checkout', name: 'Tills' })).status, 200)
    assert.equal(await code(await admin.write('teams.delete', { team: 'checkout' })), '403 insufficient_role')
    assert.equal((await owner.write('teams.delete', { team: 'checkout' })).status, 200)
    assert.equal(await code(await member.read('teams.read', { team: 'checkout' })), '404 team_not_found')
  })

  test('the versions of a policy are read page by page, and one that never was is refused', async () => {
    const { admin, member } = await aBrowserOfEach()
    await admin.write('teams.create', input)
    const { policy } = (await (await member.read('policies.read', { team: 'checkout' })).json()) as PolicyPage
    const { preset, custom: _, version: __, ...settings } = policy!
    const next = { team: 'checkout', preset, settings: { ...settings, maxConcurrency: 3 }, basedOn: 1 }
    assert.equal((await admin.write('policies.change', next)).status, 200)
    const page = async (cursor?: string) =>
      (await (
        await member.read('policies.versions', {
          team: 'checkout',
          limit: '1',
          ...(cursor ? { cursor } : {}),
        })
      ).json()) as { data: { version: number }[]; nextCursor: string | null }
    const first = await page()
    const second = await page(first.nextCursor!)
    assert.deepEqual([first.data[0]?.version, second.data[0]?.version, second.nextCursor], [2, 1, null])
    for (const version of [3, 3_000_000_000])
      assert.equal(
        await code(await admin.write('policies.restore', { team: 'checkout', version, basedOn: 2 })),
        '400 invalid_request',
      )
  })

  test('a policy is read by members, changed by admins, and not overwritten unseen', async () => {
    const { admin, member } = await aBrowserOfEach()
    await admin.write('teams.create', input)
    const page = (await (await member.read('policies.read', { team: 'checkout' })).json()) as PolicyPage
    assert.deepEqual(page.alwaysDenied, ['.kanman/acceptance/**'])
    assert.equal(page.runCentsWithoutBudgets, 1_000)
    const { preset, custom: _, version, ...settings } = page.policy!
    const next = { team: 'checkout', preset, settings: { ...settings, maxConcurrency: 4 }, basedOn: version }
    assert.equal(await code(await member.write('policies.change', next)), '403 insufficient_role')
    assert.equal((await admin.write('policies.change', { ...next, reason: 'More room' })).status, 200)
    assert.equal(await code(await admin.write('policies.change', next)), '409 changed_meanwhile')
    const versions = await (await member.read('policies.versions', { team: 'checkout', limit: '1' })).json()
    const { data, nextCursor } = versions as { data: { reason: string }[]; nextCursor: string }
    assert.equal(data[0]?.reason, 'More room')
    assert.ok(nextCursor)
    const restored = await admin.write('policies.restore', { team: 'checkout', version: 1, basedOn: 2 })
    assert.equal(((await restored.json()) as { version: number }).version, 3)
  })

  test('a policy is rehearsed by admins, and stays as it is', async () => {
    const { admin, member } = await aBrowserOfEach()
    await admin.write('teams.create', input)
    const read = async () =>
      ((await (await member.read('policies.read', { team: 'checkout' })).json()) as PolicyPage).policy!
    const { preset, custom: _, version, ...settings } = await read()
    const proposed = { team: 'checkout', preset, settings: { ...settings, mergePolicy: 'ask' } }
    const rehearsed = await admin.write('policies.rehearse', proposed)
    assert.deepEqual(await rehearsed.json(), {
      days: 30,
      baseline: version,
      runs: 0,
      more: false,
      changed: [],
      unknown: [],
    })
    assert.equal(await code(await member.write('policies.rehearse', proposed)), '403 insufficient_role')
    const odd = { ...proposed, settings: { ...settings, mergePolicy: 'sometimes' } }
    assert.equal(await code(await admin.write('policies.rehearse', odd)), '400 invalid_request')
    assert.equal((await read()).version, version)
  })

  test('stories are read on the board, edited with a check, and moved with a reason when refused', async () => {
    const { workspace, admin, member } = await aBrowserOfEach()
    await admin.write('teams.create', input)
    const { id } = await tables(app.storage.db)
      .selectFrom('teams')
      .select('id')
      .where('workspace_id', '=', workspace.workspaceId)
      .executeTakeFirstOrThrow()
    const { key } = await aStory(workspace, { id, slug: 'checkout', keyPrefix: 'WEB' }, { column: 'backlog' })
    const board = (await (await member.read('stories.board', { team: 'checkout' })).json()) as BoardColumn[]
    assert.equal(board[0]?.stories[0]?.key, key)
    const story = (await (await member.read('stories.read', { key })).json()) as StoryPage
    assert.equal(story.teamName, 'Checkout')
    const edit = { key, readAt: story.updatedAt, size: 'm' }
    assert.equal((await member.write('stories.edit', edit)).status, 200)
    const stale = { ...edit, readAt: '2020-01-01T00:00:00.000Z', size: 'l' }
    assert.equal(await code(await member.write('stories.edit', stale)), '409 changed_meanwhile')
    const refused = await member.write('stories.move', { key, to: 'ready' })
    assert.equal(await code(refused), '409 conflict')
    assert.equal((await member.write('stories.move', { key, to: 'refining' })).status, 200)
    const list = await (await member.read('stories.list', { team: 'checkout', q: 'web-', size: 'm' })).json()
    assert.equal((list as { data: { key: string }[] }).data[0]?.key, key)
  })
})
