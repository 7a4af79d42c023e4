import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RunPage, RunRow } from '@signalbox/contract/app/runs.ts'
import { testApp } from '../../../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'

describe('runs in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  async function aBrowser() {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const browser = await signedIn(app, member)
    const keysOf = async (filter: Record<string, string>) => {
      const response = await browser.read('runs.list', filter)
      assert.equal(response.status, 200)
      return ((await response.json()) as { data: RunRow[] }).data.map(({ key }) => key)
    }
    const detailOf = async (key: string) =>
      (await (await browser.read('runs.read', { key })).json()) as RunPage
    return { ...browser, workspace, keysOf, detailOf }
  }

  test('are listed newest first, by team, story, status, failure and executor', async () => {
    const { workspace, keysOf, write } = await aBrowser()
    const [one, two] = [await aTeam(workspace), await aTeam(workspace)]
    const story = await aStory(workspace, one)
    const first = await aRun(workspace, one, story)
    const second = await aRun(workspace, two, await aStory(workspace, two))
    assert.deepEqual(await keysOf({}), [second.key, first.key])
    assert.deepEqual(await keysOf({ team: one.slug }), [first.key])
    assert.deepEqual(await keysOf({ story: story.key }), [first.key])
    assert.deepEqual(await keysOf({ status: 'running' }), [second.key, first.key])
    assert.equal((await write('runs.stop', { key: first.key })).status, 200)
    assert.deepEqual(await keysOf({ status: 'running' }), [second.key])
    assert.deepEqual(await keysOf({ status: 'stopped', executor: 'scripted' }), [first.key])
    assert.deepEqual(await keysOf({ executor: 'codex' }), [])
    assert.deepEqual(await keysOf({ failure: 'gate' }), [])
  })

  test('are read page by page with a cursor that belongs to the filter', async () => {
    const { workspace, read } = await aBrowser()
    const team = await aTeam(workspace)
    for (let count = 0; count < 3; count += 1) await aRun(workspace, team, await aStory(workspace, team))
    const filter = { status: 'running', limit: '2' }
    const page = (await (await read('runs.list', filter)).json()) as { data: RunRow[]; nextCursor: string }
    assert.equal(page.data.length, 2)
    const rest = await read('runs.list', { ...filter, cursor: page.nextCursor })
    assert.equal(((await rest.json()) as { data: RunRow[] }).data.length, 1)
    assert.equal((await read('runs.list', { status: 'queued', cursor: page.nextCursor })).status, 400)
  })

  test('say what they wait for', async () => {
    const { workspace, read, detailOf } = await aBrowser()
    const team = await aTeam(workspace)
    const run = await aRun(workspace, team, await aStory(workspace, team))
    const decision = await aDecision(workspace, team, { run })
    const { data } = (await (await read('runs.list')).json()) as { data: RunRow[] }
    assert.deepEqual([data[0]!.status, data[0]!.waitsFor], ['waiting', decision.key])
    const detail = await detailOf(run.key)
    assert.deepEqual(
      [detail.phase, detail.decisions[0]!.key, detail.decisions[0]!.status],
      ['waiting', decision.key, 'pending'],
    )
    assert.equal(detail.timeline.at(-1)!.to, null)
  })

  test('can be stopped and tried again by a member, and not twice', async () => {
    const { workspace, write, detailOf } = await aBrowser()
    const team = await aTeam(workspace)
    const { key } = await aRun(workspace, team, await aStory(workspace, team))
    assert.equal((await write('runs.retry', { key })).status, 409)
    assert.equal((await write('runs.stop', { key, reason: 'wrong story' })).status, 200)
    assert.equal((await write('runs.stop', { key })).status, 409)
    assert.match((await detailOf(key)).run.attemptList[0]!.error!, /Stopped by A member: wrong story/)
    const retried = await write('runs.retry', { key, guidance: 'Look at the depot first.' })
    assert.deepEqual([retried.status, await retried.json()], [200, { attempt: 2 }])
    const detail = await detailOf(key)
    assert.equal(detail.run.attempts, 2)
    assert.deepEqual(detail.timeline.map(({ attempt, kind }) => [attempt, kind]).at(-1), [2, 'queue'])
  })

  test('of another workspace are not found', async () => {
    const [here, there] = [await aBrowser(), await aBrowser()]
    const team = await aTeam(there.workspace)
    const { key } = await aRun(there.workspace, team, await aStory(there.workspace, team))
    for (const name of ['runs.read', 'runs.logTail'])
      assert.equal((await here.read(name, { key })).status, 404)
    for (const name of ['runs.stop', 'runs.retry'])
      assert.equal((await here.write(name, { key })).status, 404)
  })
})
