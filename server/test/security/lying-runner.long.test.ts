import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Gate } from '@signalbox/contract/run.ts'
import fc from 'fast-check'
import type { WorkEvent } from '../../domain/ports/work.ts'
import { readDiff } from '../../domain/work/changes/read.ts'
import { keepPullRequests } from '../../domain/work/pull-requests/keep.ts'
import { BundleReader } from '../../integrations/bundles/bundle-reader.ts'
import { LocalGitHost } from '../../integrations/git-hosts/local/local.ts'
import { testDatabase } from '../database.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import { goesWell, TestEngine } from '../engine/engine.ts'
import { HonestRunner, type Made, passed } from '../engine/honest-runner.ts'
import { type Beginning, OneRun } from '../engine/one-run.ts'
import { TwoRepositories } from '../engine/two-repositories.ts'

/**
 * A runner that lies. Whatever it says, the main branch gets nothing, or exactly the tree and base that the server has
 * read out of the work on its own and shown to the person who decided.
 */

const database = await testDatabase()
after(() => database.close())
const changes = new BundleReader()

const files = { 'README.md': 'Hello.\n', 'src/index.js': 'start()\n', 'infra/main.tf': 'one\n' }
const backdoor = { 'src/index.js': 'start()\nopenTheDoor()\n' }

/** A run of a team that has a repository, a runner for it, and a colleague with a branch of their own. */
async function aWorld(departures: Beginning['departures'] = {}) {
  const repository = new ABareRepository()
  const first = await repository.push('main', { 'README.md': 'Hi.\n' })
  await repository.push('main', files)
  const colleague = await repository.push('colleague', { 'src/half.js': 'unfinished()\n' })
  const engine = new TestEngine(database.db)
  const host = new LocalGitHost({
    allow: [repository.folder],
    pullRequests: keepPullRequests({ db: database.db, clock: engine.clock }),
    clock: engine.clock,
    publicUrl: () => 'https://signalbox.example.com',
  })
  const at = {
    ...{ name: 'halden/shop', host: 'local', address: repository.bare, branch: 'main' },
    ...{ connectionId: null, remoteId: null },
  }
  engine.host = Object.assign(Object.create(host) as LocalGitHost, {
    openPullRequest: (request: Parameters<typeof host.openPullRequest>[0]) =>
      host.openPullRequest({ ...request, repository: at }),
    merge: (request: Parameters<typeof host.merge>[0], note: Parameters<typeof host.merge>[1]) =>
      host.merge({ ...request, repository: at }, note),
    // Do not ask for the state of main: these tests are about what is merged.
    readMain: async () => null,
    readPullRequest: async () => null,
    checkMain: () => host.checkMain(),
  })
  engine.changes = changes
  const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'], ...departures } })
  return { repository, engine, run, runner: new HonestRunner(run, repository), first, colleague }
}
type World = Awaited<ReturnType<typeof aWorld>>

/** What the person who decides is shown: the paths of the diff, and those that the run says. */
async function shown({ run }: World): Promise<string[]> {
  const diff = await readDiff(run.owner, run.key)
  return diff?.files.flatMap(({ path, oldPath }) => [path, ...(oldPath ? [oldPath] : [])]) ?? []
}

/** The one sentence that must hold, whatever was said. */
async function holds(world: World, before: string): Promise<void> {
  const { repository, run } = world
  const tip = repository.tip('main')!
  if (tip === before) return
  assert.equal(repository.git('rev-parse', `${tip}^1`), before, 'one merge onto where it stood')
  const paths = repository.git('diff-tree', '-r', '--no-renames', '--name-only', before, tip).split('\n')
  const seen = await shown(world)
  assert.deepEqual(
    paths.filter((path) => !seen.includes(path)),
    [],
    'nothing was merged that was not shown',
  )
  const [entry] = (await run.audit()).filter(({ event }) => event === 'pull_request_merged')
  assert.ok(entry, 'the log lists the facts of the merge')
  const { head, base, tree, onto, mergedTree } = entry.details as Record<string, string>
  assert.equal(onto, before)
  assert.equal(mergedTree, repository.git('rev-parse', `${tip}^{tree}`))
  assert.equal(tree, repository.git('rev-parse', `${head}^{tree}`))
  assert.ok(repository.git('merge-base', base!, before) === base, 'it began from what is on main')
  if (base === before) assert.equal(mergedTree, tree)
}

