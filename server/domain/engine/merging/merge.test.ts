import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { newId } from '../../../infra/ids.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aStory } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { ToolBusy } from '../../ports/connection.ts'
import type { GitHost, MainNow } from '../../ports/git-host.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { readRun } from '../../work/runs/read.ts'
import { readStory } from '../../work/stories/read.ts'
import { reportMain } from '../lifecycle/report-main.ts'
import { handleGitWebhook } from './handle-webhook.ts'
import { lookAtMain, lookAtRedMains } from './look-at-main.ts'
import { lookAtNamedPullRequest, lookAtPullRequests } from './look-at-pull-requests.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const red = { state: 'red', commit: 'c0ffee', findings: 'orders.test.ts fails' } as const
const toMerge = [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]

const merges = (run: OneRun) =>
  [...engine.gitHost.done].filter(([key]) => key.includes(run.order.runId)).map(([, what]) => what)

/** A run of the same team on another story, as far as its merge. */
async function another(run: OneRun) {
  const story = await aStory(run.owner, run.team)
  await engine.sweep()
  await engine.settle()
  const key = fromJson(await readStory(run.owner, story.key)).runKeys[0]!
  for (const event of toMerge) {
    await engine.report(engine.orderOf(key), event)
    await engine.settle()
  }
  return async () => fromJson(await readRun(run.owner, key)).status
}

test('merges are held while the main branch is red, and go on once it is green', async () => {
  const run = await OneRun.begin(engine)
  await reportMain(run.owner, run.team.slug, red)
  await run.tell(...toMerge)
  for (let minute = 0; minute < 15; minute += 1) {
    engine.clock.forward(60_000)
    await engine.sweep()
  }
  assert.deepEqual([await run.stands(), merges(run)], [['running', 'handing_off'], []])
  assert.deepEqual(await listStuckRuns(run.owner), [], 'it waits, and goes on by itself')
  await reportMain(run.owner, run.team.slug, { state: 'green' })
  await engine.settle()
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

test('the red main branch of one team holds nothing of another', async () => {
  const run = await OneRun.begin(engine)
  const other = await OneRun.begin(engine, { owner: run.owner })
  await reportMain(run.owner, run.team.slug, red)
  await other.tell(...toMerge)
  assert.equal((await other.read()).status, 'succeeded')
})

/** From now on, the team has these. */
async function inTwoRepositories({ owner, team }: OneRun) {
  for (const name of ['halden/api', 'halden/web'])
    await database.pool.query(
      `insert into team_repositories (workspace_id, team_id, name, host, address, branch)
       values ($1, $2, $3, 'local', '/srv/git/x.git', 'main')`,
      [owner.workspaceId, team.id, name],
    )
}

test('the red main branch of one repository holds the merges of its team in another, until it is green', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toMerge)
  await inTwoRepositories(run)
  const mended = instead({ readMain: async () => ({ state: 'green', commit: 'facade' }) })
  const main = { repository: 'halden/web' } as const
  await reportMain(run.owner, run.team.slug, { ...red, ...main })
  await run.answer('merge')
  const reason = async () =>
    (await database.pool.query('select reason from runs where id = $1', [run.order.runId])).rows[0].reason
  assert.deepEqual(merges(run), [])
  assert.match(await reason(), /main branch of another repository of the team is red/)
  await reportMain(run.owner, run.team.slug, { state: 'green', ...main })
  engine.clock.forward(61_000)
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([merges(run), (await run.read()).status], [['merged #7'], 'succeeded'])
  mended()
})

