import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BundleReader } from '../../../integrations/bundles/bundle-reader.ts'
import { LocalGitHost } from '../../../integrations/git-hosts/local/local.ts'
import { testDatabase } from '../../../test/database.ts'
import { ABareRepository } from '../../../test/engine/bare-repository.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { HonestRunner, passed } from '../../../test/engine/honest-runner.ts'
import { type Beginning, OneRun } from '../../../test/engine/one-run.ts'
import { aMember, aStory } from '../../../test/factories.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { keepPullRequests } from '../../work/pull-requests/keep.ts'
import { mainLook } from '../../work/repositories/main-look.ts'
import { repositoriesOf, repositoryOf } from '../../work/repositories/of-team.ts'
import { setRepositories } from '../../work/repositories/set.ts'
import { retryRun } from '../lifecycle/retry.ts'
import { lookAtRedMains } from '../merging/look-at-main.ts'
import { listReverts, mergeRevert } from '../merging/merge-revert.ts'

/** What a runner brings is kept and goes on with the next order; a pushed branch becomes a merge. */

const database = await testDatabase()
after(() => database.close())

const made: ABareRepository[] = []
after(() => {
  for (const one of made) one.remove()
})

const work = { base: 'b'.repeat(40), head: 'c'.repeat(40), bundle: 'e'.repeat(64) }
const change: WorkEvent = { ...goesWell.change, pullRequest: null, work, diff: 'f'.repeat(64), findings: [] }
const phaseOf = async ({ order }: OneRun) =>
  (await database.pool.query('select phase from runs where id = $1', [order.runId])).rows[0].phase

test('each order goes on from what was made before it: base, spec, work and the agent’s session', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  const { job, base, spec, work: before, agentSession, merged } = run.order
  assert.deepEqual([job, base, spec, before, agentSession, merged], ['stage', null, null, null, null, null])
  const verdict = await run.report(goesWell.begun)
  assert.equal(verdict, 'go_on')
  await run.tell(goesWell.session, goesWell.plan)
  assert.deepEqual([run.order.base, run.order.agentSession], [goesWell.begun.base, 'session-1'])
  const { fence } = run.order
  await run.tell(goesWell.begun, goesWell.spec)
  assert.equal(run.order.fence, fence, 'the same order goes on')
  await assert.rejects(run.report(goesWell.spec), { code: 'conflict' }, 'what is pinned stays')
  await run.tell(change)
  assert.deepEqual(run.order.spec, goesWell.spec.spec)
  assert.deepEqual(run.order.work, work)
  const { rows } = await database.pool.query('select isolation, agent from attempts where run_id = $1', [
    run.order.runId,
  ])
  assert.deepEqual(rows, [{ isolation: goesWell.begun.isolation, agent: goesWell.begun.agent }])
})

test('a question frees the slot, and the answer goes on from the work', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine, { departures: { maxConcurrency: 1 } })
  const other = await aStory(run.owner, run.team)
  await run.tell(goesWell.plan, { ...goesWrong.question, work })
  await engine.sweep()
  await engine.settle()
  const next = engine.orders.at(-1)!
  assert.equal(next.story.key, other.key, 'the slot is free')
  assert.deepEqual((await run.asked()).kind, 'clarification')
  await engine.report(next, { type: 'failed', failureClass: 'persistent', error: 'no' })
  await run.answer('utc')
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([run.order.work, run.order.stage], [work, 'implementing'])
  assert.equal(run.order.guidance.length, 1)
})

test('red gates are reworked once automatically, from the work; then a person is asked', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.begun, goesWell.session, goesWell.plan, change, goesWrong.gates)
  const { attempt, stage, guidance, base } = run.order
  assert.deepEqual([attempt, stage, base, run.order.work], [2, 'implementing', goesWell.begun.base, work])
  assert.equal(run.order.agentSession, null, 'a session is of its attempt')
  assert.match(guidance.at(-1)!, /unit tests: 2 of 12 failed/)
  await run.tell(change, goesWrong.gates)
  assert.equal((await run.asked()).kind, 'verification_failed')
})