async function answerYes({ run }: World): Promise<void> {
  for (let asked = 0; asked < 3; asked += 1) {
    const [decision] = (await run.pending()).filter(({ runKey }) => runKey === run.key)
    const merge = decision?.options.find(({ id }) => id === 'merge' || id === 'allow')
    if (!decision || !merge) return
    await run.answer(merge.id)
    if (decision.kind !== 'merge_approval') return
  }
}

test('a person approves a diff of README.md, and main gets no backdoor', async () => {
  const world = await aWorld({ mergePolicy: 'ask' })
  const { runner, repository, run } = world
  const before = repository.tip('main')!
  await runner.begin()
  const shownToPeople = await runner.make({ 'README.md': 'Hello, you.\n' })
  const smuggled = await runner.make(backdoor)
  await runner.tell(runner.ready(shownToPeople))
  await runner.tell(await runner.measured(shownToPeople))
  await runner.tell(runner.push(smuggled.work.head))
  await answerYes(world)
  assert.equal(repository.tip('main'), before)
  const { status, attemptList } = await run.read()
  assert.equal(status, 'failed')
  assert.match(attemptList[0]?.error ?? '', /The runner pushed .*, but .* was verified\. Nothing is merged\./)
  repository.remove()
})

test('a colleague’s branch is not merged because a runner names it', async () => {
  for (const name of ['colleague', 'own']) {
    const world = await aWorld({ mergePolicy: 'auto', autoMergeMaxLines: null })
    const { runner, repository, run, colleague } = world
    const before = repository.tip('main')!
    await runner.begin()
    const made = await runner.make({ 'README.md': 'Hello, you.\n' })
    await runner.tell(runner.ready(made))
    await runner.tell(await runner.measured(made))
    const event: WorkEvent =
      name === 'own'
        ? runner.push(colleague)
        : { type: 'finished', branch: { name: 'colleague', head: colleague } }
    await runner.tell(event)
    await answerYes(world)
    assert.equal(repository.tip('main'), before)
    assert.equal((await run.read()).failureClass, 'policy')
    repository.remove()
  }
})

test('what is shown is what the bundle holds, and that the runner said otherwise is a finding that asks', async () => {
  const world = await aWorld({ mergePolicy: 'auto', autoMergeMaxLines: null })
  const { runner, repository, run } = world
  await runner.begin()
  const made = await runner.make({ 'README.md': 'Hello, you.\n', ...backdoor })
  const lie = { ...made.change, files: 1, paths: ['README.md'] }
  await runner.tell({ ...runner.ready(made), change: lie })
  await runner.tell(await runner.measured({ ...made, change: lie }))
  await runner.tell(runner.push(made.work.head))
  const asked = await run.asked()
  assert.equal(asked.kind, 'merge_approval')
  assert.match(asked.body, /The runner reported other paths than the change has/)
  assert.ok((await shown(world)).includes('src/index.js'))
  assert.deepEqual((await run.read()).evidence?.changes.paths.toSorted(), ['README.md', 'src/index.js'])
  repository.remove()
})

// Each of these changes one thing that a runner says. Several may come together.
interface Telling {
  begun: { base: string } | null
  made: Made
  ready: Extract<WorkEvent, { type: 'change_ready' }>
  gates: Gate[]
  evidence: (event: Extract<WorkEvent, { type: 'gates_ran' }>) => typeof event
  finished: Extract<WorkEvent, { type: 'finished' }>
}
type Lie = (world: World, told: Telling) => void | Promise<void>

