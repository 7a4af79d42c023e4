import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BundleReader } from '../../../integrations/bundles/bundle-reader.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { testDatabase } from '../../../test/database.ts'
import { ABareRepository } from '../../../test/engine/bare-repository.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { HonestRunner } from '../../../test/engine/honest-runner.ts'
import { type Beginning, OneRun } from '../../../test/engine/one-run.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { proposed } from '../../../test/requirements.ts'
import { change as record } from '../../record/audit/change.ts'
import { readDiff } from '../../work/changes/read.ts'
import { selectEvidence as evidenceOf } from '../../work/evidence/store.ts'
import { fileStory } from '../../work/stories/file.ts'
import { readStoryPage } from '../../work/stories/read-page.ts'
import { retryRun } from '../lifecycle/retry.ts'
import { stopRun } from '../lifecycle/stop.ts'
import { startRace } from './start-race.ts'

/** Two agents work on one story, and a person is asked once which change to merge. */

const database = await testDatabase()
after(() => database.close())
const repositories: ABareRepository[] = []
after(() => {
  for (const one of repositories) one.remove()
})

const agents = ['claude_code', 'codex'] as const
/** Under which an ordinary change would be merged without a person. */
const automatic = { mergePolicy: 'auto' as const, autoMergeMaxLines: null }

const aRace = async (departures: Beginning['departures'] = automatic) => {
  const engine = new TestEngine(database.db)
  return { engine, run: await OneRun.begin(engine, { departures, race: agents }) }
}

/** The same with a runner that hands in real work. */
async function aRealRace() {
  const repository = new ABareRepository()
  repositories.push(repository)
  await repository.push('main', { 'a.txt': 'one\n' })
  const { engine, run } = await aRace()
  engine.changes = new BundleReader()
  return { engine, run, repository, runner: new HonestRunner(run, repository) }
}

/** One agent's turn, up to its gates. */
async function turn(runner: HonestRunner, files: Record<string, string>) {
  await runner.begin()
  const made = await runner.make(files)
  await runner.tell(runner.ready(made))
  await runner.tell(await runner.measured(made))
  return made
}

const merges = (engine: TestEngine) =>
  [...engine.gitHost.done.values()].filter((done) => done.startsWith('merged'))
const lines = (count: number) => 'two\n'.repeat(count)
const change = (additions: number) => ({
  ...goesWell.change,
  change: { ...goesWell.change.change, additions },
})
/** What the in-process worker says of a turn that ends well. */
const goodTurn = (additions: number) => [change(additions), goesWell.gates] as const
const outOfWork = { type: 'failed', failureClass: 'persistent', error: 'It gave up.' } as const

test('both agents have the same commit, plan and spec; the smaller change is proposed, and no policy merges it', async () => {
  const { engine, run, repository, runner } = await aRealRace()
  const first = await turn(runner, { 'a.txt': lines(9) })
  const { order } = run
  assert.deepEqual([order.executor, order.stage, order.attempt], ['codex', 'implementing', 2])
  assert.deepEqual([order.base, order.work, order.plan], [repository.tip('main'), null, '1. Do it.'])
  assert.deepEqual(order.spec, await runner.pinned())
  const second = await turn(runner, { 'a.txt': lines(2) })
  assert.deepEqual([run.order.stage, run.order.work?.head], ['handing_off', second.work.head])
  await runner.tell(runner.push(second.work.head))
  const asked = await run.asked()
  assert.equal(asked.kind, 'merge_approval')
  assert.match(asked.body, /Codex’s change is proposed because its change is smaller/)
  assert.match(asked.body, /- \*\*Claude Code\*\*: 1 gate passed, \+9 −1 in 1 file/)
  assert.match(asked.body, /- \*\*Codex\*\*: 1 gate passed, \+2 −1 in 1 file/)
  assert.deepEqual(
    asked.options.map(({ id, label, action }) => [id, label, action]),
    [
      ['merge', 'Merge Codex’s change', 'merge'],
      ['merge_other', 'Merge Claude Code’s change', 'merge'],
      ['changes', 'Request changes', 'request_changes'],
      ['reject', 'Reject and return the story', 'reject'],
    ],
  )
  assert.deepEqual(merges(engine), [])
  const added = async (agent?: 0 | 1) => (await readDiff(run.owner, run.key, undefined, agent))?.additions
  // Two lines are those of the spec.
  assert.deepEqual([await added(0), await added(1), await added()], [11, 4, 4])
  await run.answer('merge')
  assert.equal((await run.read()).status, 'succeeded')
  assert.equal(merges(engine).length, 1)
  assert.notEqual(first.work.head, second.work.head)
  const started = (await run.audit()).find(({ event }) => event === 'run_started')
  assert.deepEqual(started?.details.race, agents)
})