test('what is asked about a change says what stands out in it', async () => {
  const findings = ['`package.json` changes what is measured.']
  const cases: [WorkEvent, string][] = [
    [
      { ...change, change: { ...goesWell.change.change, paths: ['infra/a.tf'] }, findings },
      'policy_exception',
    ],
    [{ ...goesWrong.changedSpec, findings }, 'diff_guard'],
  ]
  for (const [event, kind] of cases) {
    const engine = new TestEngine(database.db)
    const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'] } })
    await run.tell(goesWell.plan, event)
    const asked = await run.asked()
    assert.equal(asked.kind, kind)
    assert.match(asked.body, /About this change:\n\n> .*package\.json.* changes what is measured/)
  }
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine, { departures: { mergePolicy: 'ask' } })
  await run.tell(goesWell.plan, { ...change, findings }, goesWell.gates, goesWell.pushed)
  const asked = await run.asked()
  assert.equal(asked.kind, 'merge_approval')
  assert.match(asked.body, /changes what is measured/)
  assert.match(asked.body, /Pull request #1/)
})

test('an exception for a denied path goes on to the gates with the work that has it', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'] } })
  const paths = ['infra/a.tf']
  await run.tell(goesWell.plan, { ...change, change: { ...goesWell.change.change, paths } } as WorkEvent)
  await run.answer('allow')
  const { stage, exceptions } = run.order
  assert.deepEqual([stage, exceptions, run.order.work], ['verifying', paths, work])
})

test('a budget that is raised lets the run go on in its session', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.begun, goesWell.plan, goesWell.session)
  await run.tell({ type: 'usage', amount: 20, currency: 'EUR', source: 'gateway', model: 'm', input: 5 })
  assert.equal((await run.asked()).kind, 'budget_stop')
  await run.answer('raise')
  const { stage, agentSession, attempt } = run.order
  assert.deepEqual([stage, agentSession, attempt], ['implementing', 'session-1', 1])
})

/** A run of a team that has a repository, up to the branch that its runner has pushed. */
async function aRealRun(departures: Beginning['departures'] = {}) {
  const repository = new ABareRepository()
  made.push(repository)
  await repository.push('main', { 'a.txt': 'one\n' })
  const engine = new TestEngine(database.db)
  const host = new LocalGitHost({
    allow: [repository.folder],
    pullRequests: keepPullRequests({ db: database.db, clock: engine.clock }),
    clock: engine.clock,
    publicUrl: () => 'https://signalbox.example.com',
  })
  // Orders of a team that has a repository wait for runners, who ask over HTTP. Here the test does the work, so that
  // the repository is told to the host alone.
  const at = {
    ...{ name: 'halden/shop', host: 'local', address: repository.bare, branch: 'main' },
    ...{ connectionId: null, remoteId: null },
  }
  engine.host = {
    troubleWith: (workspaceId, wanted) => host.troubleWith(workspaceId, wanted),
    credential: (workspaceId, wanted) => host.credential(workspaceId, wanted),
    relay: (workspaceId, wanted) => host.relay(workspaceId, wanted),
    closePullRequest: (request) => host.closePullRequest({ ...request, repository: at }),
    postVerdict: () => host.postVerdict(),
    readMain: (request) => host.readMain({ ...request, repository: at }),
    readPullRequest: (request) => host.readPullRequest({ ...request, repository: at }),
    readReviews: () => host.readReviews(),
    openPullRequest: (request) => host.openPullRequest({ ...request, repository: at }),
    merge: (request, note) => host.merge({ ...request, repository: at }, note),
    checkMain: () => host.checkMain(),
    openRevert: (request) => host.openRevert({ ...request, repository: at }),
    revertCommit: (request) => host.revertCommit({ ...request, teamRepository: at }),
  }
  engine.changes = new BundleReader()
  const run = await OneRun.begin(engine, { departures })
  /** As a runner does: the change is made, handed in, measured, pushed and said to be. */
  const runner = new HonestRunner(run, repository)
  const handOver = (files: Record<string, string>) => runner.handOver(files)
  return { engine, run, repository, runner, handOver, host }
}

const checked = (state: 'green' | 'red', findings = ''): WorkEvent => ({
  type: 'main_checked',
  state,
  findings,
  gates: [],
})

test('a pushed branch becomes a pull request, a merge, a look at main by a runner, and a story that is done', async () => {
  const { run, repository, handOver } = await aRealRun()
  await handOver({ 'a.txt': 'two\n' })
  assert.equal(repository.read('main', 'a.txt'), 'two')
  const { pullRequest, status } = await run.read()
  assert.deepEqual([pullRequest?.number, status], [1, 'running'])
  const { job, merged, stage } = run.order
  assert.deepEqual([job, merged, stage], ['main_check', repository.tip('main'), 'handing_off'])
  await run.tell(goesWell.begun, checked('green'))
  assert.equal((await run.read()).status, 'succeeded')
  assert.equal((await run.readStory()).column.role, 'done')
})