test('an expedite story is merged into a red main branch: it may be what mends it', async () => {
  const run = await OneRun.begin(engine, { story: { classOfService: 'expedite' } })
  await reportMain(run.owner, run.team.slug, red)
  await run.tell(...toMerge)
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

/** A run whose merge turned main red. */
async function aBrokenMain() {
  const run = await OneRun.begin(engine)
  engine.merges = (story) => (story === run.story.key ? { mainRed: 'orders.test.ts fails' } : {})
  await run.tell(...toMerge)
  assert.equal((await run.asked()).kind, 'revert_approval')
  return run
}

test('a merge that broke main holds the others until a person keeps it', async () => {
  const run = await aBrokenMain()
  const status = await another(run)
  assert.equal(await status(), 'running')
  await run.answer('leave')
  assert.equal(await status(), 'succeeded')
  assert.deepEqual(await run.pending(), [], 'nobody is asked about the red branch any more')
})

test('a person who keeps a merge has not let pass that another repository is red', async () => {
  const run = await aBrokenMain()
  await inTwoRepositories(run)
  await reportMain(run.owner, run.team.slug, { ...red, repository: 'halden/web' })
  await run.answer('leave')
  const kinds = async () => (await run.pending()).map(({ kind }) => kind)
  assert.deepEqual(await kinds(), ['main_red_incident'])
  await reportMain(run.owner, run.team.slug, { state: 'green', repository: 'halden/web' })
  assert.deepEqual(await kinds(), [], 'the other one was kept')
})

test('a red main raises main_red_incident and revert_approval, and holds merges until it is green again', async () => {
  const run = await aBrokenMain()
  const kinds = async () => (await run.pending()).map(({ kind }) => kind).toSorted()
  assert.deepEqual(await kinds(), ['main_red_incident', 'revert_approval'])
  const incident = (await run.pending()).find(({ kind }) => kind === 'main_red_incident')!
  assert.match(incident.body, new RegExp(`after pull request #7 of ${run.key} was merged`))
  const status = await another(run)
  await run.answer('revert')
  assert.deepEqual([await status(), await kinds()], ['running', ['main_red_incident']])
  const { clock, queue } = engine
  await lookAtRedMains({ db: database.db, clock, queue }, engine.host, assert.ifError)
  await engine.settle()
  assert.deepEqual([await status(), await kinds()], ['succeeded', []])
})

test('a merge that waits at the host says why, and is asked about again', async () => {
  const run = await OneRun.begin(engine)
  engine.merges = () => ({ pending: '#7 is in GitHub’s merge queue.' })
  await run.tell(...toMerge)
  assert.deepEqual([await run.stands(), merges(run)], [['running', 'handing_off'], []])
  const waits = async () =>
    (await database.pool.query('select reason from runs where id = $1', [run.order.runId])).rows[0].reason
  assert.equal(await waits(), '#7 is in GitHub’s merge queue.')
  engine.merges = () => ({})
  engine.clock.forward(60_000)
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

/** As a hook brings it: nothing but a hint where to look. */
async function hooked(run: OneRun, event: string, body: object) {
  const { workspaceId } = run.owner
  const connection = newId(engine.clock.now())
  await database.pool.query(
    `insert into connections (id, workspace_id, kind, name, base_url, method, credentials, hook_token_hash, hook_token,
      webhook_secret, created_at, updated_at)
    values ($1, $2, 'github', 'Code', 'https://api.github.com', 'token', 'x', $3, 'x', 'x', now(), now())`,
    [connection, workspaceId, Buffer.from(connection)],
  )
  await database.pool.query(
    `insert into team_repositories (workspace_id, team_id, name, host, address, branch, connection_id, remote_id)
    values ($1, $2, 'halden/shop', 'github', 'https://github.com/halden/shop.git', 'main', $3, '99')`,
    [workspaceId, run.team.id, connection],
  )
  const hook = { connection: { id: connection, kind: 'github' as const }, event, body }
  return handleGitWebhook(engine.host)(engine.service(workspaceId), hook)
}
const repository = { id: 99, full_name: 'halden/shop' }

test('a hook about the main branch has the host asked, and a red one raises main_red_incident', async () => {
  const run = await OneRun.begin(engine)
  const host = engine.host
  const readMain = async () =>
    ({ state: 'red', commit: 'c0ffee', findings: 'the check unit failed.' }) as const
  engine.host = Object.assign(Object.create(engine.gitHost), { readMain })
  const check_suite = { head_branch: 'main', conclusion: 'success' }
  assert.match((await hooked(run, 'check_suite', { check_suite, repository })) ?? '', /is red/)
  assert.equal(
    (await run.asked()).kind,
    'main_red_incident',
    'what the host says counts, not what the hook says',
  )
  engine.host = host
})

for (const reworkOnReview of [true, false])
  test(`a review that asks for changes ${reworkOnReview ? 'begins another attempt' : 'is left to people'} as the policy says`, async () => {
    const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask', reworkOnReview } })
    await run.tell(...toMerge)
    const review = { id: '1', author: 'ada', commit: null, text: 'Use the constant.' }
    engine.merges = () => ({ reviews: [review] })
    const said = await hooked(run, 'pull_request_review', { pull_request: { number: 7 }, repository })
    engine.merges = () => ({})
    await engine.settle()
    if (!reworkOnReview) {
      assert.equal((await run.asked()).kind, 'merge_approval')
      return
    }
    assert.match(said ?? '', /another attempt after the review by ada/)
    const { attempts, decisions } = await run.read()
    assert.deepEqual([attempts, decisions.map(({ status }) => status)], [2, ['cancelled']])
    const { rows } = await database.pool.query('select memory from runs where id = $1', [run.order.runId])
    assert.match(rows[0].memory.guidance.at(-1), /ada, asked for changes:\n\nUse the constant\./)
  })

const base = { db: database.db, clock: engine.clock, queue: engine.queue }

const noteOf = async (run: OneRun) =>
  (await database.pool.query('select returned_note from stories where id = $1', [run.story.id])).rows[0]
    .returned_note

for (const way of ['hook', 'sweep'])
  test(`a pull request merged by hand over there is noticed by ${way}: its question is taken back, main is checked, the story is done`, async () => {
    const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
    await run.tell(...toMerge)
    assert.equal((await run.asked()).kind, 'merge_approval')
    const { decisions } = await run.read()
    engine.merges = () => ({ now: { state: 'merged', commit: 'facade', head: 'unknown' } })
    const body = { pull_request: { number: 7 }, repository }
    if (way === 'hook') assert.match((await hooked(run, 'pull_request', body)) ?? '', /#7 was merged/)
    else {
      await hooked(run, 'ping', { repository })
      await lookAtPullRequests(base, engine.host, assert.ifError)
    }
    engine.merges = () => ({})
    await engine.settle()
    assert.equal((await run.read()).status, 'succeeded')
    assert.equal((await run.readStory()).column.role, 'done')
    assert.match(await noteOf(run), /^Pull request #7 was merged at the git host/)
    const again = await run.read()
    assert.deepEqual(
      again.decisions.map(({ key, status }) => [key, status]),
      [[decisions[0]!.key, 'cancelled']],
    )
    assert.deepEqual(merges(run), [], 'we merged nothing')
    const entries = await run.audit()
    const cancelled = entries.find(({ event }) => event === 'decision_cancelled')
    assert.equal(cancelled!.details.cause, 'merged_elsewhere')
    assert.ok(
      entries.some(
        ({ event, details }) => event === 'run_state_changed' && details.cause === 'merged_elsewhere',
      ),
    )
  })

test('one that turns main red is asked about as any merge is', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toMerge)
  engine.merges = () => ({ now: { state: 'merged', commit: 'facade', head: 'x' }, mainRed: 'a test fails' })
  await hooked(run, 'pull_request', { pull_request: { number: 7 }, repository })
  await engine.settle()
  engine.merges = () => ({})
  assert.equal((await run.asked()).kind, 'revert_approval')
})

test('a pull request closed by hand over there ends the run, takes its question back, and the story says why', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toMerge)
  engine.merges = () => ({ now: { state: 'closed' } })
  const body = { pull_request: { number: 7, merged: true }, repository }
  const said = await hooked(run, 'pull_request', body)
  engine.merges = () => ({})
  assert.match(said ?? '', /was closed at the git host without being merged/)
  const { status, decisions } = await run.read()
  assert.deepEqual([status, decisions.map((one) => one.status)], ['stopped', ['cancelled']])
  assert.equal((await run.readStory()).column.role, 'backlog')
  assert.match(await noteOf(run), /was closed at the git host/)
})

test('where people merge for themselves, the story is done once they have, and nothing else moves', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'manual' } })
  await run.tell(...toMerge)
  const before = await run.read()
  assert.equal(before.status, 'succeeded')
  assert.notEqual((await run.readStory()).column.role, 'done')
  await hooked(run, 'ping', { repository })
  const look = () => lookAtPullRequests(base, engine.host, assert.ifError)
  await look()
  assert.notEqual((await run.readStory()).column.role, 'done')
  engine.merges = () => ({ now: { state: 'merged', commit: 'facade', head: 'x' } })
  engine.clock.forward(31 * 60_000)
  await look()
  engine.merges = () => ({})
  assert.equal((await run.readStory()).column.role, 'done')
  assert.equal((await run.read()).status, 'succeeded')
  const noted = await tables(database.db)
    .selectFrom('run_events')
    .select(['type', 'at'])
    .where('run_id', '=', run.order.runId)
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow()
  assert.deepEqual(noted, { type: 'merged_elsewhere', at: engine.clock.now() })
  engine.clock.forward(31 * 60_000)
  engine.merges = (story) => (story === run.story.key ? assert.fail('it is not asked again') : {})
  await look()
  engine.merges = () => ({})
})