const lies: Record<string, Lie> = {
  'paths are left out': (_, told) => {
    told.ready = { ...told.ready, change: { ...told.ready.change, paths: ['README.md'], files: 1 } }
  },
  'no line was changed': (_, told) => {
    told.ready = { ...told.ready, change: { ...told.ready.change, additions: 0, deletions: 0 } }
  },
  'the diff is of something else': async ({ runner }, told) => {
    told.ready = { ...told.ready, diff: await runner.keep('diff --git a/README.md b/README.md\n') }
  },
  'the bundle is of something else': async ({ runner }, told) => {
    const other = await runner.make({ 'README.md': 'Else.\n' })
    told.ready = { ...told.ready, work: { ...told.ready.work!, bundle: other.work.bundle } }
  },
  'the bundle is no bundle': async ({ runner }, told) => {
    told.ready = {
      ...told.ready,
      work: { ...told.ready.work!, bundle: await runner.keep('# v2 git bundle\n\nPACK') },
    }
  },
  'there is no work': (_, told) => {
    const { work: __, ...ready } = told.ready
    told.ready = ready
  },
  'the head is another': ({ repository }, told) => {
    told.ready = {
      ...told.ready,
      work: { ...told.made.work, ...told.ready.work, head: repository.tip('main')! },
    }
  },
  'the base is an older one': async ({ runner, first }, told) => {
    const made = await runner.made(first, told.made.work.head)
    told.ready = runner.ready(made)
    told.made = made
  },
  'the run began from a commit of the runner’s own': async ({ runner, repository }, told) => {
    const own = await repository.push('signalbox/own', backdoor)
    told.begun = { base: own }
    told.made = await runner.make({ 'README.md': 'Hello, you.\n' }, own)
    told.ready = runner.ready(told.made)
    told.finished = runner.push(told.made.work.head)
  },
  'a merge brings in a colleague’s branch': async ({ runner, repository, colleague }, told) => {
    const { base, head } = told.made.work
    const tree = repository.git('rev-parse', `${head}^{tree}`)
    const merge = commitOf(repository, tree, [base, colleague])
    // What it brings in is not to be seen in it.
    const bundle = repository.bundle(base, merge, colleague)
    told.ready = { ...told.ready, work: { base, head: merge, bundle: await runner.keep(bundle) } }
    told.made = { ...told.made, work: { ...told.made.work, head: merge } }
    told.finished = runner.push(merge)
  },
  'a replace ref stands before the head': ({ repository, colleague }, told) => {
    repository.git('update-ref', `refs/replace/${told.made.work.head}`, colleague)
  },
  'a submodule is added': async ({ runner, repository }, told) => {
    const { base, head } = told.made.work
    const listed = repository.git('ls-tree', head)
    const tree = repository.tree(`${listed}\n160000 commit ${base}\tvendor`)
    const made = await runner.made(base, commitOf(repository, tree, [base]))
    Object.assign(told, { made, ready: runner.ready(made), finished: runner.push(made.work.head) })
  },
  'the spec is changed': async ({ runner }, told) => {
    const made = await runner.make({ ...backdoor, [`${runner.specFolder}/spec.sh`]: 'true\n' })
    Object.assign(told, { made, ready: runner.ready(made), finished: runner.push(made.work.head) })
  },
  'a denied path is changed': async ({ runner }, told) => {
    const made = await runner.make({ 'infra/main.tf': 'mine\n' })
    const ready = { ...runner.ready(made), change: { ...made.change, paths: ['README.md'] } }
    Object.assign(told, { made, ready, finished: runner.push(made.work.head) })
  },
  'no gate ran': (_, told) => {
    told.gates = []
  },
  'every gate was skipped': (_, told) => {
    told.gates = [{ name: 'Gates', result: 'skipped', summary: 'none' }]
  },
  'the evidence is of another commit': ({ colleague }, told) => {
    const before = told.evidence
    told.evidence = (event) => {
      const is = before(event)
      return { ...is, evidence: { ...is.evidence, commit: colleague } }
    }
  },
  'the evidence is not signed': (_, told) => {
    const before = told.evidence
    told.evidence = (event) => {
      const { envelope: __, ...rest } = before(event)
      return rest
    }
  },
  'the branch is another': ({ colleague }, told) => {
    told.finished = { type: 'finished', branch: { name: 'colleague', head: colleague } }
  },
  'the branch is that of an attempt to come': ({ runner, run }, told) => {
    told.finished = runner.push(told.made.work.head, `signalbox/${run.key}/7`)
  },
  'something else was pushed': async ({ runner }, told) => {
    const other = await runner.make(backdoor)
    const { branch } = runner.push(other.work.head)
    told.finished = { type: 'finished', branch: { name: branch!.name, head: told.made.work.head } }
  },
  'something else was pushed, and is said to be': async ({ runner }, told) => {
    told.finished = runner.push((await runner.make(backdoor)).work.head)
  },
  'nothing was pushed': (_, told) => {
    told.finished = { type: 'finished', pullRequest: null }
  },
}