test('the merge that a person approves is of the commit that was verified', async () => {
  const { run, repository, handOver } = await aRealRun({ mergePolicy: 'ask' })
  await handOver({ 'a.txt': 'two\n' })
  assert.equal((await run.asked()).kind, 'merge_approval')
  await repository.push(`signalbox/${run.key}/1`, { 'a.txt': 'sneaked in\n' })
  await run.answer('merge')
  const { status, attemptList } = await run.read()
  assert.equal(status, 'failed')
  assert.match(attemptList[0]?.error ?? '', /^Not merged: the branch .* moved/)
  assert.equal(repository.read('main', 'a.txt'), 'one')
})

test('changes that a person requests go on in the same pull request', async () => {
  const { run, repository, handOver } = await aRealRun({ mergePolicy: 'ask' })
  await handOver({ 'a.txt': 'two\n' })
  await run.answer('changes', 'Three, please.')
  assert.equal(run.order.stage, 'implementing')
  await handOver({ 'a.txt': 'three\n' })
  await run.answer('merge')
  assert.equal(repository.read('main', 'a.txt'), 'three')
  assert.equal((await run.read()).pullRequest?.number, 1)
})

test('a red main after the merge holds other merges and proposes the revert, which is opened', async () => {
  const { engine, run, repository, handOver } = await aRealRun()
  await handOver({ 'a.txt': 'broken\n' })
  await run.tell(checked('red', 'a.test.ts: 1 failed'))
  const asked = await run.asked()
  assert.equal(asked.kind, 'revert_approval')
  assert.match(asked.body, /a\.test\.ts: 1 failed/)
  const red = async () =>
    (await database.pool.query('select main_red_since from teams where id = $1', [run.team.id])).rows[0]
      .main_red_since
  assert.notEqual(await red(), null)
  await run.answer('revert')
  await engine.settle()
  const { status, attemptList } = await run.read()
  assert.equal(status, 'failed')
  assert.equal(attemptList[0]?.error, 'Merged as #1 and turned main red. Pull request #2 reverts it.')
  const [branch] = repository
    .git('for-each-ref', '--format=%(refname:short)', 'refs/heads/signalbox/revert-*')
    .split('\n')
  assert.equal(repository.read(branch!, 'a.txt'), 'one')
  assert.notEqual(await red(), null, 'what broke it is still in it')
  const look = () =>
    lookAtRedMains({ db: database.db, clock: engine.clock, queue: engine.queue }, engine.host, fail)
  await look()
  assert.notEqual(await red(), null, 'nobody has merged the revert')
  repository.git('update-ref', 'refs/heads/main', repository.tip(branch!)!)
  await look()
  assert.equal(await red(), null, 'a person took it in with git')
  assert.deepEqual(await run.pending(), [])
})
test('an owner or admin merges the revert in the app, the log tells it, and merges go on', async () => {
  const { engine, run, repository, handOver } = await aRealRun()
  await handOver({ 'a.txt': 'broken\n' })
  await run.tell(checked('red', 'a.test.ts: 1 failed'))
  await run.answer('revert')
  const { slug } = run.team
  await setRepositories(run.owner, engine.host, slug, [
    {
      name: 'halden/shop',
      address: repository.bare,
      branch: 'main',
    },
  ])
  const [revert] = await listReverts(run.owner, slug)
  const { number } = revert!
  const member = await aMember(run.owner, 'member')
  await assert.rejects(mergeRevert(member, engine.host, slug, number), { code: 'insufficient_role' })
  await assert.rejects(
    mergeRevert(run.owner, engine.host, slug, 1),
    { code: 'not_found' },
    'it reverts nothing',
  )
  const { commit } = await mergeRevert(run.owner, engine.host, slug, number)
  assert.deepEqual([repository.tip('main'), repository.read('main', 'a.txt')], [commit, 'one'])
  assert.deepEqual([await listReverts(run.owner, slug), await run.pending()], [[], []])
  const { rows } = await database.pool.query(
    `select event from audit_entries where workspace_id = $1 order by id desc limit 5`,
    [run.owner.workspaceId],
  )
  assert.ok(
    rows.some(({ event }) => event === 'pull_request_merged'),
    JSON.stringify(rows),
  )
})

const fail = (error: Error) => {
  throw error
}

