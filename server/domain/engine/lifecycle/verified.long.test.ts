import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Gate } from '@signalbox/contract/run.ts'
import { BundleReader } from '../../../integrations/bundles/bundle-reader.ts'
import { testDatabase } from '../../../test/database.ts'
import { ABareRepository } from '../../../test/engine/bare-repository.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { HonestRunner, passed } from '../../../test/engine/honest-runner.ts'
import { type Beginning, OneRun } from '../../../test/engine/one-run.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { firstExecutor, presets } from '../../work/policies/presets.ts'
import { blank, type Memory, mayMerge, whyAsked } from '../machine/machine.ts'

/** What a runner hands in is looked at by the server, and what it finds decides. */

const database = await testDatabase()
after(() => database.close())
const repositories: ABareRepository[] = []
after(() => {
  for (const one of repositories) one.remove()
})

const automatic = {
  mergePolicy: 'auto' as const,
  autoMergeMaxLines: null,
  deniedPaths: ['infra/**'],
}

/** A run with a runner that hands in real work; the git host is a scripted one. */
async function aRun(departures: Beginning['departures'] = automatic) {
  const repository = new ABareRepository()
  repositories.push(repository)
  await repository.push('main', { 'a.txt': 'one\n', 'infra/main.tf': 'one\n', 'src/a.test.ts': 'test()\n' })
  const engine = new TestEngine(database.db)
  engine.changes = new BundleReader()
  const run = await OneRun.begin(engine, { departures })
  return { engine, run, repository, runner: new HonestRunner(run, repository) }
}

const errorOf = async (run: OneRun) => (await run.read()).attemptList.at(-1)?.error ?? ''

test('a verified change merges on its own where the policy lets it', async () => {
  const { run, runner, engine } = await aRun()
  await runner.handOver({ 'a.txt': 'two\n' })
  assert.equal((await run.read()).status, 'succeeded')
  assert.ok([...engine.gitHost.done.values()].includes('merged #1'))
  assert.equal((await run.read()).decisions.length, 0)
})

test('no gate, no automatic merge: a person is asked, and told why', async () => {
  const skipped: Gate = { name: 'Gates', result: 'skipped', summary: 'No gate was found.' }
  for (const gates of [[], [skipped]]) {
    const { run, runner, engine } = await aRun()
    await runner.handOver({ 'a.txt': 'two\n' }, gates)
    const asked = await run.asked()
    assert.equal(asked.kind, 'merge_approval')
    assert.match(asked.body, /No gate failed, and none passed\..*\n\n- No gate ran on it/s)
    assert.deepEqual(
      [...engine.gitHost.done.values()].filter((done) => done.startsWith('merged')),
      [],
    )
    const [entry] = (await run.audit()).filter(({ details }) => details.question === 'merge')
    assert.deepEqual(entry?.details.because, ['gates'])
    await run.answer('merge')
    assert.equal((await run.read()).status, 'succeeded')
  }
})

test('a finding asks a person, whichever side found it', async () => {
  const own = await aRun()
  await own.runner.handOver({ Makefile: 'all:\n\ttrue\n' })
  assert.match((await own.run.asked()).body, /needs to review part of this change.*changes what is measured/s)
  const { run, runner } = await aRun()
  await runner.begin()
  const made = await runner.make({ 'a.txt': 'two\n' })
  await runner.tell(runner.ready(made))
  await runner.tell(await runner.measured(made, passed, ['Gate test ran 3 tests; on main it runs 12.']))
  await runner.tell(runner.push(made.work.head))
  assert.match((await run.asked()).body, /needs to review part of this change.*on main it runs 12/s)
})

test('what no one has signed is not merged without a person', async () => {
  const { run, runner } = await aRun()
  await runner.begin()
  const made = await runner.make({ 'a.txt': 'two\n' })
  await runner.tell(runner.ready(made))
  const { envelope: _, ...unsigned } = await runner.measured(made)
  await runner.tell(unsigned)
  await runner.tell(runner.push(made.work.head))
  assert.match((await run.asked()).body, /didn’t sign what it says about the gates/)
})

test('the reasons to ask are one list: limits, gates, signature, findings and the spec', () => {
  const derived = {
    ...{ base: 'b', head: 'c', tree: 't', outside: [], commits: 1, pinnedPaths: [], toldDiff: null },
  }
  const change = { files: 1, additions: 9, deletions: 0, paths: ['a'] }
  const good: Memory = { ...blank, change, gatesPassed: 1, spec: goesWell.spec.spec, derived }
  const policy = { ...presets.autonomous, executor: firstExecutor, ...automatic, deniedPaths: [] }
  const why = (memory: Partial<typeof good>, departures: object = {}) =>
    whyAsked({ state: { memory: { ...good, ...memory } }, policy: { ...policy, ...departures } })
  assert.deepEqual(why({}), [])
  assert.ok(mayMerge({ state: { memory: good }, policy }))
  assert.deepEqual(why({}, { mergePolicy: 'ask' }), ['policy'])
  assert.deepEqual(why({}, { mergePolicy: 'auto_within_limits', autoMergeMaxLines: 8 }), ['lines'])
  assert.deepEqual(why({ gatesPassed: 0, isUnsigned: true, kinds: ['measure'], spec: null }), [
    ...['gates', 'unsigned', 'findings', 'spec'],
  ])
  assert.deepEqual(why({ kinds: ['measure'] }, { allowedFindings: ['measure'] }), [])
  assert.deepEqual(why({ kinds: ['report'] }, { allowedFindings: ['measure', 'report'] }), ['findings'])
})