function commitOf(repository: ABareRepository, tree: string, parents: string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return repository.git(...who, 'commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', 'x')
}

async function play(world: World, wanted: string[]): Promise<void> {
  const { runner, repository } = world
  const made = await runner.make(
    { 'README.md': 'Hello, you.\n', 'src/new.js': 'new\n' },
    repository.tip('main')!,
  )
  const told: Telling = {
    ...{ begun: null, made, ready: runner.ready(made), gates: passed },
    evidence: (event) => event,
    finished: runner.push(made.work.head),
  }
  for (const name of wanted) await lies[name]!(world, told)
  const { run, engine } = world
  // A runner that lies sends all of it, whatever the response.
  const say = async (event: WorkEvent) => {
    try {
      await runner.tell(event)
    } catch (error) {
      const { code } = error as { code?: string }
      assert.ok(code, `${error}`)
    }
  }
  await say(goesWell.plan)
  await say({ ...goesWell.begun, base: told.begun?.base ?? repository.tip('main')! })
  await say({ type: 'spec_pinned', spec: await runner.pinned(), summary: '' })
  await say(told.ready)
  if (run.order.stage === 'implementing') await answerYes(world)
  await engine.settle()
  await say(told.evidence(await runner.measured(told.made, told.gates)))
  await say(told.finished)
  await answerYes(world)
  await engine.settle()
}

const tries = process.env.FAULTS === 'all' ? 300 : 12

test('whatever a runner says, main gets what was shown, or nothing', async () => {
  const some = fc.subarray(Object.keys(lies), { minLength: 0, maxLength: 4 })
  const policy = fc.constantFrom('ask' as const, 'auto' as const)
  await fc.assert(
    fc.asyncProperty(some, policy, async (wanted, mergePolicy) => {
      const world = await aWorld({ mergePolicy, autoMergeMaxLines: null })
      try {
        const before = world.repository.tip('main')!
        await play(world, wanted)
        await holds(world, before)
        if (wanted.length === 0) assert.notEqual(world.repository.tip('main'), before, 'the truth is merged')
      } finally {
        world.repository.remove()
      }
    }),
    {
      numRuns: tries,
      examples: [
        [[], 'auto'],
        [['there is no work', 'the head is another'], 'ask'],
        [[], 'ask'],
      ],
    },
  )
})

// Which of them are merged in the end, by a person who says yes to everything, is worth knowing one by one.
const harmless = new Set([
  'paths are left out',
  'no line was changed',
  'the diff is of something else',
  'a denied path is changed',
  'a replace ref stands before the head',
])
const asksOnly = new Set(['no gate ran', 'every gate was skipped', 'the evidence is not signed'])