test('another attempt after a red main begins from main as it is, and its green main is the end', async () => {
  const { run, repository, handOver } = await aRealRun()
  await handOver({ 'a.txt': 'broken\n' })
  await run.tell(checked('red', 'x'))
  await run.answer('forward')
  const { job, stage, base, merged, attempt } = run.order
  assert.deepEqual(
    [job, stage, base, run.order.work, merged, attempt],
    ['stage', 'implementing', null, null, null, 2],
  )
  await handOver({ 'a.txt': 'mended\n' })
  assert.equal(repository.read('main', 'a.txt'), 'mended')
  assert.equal((await run.read()).pullRequest?.number, 2)
  await run.tell(checked('green'))
  assert.equal((await run.read()).status, 'succeeded')
})

test('what conflicts when it is merged is done again from main as it is, once; then a person is asked', async () => {
  const { run, repository, handOver } = await aRealRun()
  await run.engine.settle()
  const conflicts = async (attempt: number) => {
    repository.git('update-ref', 'refs/heads/main', repository.tip('main')!)
    const before = run.engine.host.openPullRequest
    run.engine.host.openPullRequest = async (request) => {
      const opened = await before(request)
      await repository.push('main', { 'a.txt': `theirs ${attempt}\n` })
      return opened
    }
    await handOver({ 'a.txt': `ours ${attempt}\n` })
    run.engine.host.openPullRequest = before
    await run.tell(checked('green'))
  }
  await conflicts(1)
  const error = 'Not merged: it conflicts with the branch main in a.txt.'
  assert.equal((await run.read()).attemptList[0]?.error, error)
  const { base, guidance, attempt, stage } = run.order
  assert.deepEqual([base, run.order.work, guidance.at(-1)], [null, null, error])
  assert.deepEqual([attempt, stage, await run.pending()], [2, 'implementing', []])
  await conflicts(2)
  const asked = await run.asked()
  assert.equal(asked.kind, 'verification_failed')
  assert.match(asked.body, /it conflicts with the branch main in a\.txt/)
  assert.equal(repository.read('main', 'a.txt'), 'theirs 2')
  await run.answer('retry')
  assert.deepEqual([run.order.base, run.order.attempt], [null, 3])
})

test('a person’s push is looked at before a merge: red, it holds the merge, and main’s own fix lets it go on', async () => {
  const { engine, run, repository, handOver } = await aRealRun({ mergePolicy: 'ask' })
  await handOver({ 'a.txt': 'two\n' })
  const broken = await repository.push('main', { 'b.txt': 'broken\n' })
  await run.answer('merge')
  assert.deepEqual([run.order.job, run.order.merged], ['main_check', broken])
  await run.tell(checked('red', 'b.test.ts: 1 failed'))
  const kinds = async () => (await run.pending()).map(({ kind }) => kind)
  assert.deepEqual(await kinds(), ['main_red_incident'], 'nobody’s merge is blamed')
  assert.deepEqual([repository.tip('main'), await run.stands()], [broken, ['running', 'handing_off']])
  const reason = async () =>
    (await database.pool.query('select reason from runs where id = $1', [run.order.runId])).rows[0].reason
  assert.match(await reason(), /main branch is red\. Merges are on hold/)
  const mended = await repository.push('main', { 'b.txt': 'mended\n' })
  engine.clock.forward(61_000)
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([run.order.job, run.order.merged], ['main_check', mended])
  await run.tell(checked('green'))
  assert.deepEqual([repository.read('main', 'a.txt'), await kinds()], ['two', []])
  const entry = (await run.audit()).find(({ event }) => event === 'pull_request_merged')
  const { read } = entry!.details as { read: { head: string; main: unknown } }
  assert.deepEqual(read.main, { commit: mended, state: 'green', by: 'runner' })
  assert.equal(read.head, run.order.pushed?.head)
})

test('the facts that let a merge be made are on record though its answer was lost', async () => {
  const { engine, run, repository, runner } = await aRealRun()
  await runner.begin()
  const made = await runner.make({ 'a.txt': 'two\n' })
  await runner.tell(runner.ready(made))
  await runner.tell(await runner.measured(made))
  const { merge } = engine.host
  engine.host.merge = async (...about) => {
    await merge(...about)
    throw new Error('The node died.')
  }
  await assert.rejects(runner.tell(runner.push(made.work.head)), /died/)
  engine.host.merge = merge
  assert.equal(repository.read('main', 'a.txt'), 'two')
  engine.clock.forward(61_000)
  await engine.sweep()
  await engine.settle()
  const entry = (await run.audit()).find(({ event }) => event === 'pull_request_merged')
  assert.deepEqual((entry!.details as { read: unknown }).read, {
    ...{ head: made.work.head, reviews: null, checks: null, queue: null },
    main: { commit: made.work.base, state: 'green', by: 'runner' },
  })
  assert.equal(repository.git('rev-list', '--merges', '--count', 'main'), '1')
})