test('a person who prefers the other change gets that one merged, once, and the proposed pull request is closed', async () => {
  const { engine, run, runner } = await aRealRace()
  const first = await turn(runner, { 'a.txt': lines(2) })
  const second = await turn(runner, { 'a.txt': lines(9) })
  // The first is the smaller one: it continues, with its own evidence.
  assert.deepEqual([run.order.executor, run.order.attempt], ['claude_code', 3])
  assert.equal((await run.read()).evidence?.commit, first.work.head)
  await runner.tell(runner.push(first.work.head))
  engine.dieAfterCall = true
  await assert.rejects(run.answer('merge_other').then(() => runner.tell(runner.push(second.work.head))))
  engine.dieAfterCall = false
  // The next node takes up what that one had begun.
  engine.clock.forward(15 * 60_000)
  await engine.sweep()
  await engine.settle()
  const read = await run.read()
  assert.deepEqual(
    [read.status, read.executor, read.evidence?.commit],
    ['succeeded', 'codex', second.work.head],
  )
  assert.equal(merges(engine).length, 1)
  const done = [...engine.gitHost.done.values()].filter((one) => /^(opened|closed)/.test(one))
  assert.deepEqual(done, [...[`opened signalbox/${run.key}/3`, 'closed #1', `opened signalbox/${run.key}/4`]])
  assert.equal((await run.readStory()).column.role, 'done')
  const resolved = (await run.audit()).find(({ event }) => event === 'decision_resolved')
  assert.equal(resolved?.details.optionId, 'merge_other')
  // What was merged is what its pack proves, though it is not what was measured last.
  const { attempt } = (await evidenceOf(database.db, run.owner.workspaceId, run.key, undefined))!
  assert.equal(attempt, 2)
})

test('an agent whose gates stay red does not keep the other’s change from being proposed', async () => {
  for (const failsFirst of [true, false]) {
    const { run, engine } = await aRace()
    const failing = async () => {
      await run.tell(change(1), goesWrong.gates)
      // The one automatic rework is its own, and so is what its gates said.
      assert.match(run.order.guidance.join(), /2 of 12 failed/)
      await run.tell(change(3), goesWrong.gates)
    }
    await run.tell(goesWell.plan)
    if (failsFirst) await failing()
    assert.deepEqual(run.order.guidance, [])
    await run.tell(...goodTurn(20))
    if (!failsFirst) await failing()
    await run.tell(goesWell.finish)
    const asked = await run.asked()
    assert.match(asked.body, /proposed because it’s the only change that was verified/)
    assert.match(asked.body, /1 gate failed \(`unit tests`\), \+3 −2/)
    assert.deepEqual(
      asked.options.map(({ id }) => id),
      ['merge', 'changes', 'reject'],
    )
    await run.answer('merge')
    assert.deepEqual([(await run.read()).status, merges(engine).length], ['succeeded', 1])
  }
})

test('when neither passes, one question names both; another attempt is asked about like any change', async () => {
  const { run, engine } = await aRace()
  const failing = [goesWell.change, goesWrong.gates]
  await run.tell(goesWell.plan, ...failing, ...failing)
  assert.equal(run.order.executor, 'codex')
  await run.tell(outOfWork)
  const asked = await run.asked()
  assert.deepEqual(
    [asked.kind, asked.title.split(':')[0]],
    ['verification_failed', 'Neither agent’s change passed'],
  )
  assert.match(
    asked.body,
    /Claude Code\*\*: 1 gate failed.*Codex\*\*: no change to merge \(`It gave up\.`\)/s,
  )
  await run.answer('retry')
  assert.equal(run.order.executor, 'codex')
  await run.tell(...goodTurn(5), goesWell.finish)
  assert.equal((await run.asked()).kind, 'merge_approval')
  assert.deepEqual(merges(engine), [])
})

test('a turn ends in every way a run can fail, and a person is asked about what is left', async (t) => {
  const silence = async ({ engine, run }: Awaited<ReturnType<typeof aRace>>) => {
    for (let lost = 0; lost < 4; lost += 1) {
      engine.clock.forward(2 * 60_000)
      await engine.sweep()
      engine.clock.forward(2 * 60_000)
      await engine.settle()
    }
    return run
  }
  const ways: Record<string, (race: Awaited<ReturnType<typeof aRace>>) => Promise<unknown>> = {
    'it fails': ({ run }) => run.tell(outOfWork),
    'its runner goes away': silence,
    'it takes too long': async ({ engine, run }) => {
      for (let hours = 0; hours < 4.1; hours += 0.01) engine.clock.forward(36_000)
      await run.tell({ type: 'progress', message: 'Still here.' })
      await engine.sweep()
      await engine.settle()
    },
    'the budget is used up': ({ run }) => run.tell({ type: 'usage', amount: 1_000, currency: 'EUR' }),
    'no runner has its agent any more': async ({ engine, run }) => {
      engine.without = ['codex']
      await run.tell({ type: 'failed', failureClass: 'transient', error: 'The runner is going.' })
      for (let minutes = 0; minutes < 15 && run.order.stage !== 'handing_off'; minutes += 1) {
        engine.clock.forward(60_000)
        await engine.sweep()
        await engine.settle()
      }
    },
  }
  for (const [says, happens] of Object.entries(ways))
    await t.test(says, async () => {
      const race = await aRace()
      const { run, engine } = race
      await run.tell(goesWell.plan, ...goodTurn(5))
      assert.equal(run.order.executor, 'codex')
      await happens(race)
      assert.deepEqual([run.order.stage, run.order.executor], ['handing_off', 'claude_code'])
      await run.tell(goesWell.finish)
      assert.match((await run.asked()).body, /Claude Code’s change is proposed because it’s the only change/)
      await run.answer('merge')
      assert.deepEqual([(await run.read()).status, merges(engine).length], ['succeeded', 1])
    })
})