test('a merge that is not what was verified asks for its revert, and the run does not succeed', async () => {
  const { engine, run, runner } = await aRun()
  engine.merges = () => ({ mismatch: 'The merge brought in f00, but c0ffee was verified.' })
  await runner.handOver({ 'a.txt': 'two\n' })
  const asked = await run.asked()
  assert.equal(asked.kind, 'revert_approval')
  assert.match(asked.body, /^What was merged isn’t what was verified:\n\n> .*brought in f00/)
  assert.equal((await run.read()).status, 'waiting')
  const [entry] = (await run.audit()).filter(({ details }) => details.cause === 'merged')
  assert.match(`${entry?.details.reason}`, /brought in f00/)
})

test('what cannot be true ends the order with the reason', async () => {
  type Say = (world: Awaited<ReturnType<typeof aRun>>) => Promise<WorkEvent> | WorkEvent
  const other = '1'.repeat(40)
  const cases: [RegExp, Say][] = [
    [/began from 111111111111, but the run began from/, () => ({ ...goesWell.begun, base: other })],
    [
      /The policy requires the runner to/,
      ({ runner }) => ({
        ...goesWell.begun,
        base: runner.base,
        isolation: { ...goesWell.begun.isolation, networkOnlyToGateway: false, writesOutsideBlocked: false },
      }),
    ],
    [
      /begins at 111111111111, but the run began from/,
      async ({ runner }) => {
        const made = await runner.make({ 'a.txt': 'two\n' })
        return { ...runner.ready(made), work: { ...made.work, base: other } }
      },
    ],
    [
      /is a submodule/,
      async ({ runner, repository }) => {
        const { base, head } = (await runner.make({ 'a.txt': 'two\n' })).work
        const tree = repository.tree(`${repository.git('ls-tree', head)}\n160000 commit ${base}\tvendor`)
        const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
        const commit = repository.git(...who, 'commit-tree', tree, '-p', base, '-m', 'x')
        return runner.ready(await runner.made(base, commit))
      },
    ],
    [
      /history was rewritten/,
      async ({ runner, repository }) => {
        const { base, head } = (await runner.make({ 'a.txt': 'two\n' })).work
        const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
        const orphan = repository.git(...who, 'commit-tree', `${head}^{tree}`, '-m', 'x')
        return runner.ready(await runner.made(base, orphan))
      },
    ],
    [
      /does not lead from/,
      async ({ runner }) => {
        const made = await runner.make({ 'a.txt': 'two\n' })
        return { ...goesWrong.question, work: { ...made.work, head: other } }
      },
    ],
  ]
  for (const [reason, say] of cases) {
    const world = await aRun()
    await world.runner.begin()
    await world.runner.tell(await say(world))
    assert.equal((await world.run.read()).status, 'failed', `${reason}`)
    assert.match(await errorOf(world.run), reason)
  }
})

test('a spec is pinned in its own folder: files that it names elsewhere would be no change to anybody', async () => {
  const { run, runner } = await aRun()
  await runner.tell(goesWell.plan)
  await runner.tell({ ...goesWell.begun, base: runner.base })
  await runner.tell({ type: 'spec_pinned', spec: { ...(await runner.pinned()), folder: 'src' }, summary: '' })
  assert.match(await errorOf(run), /belongs in \.kanman\/acceptance\/\S+, not in src\./)
})

test('once a change was looked at, no question brings another in its place', async () => {
  const { run, runner } = await aRun()
  await runner.begin()
  const made = await runner.make({ 'a.txt': 'two\n' })
  await runner.tell(runner.ready(made))
  await runner.tell(await runner.measured(made))
  const other = await runner.make({ 'a.txt': 'backdoor\n' })
  await runner.tell({ ...goesWrong.question, work: other.work })
  await run.answer('utc')
  assert.deepEqual([run.order.stage, run.order.work], ['handing_off', made.work])
  await runner.tell(runner.push(other.work.head))
  assert.match(await errorOf(run), /Nothing is merged\.$/)
})

test('a denied path that the runner keeps quiet about is asked about, and so is a changed spec', async () => {
  const denied = await aRun()
  await denied.runner.begin()
  const made = await denied.runner.make({ 'infra/main.tf': 'two\n' })
  await denied.runner.tell({ ...denied.runner.ready(made), change: { ...made.change, paths: ['a.txt'] } })
  const asked = await denied.run.asked()
  assert.equal(asked.kind, 'policy_exception')
  assert.match(asked.body, /infra\/main\.tf/)
  const { run, runner } = await aRun()
  await runner.begin()
  const changed = await runner.make({ [`${runner.specFolder}/spec.sh`]: 'true\n' })
  await runner.tell({ ...runner.ready(changed), change: { ...changed.change, paths: [] } })
  assert.equal((await run.asked()).kind, 'diff_guard')
})