test('on a base that is red already nothing is merged automatically, and no one is blamed', async () => {
  const { run, repository, runner } = await aRealRun()
  const main = repository.tip('main')!
  const gates = [
    ...passed,
    { name: 'prices', result: 'skipped' as const, summary: 'Already failing on main. 1 failed' },
  ]
  await runner.handOver({ 'a.txt': 'two\n' }, gates, { prices: 'failed' })
  const kinds = async () => (await run.pending()).map(({ kind }) => kind).toSorted()
  assert.deepEqual(await kinds(), ['main_red_incident', 'merge_approval'])
  const approval = (await run.pending()).find(({ kind }) => kind === 'merge_approval')!
  assert.match(approval.body, /already failing on main say nothing about it/)
  await run.answer('merge')
  assert.deepEqual([repository.tip('main'), await run.stands()], [main, ['running', 'handing_off']])
  assert.deepEqual(await kinds(), ['main_red_incident'], 'approved, it is held until main is green')
})

test('a merge onto a main that was red before is not asked to be taken back', async () => {
  const { run, repository, handOver } = await aRealRun()
  await handOver({ 'a.txt': 'two\n' })
  assert.equal(repository.read('main', 'a.txt'), 'two')
  await run.tell({
    type: 'main_checked',
    state: 'red',
    findings: 'prices: 1 failed',
    gates: [],
    isOlder: true,
  })
  const kinds = (await run.pending()).map(({ kind }) => kind)
  assert.deepEqual([kinds, (await run.read()).status], [['main_red_incident'], 'succeeded'])
})

test('a runner that falls silent while it looks at main costs no attempt; another one looks', async () => {
  const { engine, run, handOver } = await aRealRun()
  await handOver({ 'a.txt': 'two\n' })
  for (let lost = 0; lost < 3; lost += 1) {
    engine.clock.forward(61_000)
    await engine.sweep()
    await engine.settle()
    assert.equal(run.order.job, 'main_check')
  }
  const { attempts, status } = await run.read()
  assert.deepEqual([attempts, status], [1, 'running'])
  engine.clock.forward(61_000)
  await engine.sweep()
  const { attemptList } = await run.read()
  assert.equal(
    attemptList[0]?.error,
    'The change is merged, but the main branch was not checked. The worker stopped responding.',
  )
  await retryRun(run.owner, run.key, {})
  await engine.settle()
  assert.deepEqual([run.order.job, run.order.attempt], ['main_check', 2])
  await run.tell(checked('green'))
  assert.equal((await run.read()).status, 'succeeded')
})

test('money that is spent keeps no one from looking at main', async () => {
  const { engine, run, handOver } = await aRealRun({ mergePolicy: 'ask' })
  await handOver({ 'a.txt': 'two\n' })
  // A bill that comes late.
  const order = engine.orders.find(({ stage }) => stage === 'verifying')!
  await engine.report(order, { type: 'usage', amount: 100, currency: 'EUR' })
  await run.answer('merge')
  assert.equal(run.order.job, 'main_check')
  await run.tell(checked('green'))
  assert.equal((await run.read()).status, 'succeeded')
})

test('a node that dies after any call to the git host leaves one pull request and one merge', async () => {
  const { engine, run, repository, handOver } = await aRealRun()
  engine.dieAfterCall = true
  await assert.rejects(handOver({ 'a.txt': 'two\n' }), /died/)
  assert.equal(await phaseOf(run), 'opening')
  engine.dieAfterCall = false
  engine.clock.forward(31_000)
  engine.dieAfterCall = true
  await assert.rejects(engine.sweep())
  engine.dieAfterCall = false
  for (let minute = 0; minute < 5; minute += 1) {
    engine.clock.forward(61_000)
    await engine.sweep()
    await engine.settle()
  }
  assert.equal(repository.git('rev-list', '--merges', '--count', 'main'), '1')
  const { rows } = await database.pool.query(
    'select number, state, merge_commit from pull_requests where workspace_id = $1',
    [run.owner.workspaceId],
  )
  assert.deepEqual(rows, [{ number: 1, state: 'merged', merge_commit: repository.tip('main') }])
})