for (const name of Object.keys(lies))
  test(`a lie: ${name}`, async () => {
    const world = await aWorld({ mergePolicy: 'auto', autoMergeMaxLines: null })
    const before = world.repository.tip('main')!
    await play(world, [name])
    await holds(world, before)
    const isMerged = world.repository.tip('main') !== before
    if (!harmless.has(name) && !asksOnly.has(name)) assert.equal(isMerged, false, 'it comes to nothing')
    const { decisions } = await world.run.read()
    if (
      isMerged &&
      name !== 'the diff is of something else' &&
      name !== 'a replace ref stands before the head'
    )
      assert.ok(decisions.length > 0, 'no lie is merged without a person')
    world.repository.remove()
  })

/** What a runner may say of a second repository that is not so. Returns what it pushes there. */
type SecondLie = (two: TwoRepositories, made: Record<'api' | 'web', Made>) => Promise<void>

const aboutTheSecond: Record<string, SecondLie> = {
  'a head is pushed that no one has verified there': async (two, made) => {
    await two.tell(two.ready(made.api, made.web))
    await two.measure(made)
    await two.push('api', made.api.work.head)
    await two.bind()
    await two.push('web', (await two.make('web', backdoor)).work.head)
  },
  'its gates are said to have run on the commit of the first': async (two, made) => {
    await two.tell(two.ready(made.api, made.web))
    await two.measure({ api: made.api })
    await assert.rejects(two.measure({ api: made.api }), /The evidence was not accepted: it is about/)
  },
  'its bundle is of something else': async (two, made) => {
    const { bundle } = (await two.make('web', backdoor)).work
    await two.tell(two.ready(made.api, { ...made.web, work: { ...made.web.work, bundle } }))
  },
  'its work begins from a commit of the runner’s own': async (two, made) => {
    const own = await two.git.web.push('own', backdoor)
    const head = await two.git.web.push('own-work', { 'README.md': 'Hello, you.\n' }, own)
    await two.tell(two.ready(made.api, await two.runners.web.made(own, head)))
  },
  'nothing is pushed there but the branch of the first': async (two, made) => {
    await two.tell(two.ready(made.api, made.web))
    await two.measure(made)
    await two.push('api', made.api.work.head)
    await two.bind()
    await two.tell({ type: 'finished', branch: { name: 'signalbox/other/1', head: made.web.work.head } })
  },
}

for (const [name, lie] of Object.entries(aboutTheSecond))
  test(`a lie about a second repository: ${name}`, async () => {
    const git = { api: new ABareRepository(), web: new ABareRepository() }
    for (const one of Object.values(git)) await one.push('main', files)
    const engine = new TestEngine(database.db)
    const host = new LocalGitHost({
      allow: [git.api.folder, git.web.folder],
      pullRequests: keepPullRequests({ db: database.db, clock: engine.clock }),
      clock: engine.clock,
      publicUrl: () => 'https://signalbox.example.com',
    })
    engine.host = Object.assign(Object.create(host) as LocalGitHost, {
      openPullRequest: host.openPullRequest.bind(host),
      merge: host.merge.bind(host),
      readMain: async () => null,
    })
    const at = (one: ABareRepository) => ({
      ...{ host: 'local', address: one.bare, branch: 'main', connectionId: null, remoteId: null },
    })
    const two = await TwoRepositories.begin(database.db, engine, {
      ...{ git, at: { api: at(git.api), web: at(git.web) } },
      departures: { mergePolicy: 'auto', autoMergeMaxLines: null },
    })
    const before = [git.api.tip('main'), git.web.tip('main')]
    await two.start()
    const change = { 'README.md': 'Hello, you.\n' }
    await lie(two, { api: await two.make('api', change), web: await two.make('web', change) })
    await engine.settle()
    assert.deepEqual([git.api.tip('main'), git.web.tip('main')], before, 'nothing is merged into either')
    const { status, failureClass } = await two.run.read()
    if (!name.startsWith('its gates')) assert.deepEqual([status, failureClass], ['failed', 'policy'])
    for (const one of Object.values(git)) one.remove()
  })