test('another attempt of the run that broke main is merged, and lets the others go on', async () => {
  const run = await aBrokenMain()
  const status = await another(run)
  await run.answer('forward')
  assert.equal(await status(), 'running')
  engine.merges = () => ({})
  await run.tell(...toMerge.slice(1))
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7', 'merged #7']])
  assert.equal(await status(), 'succeeded')
})

test('a merge is made again after a crash, under the same key', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(...toMerge.slice(0, 3))
  engine.dieAfterCall = true
  await run.report(goesWell.finish)
  await assert.rejects(engine.settle(), /died/)
  engine.dieAfterCall = false
  assert.deepEqual([await run.stands(), merges(run)], [['running', 'handing_off'], ['merged #7']])
  engine.clock.forward(60_000)
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

/** The scripted host with something of it replaced, until the test says otherwise. */
function instead(parts: Partial<GitHost>): () => void {
  const before = engine.host
  const { gitHost } = engine
  const bound = new Proxy(gitHost, {
    get: (_, name) =>
      parts[name as keyof GitHost] ??
      (typeof gitHost[name as keyof GitHost] === 'function'
        ? (gitHost[name as keyof GitHost] as () => unknown).bind(gitHost)
        : undefined),
  })
  engine.host = bound
  return () => {
    engine.host = before
  }
}

test('a pull request that conflicts while it waits goes back to work on its own once, then a person is asked', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toMerge)
  assert.equal((await run.asked()).kind, 'merge_approval')
  const conflicts = 'it conflicts with the branch main.'
  const ctx = engine.service(run.owner.workspaceId)
  const look = () =>
    lookAtNamedPullRequest(ctx, engine.host, run.team.slug, {
      ...{ repository: 'halden/shop', number: 7 },
    })
  engine.merges = () => ({ now: { state: 'open', conflicts } })
  assert.match((await look()).join(), /begins another attempt: it conflicts/)
  await engine.settle()
  const { attempts, decisions } = await run.read()
  assert.deepEqual([attempts, decisions.map(({ status }) => status)], [2, ['cancelled']])
  assert.match(run.order.guidance.at(-1)!, /conflicts with the branch main/)
  assert.deepEqual([run.order.stage, run.order.base, run.order.work], ['implementing', null, null])
  engine.merges = () => ({})
  await run.tell(...toMerge.slice(1))
  assert.equal((await run.asked()).kind, 'merge_approval', 'the second time it is shown as the first')
  engine.merges = () => ({ now: { state: 'open', conflicts } })
  await look()
  const asked = await run.asked()
  assert.deepEqual([asked.kind, (await run.read()).attempts], ['verification_failed', 2])
  assert.match(asked.body, /it conflicts with the branch main/)
  await look()
  assert.equal((await run.asked()).key, asked.key, 'it is asked once')
  engine.merges = () => ({})
})