test('a team without a repository hears that it has none', async () => {
  const { engine, run, handOver, host } = await aRealRun()
  engine.host = host
  await handOver({ 'a.txt': 'two\n' })
  const { status, failureClass, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['failed', 'dependency'])
  assert.match(attemptList[0]?.error ?? '', /^No pull request was opened: the team has no repository\./)
})

test('owners and admins say where a team’s code is, and the log tells it', async () => {
  const { engine, run, repository } = await aRealRun()
  const { slug } = run.team
  const wanted = { name: 'halden/shop', address: repository.bare, branch: 'main' }
  await setRepositories(run.owner, engine.host, slug, [wanted])
  const found = await repositoryOf(database.db, run.owner.workspaceId, slug)
  const held = { host: 'local', connectionId: null, remoteId: null, inside: 'tools', image: null }
  assert.deepEqual(found, { ...wanted, ...held })
  const member = await aMember(run.owner, 'member')
  await assert.rejects(setRepositories(member, engine.host, slug, []), { code: 'insufficient_role' })
  const refused = (departure: Partial<typeof wanted>, message: RegExp) =>
    assert.rejects(setRepositories(run.owner, engine.host, slug, [{ ...wanted, ...departure }]), {
      code: 'invalid_request',
      message,
    })
  await refused({ address: '/etc' }, /Ask the server operator to allow/)
  await refused({ address: 'https://git.example.com/x.git' }, /folder on the server/)
  await refused({ branch: 'trunk' }, /has no branch trunk/)
  await refused({ branch: '../x' }, /name of a branch/)
  await refused({ branch: '-x' }, /name of a branch/)
  await refused({ name: '  ' }, /empty/)
  await repository.push('trunk', { 'a.txt': 'x' })
  await setRepositories(run.owner, engine.host, slug, [{ ...wanted, branch: 'trunk' }])
  const { rows } = await database.pool.query(
    `select entry::json -> 'details' -> 'changes' as changes from audit_entries
     where workspace_id = $1 and event = 'team_changed' order by id desc limit 1`,
    [run.owner.workspaceId],
  )
  assert.deepEqual(rows[0].changes, [{ field: 'repository.branch', before: 'main', after: 'trunk' }])
})

type Folder = Parameters<typeof setRepositories>[3][number]

test('a team has several folders, and what stays as it was keeps what is known of its main branch', async () => {
  const { engine, run, repository } = await aRealRun()
  const { slug, id } = run.team
  const { workspaceId } = run.owner
  const [api, web] = ['halden/api', 'halden/web'].map((name) => ({
    ...{ name, address: repository.bare, branch: 'main' },
  })) as [Folder, Folder]
  const set = (...all: Folder[]) => setRepositories(run.owner, engine.host, slug, all)
  await set(api)
  await database.pool.query(
    "update team_repositories set main_state = 'red', main_commit = 'c' where workspace_id = $1",
    [workspaceId],
  )
  await assert.rejects(set(api, web), /can’t both have the address/)
  await assert.rejects(
    set(api, { ...api, address: `${api.address}/` }),
    /can’t both have the name halden\/api/,
  )
  const second = new ABareRepository()
  await second.push('main', { 'a.txt': 'one\n' })
  await setRepositories(run.owner, null, slug, [api, { ...web, address: second.bare }])
  assert.deepEqual(await mainLook(database.db, workspaceId, id, 'halden/api'), { commit: 'c', state: 'red' })
  assert.deepEqual(
    (await repositoriesOf(database.db, workspaceId, slug)).map(({ name }) => name),
    ['halden/api', 'halden/web'],
  )
  second.remove()
})

test('two runs of one team that merge at once are both in', async () => {
  const { engine, run, repository, handOver } = await aRealRun({ mergePolicy: 'ask' })
  await handOver({ 'a.txt': 'two\n' })
  const second = await OneRun.begin(engine, { owner: run.owner, departures: { mergePolicy: 'ask' } })
  await new HonestRunner(second, repository).handOver({ 'b.txt': 'b\n' })
  await Promise.all([run.answer('merge'), second.answer('merge')])
  await engine.settle()
  assert.deepEqual([repository.read('main', 'a.txt'), repository.read('main', 'b.txt')], ['two', 'b'])
})