test('handing over takes no agent: a worker with another one does it, whichever change is merged', async () => {
  const { engine, run } = await aRace()
  await run.tell(goesWell.plan, ...goodTurn(3), change(5))
  engine.without = ['claude_code']
  await run.tell(goesWell.gates)
  assert.deepEqual([run.order.stage, run.order.executor], ['handing_off', 'codex'])
  assert.equal((await run.read()).executor, 'claude_code')
  await run.tell(goesWell.finish)
  engine.without = ['claude_code', 'codex']
  await run.answer('merge_other')
  // With the agent that the policy names.
  assert.deepEqual([run.order.stage, run.order.executor], ['handing_off', 'scripted'])
  await run.tell(goesWell.finish)
  const { status, executor } = await run.read()
  assert.deepEqual([status, executor, merges(engine).length], ['succeeded', 'codex', 1])
})

test('a race that a person stops merges nothing, and retried it goes on where it was', async () => {
  const { engine, run } = await aRace()
  await run.tell(goesWell.plan, ...goodTurn(5))
  await stopRun(run.owner, run.key, { confirmed: true })
  await engine.settle()
  assert.deepEqual([(await run.read()).status, await run.pending()], ['stopped', []])
  await retryRun(run.owner, run.key)
  await engine.settle()
  assert.deepEqual([run.order.executor, run.order.stage], ['codex', 'implementing'])
  await run.tell(...goodTurn(3), goesWell.finish)
  assert.match((await run.asked()).body, /Codex’s change is proposed because its change is smaller/)
  assert.deepEqual(merges(engine), [])
})

test('with as many lines the cheaper one is proposed; what plan and spec cost counts for neither', async () => {
  const { run } = await aRace({ ...automatic, planApproval: 'always' })
  await run.tell({ type: 'usage', amount: 2, currency: 'EUR' }, goesWell.plan)
  await run.answer('approve')
  await run.tell({ type: 'usage', amount: 1, currency: 'EUR' }, goesWell.spec)
  await run.tell({ type: 'usage', amount: 0.2, currency: 'EUR' }, ...goodTurn(5))
  await run.tell({ type: 'usage', amount: 0.3, currency: 'EUR' }, ...goodTurn(5), goesWell.finish)
  const { body } = await run.asked()
  assert.match(body, /Claude Code’s change is proposed because .* it cost less/)
  assert.match(body, /Claude Code\*\*: .*€0\.20\n- \*\*Codex\*\*: .*€0\.30/)
})

test('a race is refused with what would help', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  const ready = await aStory(owner, team)
  const begin = (pair: Parameters<typeof startRace>[3], serves = true) =>
    startRace(owner, { serves: () => serves }, ready.key, pair)
  await assert.rejects(begin(['codex', 'codex']), /names the same agent twice/)
  await assert.rejects(begin(agents), /The team has no policy/)
  await aPolicy(owner, team, 'autonomous', { mergePolicy: 'manual' })
  await assert.rejects(begin(agents), /leaves merging to people/)
  await aPolicy(owner, team, 'autonomous')
  await assert.rejects(begin(agents, false), /can use Claude Code under its policy. Available: none/)
  const { run } = await begin(agents)
  await assert.rejects(begin(agents), /Another run is already working on/)
  assert.match(run, /^run-/)
})

test('a race takes a story to Ready itself, so that its team does not begin it before', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous')
  const work = { serves: () => true }
  const filed = (given: Parameters<typeof proposed>[0]) =>
    record(owner, async (tx) => ({
      value: await fileStory(owner, tx, team, proposed(given), { column: 'backlog', draft: false }),
      audit: [],
    }))
  const { key } = await filed({ size: 'm' })
  const { run } = await startRace(owner, work, key, agents)
  const { column, runs } = await readStoryPage(owner, key)
  assert.deepEqual([column.role, runs.map((one) => one.key)], ['ready', [run]])
  const entries = await auditEvents(database.db, owner.workspaceId)
  const [moved, started] = entries.slice(-2)
  assert.deepEqual(moved?.details.changes, [{ field: 'column', before: 'backlog', after: 'ready' }])
  assert.deepEqual([started?.event, started?.details.race], ['run_started', agents])
  // What is not ready stays where it is, and a story that is done is not begun again.
  const vague = await filed({ size: null })
  await assert.rejects(startRace(owner, work, vague.key, agents), /has 90\. Missing: a size/)
  assert.equal((await readStoryPage(owner, vague.key)).column.role, 'backlog')
  const done = await aStory(owner, team, { column: 'done' })
  await assert.rejects(startRace(owner, work, done.key, agents), /is in done\. Move it to Ready first/)
})