test('a fact that the host does not tell is waited for, the run says so, and nothing is merged', async () => {
  const run = await OneRun.begin(engine)
  const merge = async () => {
    throw new ToolBusy(
      'GitHub did not return its merge queue, auto-merge and reviews.',
      null,
      engine.clock.now(),
    )
  }
  await run.tell(...toMerge.slice(0, 3))
  const mended = instead({ merge })
  await run.report(goesWell.finish)
  await assert.rejects(engine.settle(), ToolBusy)
  mended()
  assert.deepEqual([await run.stands(), merges(run)], [['running', 'handing_off'], []])
  const { rows } = await database.pool.query('select reason from runs where id = $1', [run.order.runId])
  assert.match(rows[0].reason, /did not return its merge queue.*Trying again/)
  engine.clock.forward(60_000)
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

test('main is read at the host before a merge: unfinished or unreadable it is waited for, red it holds, no matter who broke it', async () => {
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(...toMerge)
  await hooked(run, 'ping', { repository })
  let main: MainNow | null = null
  const mended = instead({ readMain: async () => main })
  const reason = async () =>
    (await database.pool.query('select reason from runs where id = $1', [run.order.runId])).rows[0].reason
  const again = async (now: MainNow) => {
    main = now
    engine.clock.forward(61_000)
    await engine.sweep()
    await engine.settle()
  }
  await run.answer('merge')
  assert.match(await reason(), /main branch could not be read/)
  await again({ state: 'pending', commit: 'c0ffee' })
  assert.match(await reason(), /checks of the main branch to finish/)
  await again({ state: 'red', commit: 'c0ffee', findings: 'the check unit failed.' })
  assert.match(await reason(), /main branch is red/)
  assert.deepEqual([merges(run), (await run.asked()).kind], [[], 'main_red_incident'])
  await again({ state: 'green', commit: 'facade' })
  assert.deepEqual([merges(run), await run.pending()], [['merged #7'], []])
  mended()
})

test('a person who keeps a merge that turned main red lets others go on, though the host still says red', async () => {
  const run = await aBrokenMain()
  await hooked(run, 'ping', { repository })
  const main: MainNow = { state: 'red', commit: 'c0ffee', findings: 'the check unit failed.' }
  const mended = instead({ readMain: async () => main })
  await run.answer('leave')
  await lookAtMain(engine.service(run.owner.workspaceId), engine.host, run.team.slug)
  assert.deepEqual(await run.pending(), [], 'nobody is asked again about what a person has settled')
  mended()
})

test('a main that was red before the merge is told as such, and no one is asked to take the merge back', async () => {
  const run = await OneRun.begin(engine)
  engine.merges = () => ({ mainRed: 'the check unit failed.', isOlder: true })
  await run.tell(...toMerge)
  engine.merges = () => ({})
  assert.deepEqual([(await run.read()).status, (await run.asked()).kind], ['succeeded', 'main_red_incident'])
  assert.doesNotMatch((await run.asked()).body, /after pull request/)
})
