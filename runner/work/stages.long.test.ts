import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { type Envelope, keyFromRaw, opened } from '@signalbox/contract/dsse.ts'
import { RunEvidence, SummaryStatement, TestResultStatement } from '@signalbox/contract/runner/evidence.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { Check } from 'typebox/value'
import { measureBox } from '../box/measure.ts'
import { Stopped } from '../orders/order-context.ts'
import { plainGit, write } from '../test/origin.ts'
import { plainBox } from '../test/plain-box.ts'
import { type Plays, reported, type Step, Workbench } from '../test/workbench.ts'

const { box } = await measureBox()
const isBoxed = box.isolation.backend === 'bubblewrap'
const skip = isBoxed ? false : 'bubblewrap is not there, or may not make namespaces'

const content = {
  'README.md': 'A shop.\n',
  'infra/main.tf': 'main\n',
  'keys/server.pem': 'a key\n',
  'test/shop.sh': 'test -f README.md\n',
  '.kanman/gates.yml': `gates:
  - { name: test, run: sh test/shop.sh }
  - { name: prices, run: sh test/prices.sh }
`,
  'test/prices.sh': 'echo "no price list"; exit 1\n',
}

const bench = new Workbench({ after }, box, content)
const bare = new Workbench({ after }, plainBox(), content)

const plan = { plan: 'Add a greeting.', paths: ['greeting.txt'], risk: 'low', lines: 1 }
const question = {
  question: 'Which greeting?',
  context: '',
  options: [
    { id: 'hello', label: 'Hello' },
    { id: 'moin', label: 'Moin' },
  ],
  recommendation: 'moin',
}
const specScript = 'grep -q Hello greeting.txt && echo "ok - c1 greets"\n'
const specSteps = (script = specScript, command = 'sh .kanman/acceptance/WEB-1/greeting.sh'): Step[] => [
  { result: 'acceptance/greeting.sh', text: script },
  { result: 'acceptance/manifest.json', json: { command, files: ['greeting.sh'] } },
]
const greet: Step[] = [{ write: 'greeting.txt', text: 'Hello.\n' }]

const planning = (at = bench) => at.order({ stage: 'planning' })
const withSpec = (at = bench): Order => {
  const order = at.order()
  const story = {
    ...order.story,
    acceptanceCriteria: [{ id: 'c1', text: 'It greets.', status: 'unverified' as const, verifiedAt: null }],
  }
  return { ...order, story, policy: { ...order.policy, acceptanceRequired: true } }
}

/** An order further on, with what the one before has made. */
async function implemented(at: Workbench, plays: Plays = { spec: [specSteps()], implement: [greet] }) {
  const came = await at.work(withSpec(at), plays)
  const { work, ...change } = reported(came, 'change_ready')
  const { spec } = reported(came, 'spec_pinned')
  return { came, change, spec, work: work!, next: { ...withSpec(at), base: work!.base, spec, work: work! } }
}

test('a plan is what the agent leaves; where the work began and what held it is said first', async () => {
  const came = await bench.work(planning(), { plan: [[{ result: 'plan.json', json: plan }]] })
  assert.deepEqual(came.reports, [
    {
      type: 'begun',
      base: bench.base,
      isolation: box.isolation,
      agent: { name: 'scripted', via: 'scripted', version: null },
    },
    { type: 'plan_ready', ...plan },
  ])
})

test('a plan that is missing or wrong is asked for once more, then the order fails', async () => {
  const none = await bench.work(planning(), { plan: [[{ say: 'I thought about it.' }]] })
  assert.equal(none.log.match(/I thought about it/g)!.length, 2)
  assert.match(none.log, /There was no plan\.json\. Asked once more\./)
  assert.match(none.failed!.message, /^The agent ended without a plan\. There was no plan\.json\.$/)
  assert.equal(none.failed!.failureClass, 'persistent')

  const wrong = await bench.work(planning(), {
    plan: [[{ result: 'plan.json', json: { ...plan, risk: 'none' } }]],
  })
  assert.match(wrong.failed!.message, /plan\.json: \/risk /)
  assert.ok(!wrong.reports.some(({ type }) => type === 'plan_ready'))
})

test('a question in planning ends the order with nothing made', async () => {
  const came = await bench.work(planning(), { plan: [[{ ask: question }]] })
  assert.deepEqual(reported(came, 'question_asked'), { type: 'question_asked', ...question, work: null })
})

test('a question in the middle keeps the work, and the answer goes on from it', async () => {
  const asked = await bench.work(bench.order(), { implement: [[...greet, { ask: question }]] })
  const { work } = reported(asked, 'question_asked')
  const answered = { ...bench.order(), base: work!.base, work: work!, guidance: ['Moin.'] }
  const came = await bench.work(answered, {
    implement: [[], [{ replace: 'greeting.txt', find: 'Hello', with: 'Moin' }]],
  })
  assert.match(bench.text(reported(came, 'change_ready').diff!), /^\+Moin\.$/m)
})

test('the spec is seen red on the base, pinned, and put where no one wrote it', async () => {
  const { came, change, spec, work } = await implemented(bench)
  assert.deepEqual(
    came.reports.map(({ type }) => type),
    ['begun', 'spec_pinned', 'change_ready'],
  )
  assert.match(reported(came, 'spec_pinned').summary, /^Fails on the base, as it should\./)
  assert.equal(spec.folder, '.kanman/acceptance/WEB-1')
  assert.deepEqual(JSON.parse(bench.text(spec.files)), {
    'greeting.sh': Buffer.from(specScript).toString('base64'),
  })
  // As it was pinned it is no part of the change that people look at; it is part of the commit.
  assert.deepEqual(change.change, { files: 1, additions: 1, deletions: 0, paths: ['greeting.txt'] })
  assert.match(bench.text(change.diff!), /\+\+\+ b\/\.kanman\/acceptance\/WEB-1\/greeting\.sh/)
  assert.equal(work.base, bench.base)
  assert.ok(bench.text(work.bundle).startsWith('# v2 git bundle'))
})

test('a spec that passes on the base, or does not work itself, is asked for once more', async () => {
  for (const [steps, words] of [
    [specSteps('true\n'), /passes before any work is done/],
    [specSteps(specScript, 'no-such-program'), /its command was not found/],
    [[{ result: 'acceptance/greeting.sh', text: specScript }], /no file acceptance\/manifest\.json/],
  ] as const) {
    const came = await bench.work(withSpec(), { spec: [steps as Step[]], implement: [greet] })
    assert.match(reported(came, 'spec_failed').error, words)
    assert.match(came.log, /Asked once more\./)
    assert.ok(!came.reports.some(({ type }) => ['spec_pinned', 'change_ready'].includes(type)))
  }
})

test('what was written into the repository while the spec was written is no part of the change', async () => {
  const { change } = await implemented(bench, {
    spec: [[...specSteps(), { write: 'smuggled.txt', text: 'x' }]],
    implement: [greet],
  })
  assert.deepEqual(change.change.paths, ['greeting.txt'])
})

test('a turn that changes nothing has failed, whatever it says', async () => {
  const came = await bench.work(bench.order(), { implement: [[{ say: 'All done.' }]] })
  assert.equal(came.failed!.message, 'The agent ended without changing anything.')
  const failing = await bench.work(bench.order(), { implement: [[{ run: 'exit 3' }]] })
  assert.match(failing.failed!.message, /^Every tool call failed/)
})

test('another scope is proposed, and nothing is handed on', async () => {
  const scope = { plan: 'Rewrite the shop.', change: 'The shop has no door.' }
  const came = await bench.work(bench.order(), {
    implement: [[...greet, { result: 'scope.json', json: scope }]],
  })
  assert.deepEqual(came.reports.slice(1), [{ type: 'scope_change_proposed', ...scope }])
  const forged = await bench.work(bench.order(), {
    implement: [[...greet, { result: 'scope.json', json: { plan: '' } }]],
  })
  assert.match(forged.failed!.message, /^scope\.json: /)
})

test('denied paths are read-only in the box, single files too', { skip }, async () => {
  const came = await bench.work(bench.order(), {
    implement: [
      [
        ...greet,
        { run: 'echo changed > infra/main.tf' },
        { run: 'echo changed > keys/server.pem' },
        { run: 'mv infra infra2' },
        { run: 'rm -rf keys' },
      ],
    ],
  })
  assert.deepEqual(reported(came, 'change_ready').change.paths, ['greeting.txt'])
  assert.equal(came.log.match(/^✗ /gm)!.length, 4)
})

test('a denied path that was changed all the same stands in what is reported', async () => {
  const steps = [...greet, { run: 'echo changed > infra/main.tf; mkdir -p certs; echo x > certs/new.pem' }]
  const without = await bare.work(bare.order(), { implement: [steps] })
  assert.deepEqual(reported(without, 'change_ready').change.paths, [
    'certs/new.pem',
    'greeting.txt',
    'infra/main.tf',
  ])
  // A name that was not there when the box was made.
  const boxed = await bench.work(bench.order(), { implement: [steps.with(1, { run: 'echo x > new.pem' })] })
  assert.deepEqual(reported(boxed, 'change_ready').change.paths, ['greeting.txt', 'new.pem'])
})

test('a path that a person has allowed can be changed in the box', async () => {
  const order = bench.order({ exceptions: ['infra/main.tf', 'keys/server.pem'] })
  const came = await bench.work(order, {
    implement: [[{ run: 'echo changed > infra/main.tf; echo changed > keys/server.pem' }]],
  })
  assert.deepEqual(reported(came, 'change_ready').change.paths, ['infra/main.tf', 'keys/server.pem'])
})

test('no one can allow the acceptance spec', { skip }, async () => {
  const file = '.kanman/acceptance/WEB-1/greeting.sh'
  const order = { ...withSpec(), exceptions: [file] }
  const came = await bench.work(order, {
    spec: [specSteps()],
    implement: [[...greet, { run: `rm ${file}` }]],
  })
  assert.deepEqual(reported(came, 'change_ready').change.paths, ['greeting.txt'])
})

const tampers: [what: string, line: string, path: string][] = [
  ['changed', 'echo true > .kanman/acceptance/WEB-1/greeting.sh', 'greeting.sh'],
  ['deleted', 'rm -r .kanman/acceptance/WEB-1', 'greeting.sh'],
  ['added to', 'echo x > .kanman/acceptance/WEB-1/more.sh', 'more.sh'],
]

test('the acceptance spec cannot be changed in the box, and without one it is reported', async () => {
  const runs = tampers.map(([, run]) => ({ run }))
  if (isBoxed) {
    const { came, change } = await implemented(bench, {
      spec: [specSteps()],
      implement: [[...greet, ...runs]],
    })
    assert.deepEqual(change.change.paths, ['greeting.txt'])
    assert.equal(came.log.match(/^✗ /gm)!.length, tampers.length)
  }
  for (const [what, run, file] of tampers) {
    const { change } = await implemented(bare, { spec: [specSteps()], implement: [[...greet, { run }]] })
    assert.ok(change.change.paths.includes(`.kanman/acceptance/WEB-1/${file}`), what)
  }
})

test('a spec that was touched is put back as it was pinned, which is a change enough', async () => {
  const { next } = await implemented(bare, {
    spec: [specSteps()],
    implement: [[...greet, { run: tampers[0]![1] }]],
  })
  const came = await bare.work({ ...next, restoreSpec: true }, { implement: [[{ say: 'Nothing to add.' }]] })
  assert.deepEqual(reported(came, 'change_ready').change.paths, ['greeting.txt'])
})

test('rework goes on from the last head, and is one commit on the base again', async () => {
  const { next, work } = await implemented(bench)
  const came = await bench.work(
    { ...next, guidance: ['Say where we are.'] },
    { implement: [greet, [{ write: 'place.txt', text: 'Here.\n' }]] },
  )
  const again = reported(came, 'change_ready')
  assert.deepEqual(again.change.paths, ['greeting.txt', 'place.txt'])
  assert.equal(again.work!.base, bench.base)
  assert.notEqual(again.work!.head, work.head)
  assert.ok(!came.reports.some(({ type }) => type === 'spec_pinned'))
})

test('verifying runs each gate beside the base, the spec from its pin, and signs what it saw', async () => {
  const { next, work, spec } = await implemented(bench)
  const order: Order = {
    ...next,
    stage: 'verifying',
    story: { ...next.story, demonstrate: '```sh\ncat greeting.txt\n```' },
    spent: [{ currency: 'USD', amount: 0.25 }],
  }
  const { gates, evidence, envelope, statements } = reported(await bench.work(order), 'gates_ran')
  assert.deepEqual(
    gates.map(({ name, result }) => [name, result]),
    [
      ['Acceptance spec', 'passed'],
      ['test', 'passed'],
      ['prices', 'skipped'],
    ],
  )
  assert.match(gates[2]!.summary, /^Already failing on main\./)
  assert.deepEqual(evidence.criteria, [{ id: 'c1', result: 'passed', proof: 'ok - c1 greets' }])
  assert.equal(evidence.commit, work.head)
  assert.match(evidence.demonstration!, /Hello\./)

  const { publicKey } = bench.shop.identity
  const sealed = JSON.parse(bench.text(envelope!)) as Envelope
  const { subject, predicate } = JSON.parse(opened(sealed, keyFromRaw(publicKey)!)!.toString())
  assert.ok(Check(RunEvidence, predicate))
  assert.equal(subject[0].digest.gitCommit, work.head)
  assert.deepEqual(predicate.isolation, box.isolation)
  assert.deepEqual(predicate.spec, spec)
  assert.deepEqual(predicate.cost, [{ currency: 'USD', amount: 0.25 }])
  const [acceptance, , prices] = predicate.gates
  assert.deepEqual([acceptance!.onBase, prices!.onBase], ['failed', 'failed'])
  assert.match(bench.text(prices!.log!), /no price list/)
  assert.match(bench.text(predicate.diff.sha256!), /^\+Hello\.$/m)
  const signed = statements!.map((sha256) => {
    const bytes = opened(JSON.parse(bench.text(sha256)) as Envelope, keyFromRaw(publicKey)!)
    return JSON.parse(bytes!.toString())
  })
  const summary = signed.pop()
  assert.deepEqual(
    signed.map((statement) => [
      Check(TestResultStatement, statement),
      statement.predicate.configuration[0].name,
      statement.predicate.result,
    ]),
    [
      [true, 'Acceptance spec', 'PASSED'],
      [true, 'test', 'PASSED'],
      [true, 'prices', 'WARNED'],
    ],
  )
  assert.deepEqual(signed[0].predicate.passedTests, ['c1'])
  assert.equal(signed[0].predicate.configuration[1].digest.sha256, spec.files)
  assert.ok(Check(SummaryStatement, summary))
  assert.deepEqual(
    summary.predicate.inputAttestations.map(({ digest }) => digest.sha256),
    [envelope, ...statements!.slice(0, -1)],
  )
  assert.equal(summary.predicate.verificationResult, 'PASSED')
  assert.ok(summary.predicate.verifiedLevels.includes('SIGNALBOX_ACCEPTANCE_SPEC'))
  assert.deepEqual(
    JSON.parse(Buffer.from(summary.predicate.policy.content, 'base64').toString()),
    order.policy,
  )
  const other = { ...sealed, payload: Buffer.from('{}').toString('base64') }
  assert.equal(opened(other, keyFromRaw(publicKey)!), null)
})

test('a gate that the change breaks is red, and the spec as the agent left it is not what is run', async () => {
  const { next } = await implemented(bare, {
    spec: [specSteps()],
    implement: [[{ run: `rm README.md; ${tampers[0]![1]}` }]],
  })
  const { gates, evidence } = reported(await bare.work({ ...next, stage: 'verifying' }), 'gates_ran')
  assert.deepEqual(
    gates.map(({ name, result }) => [name, result]),
    [
      ['Acceptance spec', 'failed'],
      ['test', 'failed'],
      ['prices', 'skipped'],
    ],
  )
  assert.equal(evidence.criteria[0]!.result, 'failed')
})

test('handing off pushes exactly one commit to a branch of the attempt, and twice is once', async () => {
  const { next, work } = await implemented(bench)
  const order: Order = { ...next, stage: 'handing_off' }
  const branch = { name: 'signalbox/run-aaa1/1', head: work.head }
  for (const _ of [1, 2]) {
    const came = await bench.work(order)
    assert.deepEqual(came.reports, [{ type: 'finished', branch }])
    assert.equal(bench.git('rev-parse', branch.name), work.head)
  }
  assert.equal(bench.git('rev-list', '--count', `main..${branch.name}`), '1')
  assert.equal(bench.git('for-each-ref', '--format=%(refname)').split('\n').length, 2)
  assert.match(bench.git('log', '-1', '--format=%an: %s', branch.name), /^Signalbox: WEB-1: Greet people$/)
})

test('what an order pushed and could not say is not pushed again by the next attempt', async () => {
  const { next, work } = await implemented(bench)
  const order: Order = { ...next, run: 'run-aab1', stage: 'handing_off' }
  await bench.work(order)
  const came = await bench.work({ ...order, attempt: 3 })
  assert.deepEqual(came.reports, [
    { type: 'finished', branch: { name: 'signalbox/run-aab1/1', head: work.head } },
  ])
  assert.equal(bench.git('for-each-ref', '--format=%(refname)', 'refs/heads/signalbox/run-aab1/3'), '')
})

test('what the run has pushed before is replaced; a commit of anyone else is left as it is, and named', async () => {
  const { next, work } = await implemented(bench)
  const order: Order = { ...next, run: 'run-aab2', stage: 'handing_off' }
  const name = 'signalbox/run-aab2/1'
  bench.git('update-ref', `refs/heads/${name}`, bench.base)
  const refused = await bench.work(order)
  assert.match(refused.failed!.message, /is at [0-9a-f]{12}, which this run did not push/)
  assert.equal(bench.git('rev-parse', name), bench.base)
  const came = await bench.work({ ...order, pushed: { name, head: bench.base } })
  assert.deepEqual(came.reports, [{ type: 'finished', branch: { name, head: work.head } }])
  assert.equal(bench.git('rev-parse', name), work.head)
})

test('a run that goes on finds what was installed in its worktree; the gates and other runs do not', async () => {
  const other = new Workbench({ after }, plainBox(), { ...content, '.gitignore': 'installed\n' })
  const install = [{ write: 'installed/tool', text: 'x' }, ...greet, { ask: question }]
  const { work } = reported(await other.work(other.order(), { implement: [install] }), 'question_asked')
  const look: Step[] = [{ run: 'cat installed/tool' }, { write: 'more.txt', text: 'x' }]
  const next = { ...other.order(), base: other.base, work: work! }
  const strange = await other.work({ ...next, run: 'run-aab3' }, { implement: [look] })
  assert.match(strange.log, /✗ exit code 1/)
  assert.doesNotMatch((await other.work(next, { implement: [look] })).log, /✗/)
})

test('what was red on the commit before a merge is not mistaken for what the merge broke', async () => {
  const at = new Workbench({ after }, box, { ...content, 'test/prices.sh': 'echo "no price list"; exit 1\n' })
  const commit = (files: Record<string, string>) => {
    const folder = mkdtempSync(path.join(at.folder, 'clone-'))
    plainGit(folder, ['clone', '--quiet', at.origin, '.'])
    write(folder, files)
    plainGit(folder, ['add', '--all'])
    plainGit(folder, ['commit', '--quiet', '-m', 'Next'])
    plainGit(folder, ['push', '--quiet', 'origin', 'HEAD:main'])
    return plainGit(folder, ['rev-parse', 'HEAD'])
  }
  const check = async (merged: string) =>
    reported(await at.work(at.order({ job: 'main_check', stage: 'handing_off', merged })), 'main_checked')
  const innocent = await check(commit({ 'docs.md': 'More.\n' }))
  assert.deepEqual([innocent.state, innocent.isOlder], ['red', true])
  const guilty = await check(commit({ 'test/shop.sh': 'exit 1\n' }))
  assert.deepEqual([guilty.state, guilty.isOlder], ['red', undefined])
})

test('the main branch is checked at the merge, green or red', async () => {
  const other = new Workbench({ after }, box, { ...content, 'test/prices.sh': 'true\n' })
  const check = (at: Workbench) =>
    at.work(at.order({ job: 'main_check', stage: 'handing_off', merged: at.base }))
  const green = reported(await check(other), 'main_checked')
  assert.deepEqual([green.state, green.findings], ['green', ''])
  const red = reported(await check(bench), 'main_checked')
  assert.equal(red.state, 'red')
  assert.match(red.findings, /^prices: .*no price list/)
  const broken = new Workbench({ after }, box, { '.kanman/gates.yml': 'gates: {}\n' })
  const unknown = reported(await check(broken), 'main_checked')
  assert.equal(unknown.state, 'red')
  assert.match(unknown.findings, /^\.kanman\/gates\.yml: /)
})

test('a run that is stopped in the middle goes on from where it was, with or without work before', async () => {
  const stopped = new Stopped('No money is left.', { how: 'cancel', by: 'server' })
  const before = await implemented(bench)
  for (const order of [bench.order({ run: 'run-aaa7' }), { ...before.next, run: 'run-aaa8' }]) {
    const came = await bench.work(
      order,
      { implement: [[{ write: 'half.txt', text: 'half\n' }, { say: 'Half of it.' }, { wait: 60 }]] },
      { onLine: (line, context) => line === 'Half of it.' && context.stop(stopped) },
    )
    assert.deepEqual([came.failed, came.reports.map(({ type }) => type)], [null, ['begun']])
    const on = await bench.work(order, { implement: [[{ write: 'whole.txt', text: 'whole\n' }]] })
    const { paths } = reported(on, 'change_ready').change
    assert.deepEqual(paths, [...(order.work ? ['greeting.txt'] : []), 'half.txt', 'whole.txt'])
    // Handed on, it is forgotten: what a later order begins from is what the server says.
    const anew = await bench.work(order, { implement: [[{ write: 'whole.txt', text: 'whole\n' }]] })
    assert.ok(!reported(anew, 'change_ready').change.paths.includes('half.txt'))
  }
})

/** What a person pushes: their own commits on a branch of their own. */
function pushed(at: Workbench, files: Record<string, string>, name = 'ada/greet') {
  const clone = mkdtempSync(path.join(at.folder, 'clone-'))
  plainGit(clone, ['clone', '--quiet', at.origin, '.'])
  plainGit(clone, ['checkout', '--quiet', '-b', name])
  write(clone, files)
  plainGit(clone, ['add', '--all', '--force'])
  plainGit(clone, ['commit', '--quiet', '-m', 'Greet'])
  plainGit(clone, ['push', '--quiet', '--force', 'origin', name])
  return { name, head: plainGit(clone, ['rev-parse', 'HEAD']) }
}

test('what a person pushed is brought in as it is, measured, and handed off from a branch of the run', async () => {
  const theirs = pushed(bare, { 'greeting.txt': 'Hello.\n' })
  const came = await bare.work(bare.order({ job: 'adopt', toAdopt: theirs }))
  // No one works here, so no one is said to.
  assert.deepEqual(
    came.reports.map(({ type }) => type),
    ['change_ready'],
  )
  const { work, change } = reported(came, 'change_ready')
  assert.deepEqual([work!.base, work!.head], [bare.base, theirs.head])
  assert.deepEqual(change.paths, ['greeting.txt'])
  const next = { ...bare.order(), base: work!.base, work: work! }
  const { branch } = reported(await bare.work({ ...next, stage: 'handing_off' }), 'finished')
  assert.deepEqual(branch, { name: 'signalbox/run-aaa1/1', head: theirs.head })
})

test('a denied path, or a change of the spec, is seen in what a person pushed', async () => {
  const theirs = pushed(bare, { 'infra/main.tf': 'mine\n', '.kanman/acceptance/web-9/a.sh': 'true\n' })
  const came = await bare.work(bare.order({ job: 'adopt', toAdopt: theirs }))
  assert.deepEqual(reported(came, 'change_ready').change.paths.toSorted(), [
    '.kanman/acceptance/web-9/a.sh',
    'infra/main.tf',
  ])
})

test('a branch that is not there, a commit that is not on it, and one without a change say what to do', async () => {
  const theirs = pushed(bare, { 'greeting.txt': 'Moin.\n' })
  const failing = async (branch: { name: string; head: string }) => {
    const { failed, reports } = await bare.work(bare.order({ job: 'adopt', toAdopt: branch }))
    assert.deepEqual([reports, failed!.failureClass], [[], 'dependency'])
    assert.match(failed!.message, / Push it, then retry the run\.$/)
    return failed!.message
  }
  assert.match(await failing({ ...theirs, name: 'nobodys' }), /^The branch nobodys could not be fetched/)
  assert.match(await failing({ ...theirs, head: '1'.repeat(40) }), /is not on the branch ada\/greet\./)
  assert.match(await failing({ ...theirs, head: bare.base }), /has no change/)
})

test('the spec that what a person pushed is measured by is written without it', { skip }, async () => {
  const theirs = pushed(bench, { 'greeting.txt': 'Hello.\n' })
  const order = { ...withSpec(bench), job: 'adopt' as const, toAdopt: theirs }
  const came = await bench.work(order, { spec: [specSteps()] })
  assert.deepEqual(
    came.reports.map(({ type }) => type),
    ['begun', 'spec_pinned', 'change_ready'],
  )
  const { work, change } = reported(came, 'change_ready')
  assert.deepEqual(change.paths, ['greeting.txt'])
  assert.notEqual(work!.head, theirs.head)
  const { spec } = reported(came, 'spec_pinned')
  const verified = await bench.work({
    ...withSpec(bench),
    stage: 'verifying',
    base: work!.base,
    spec,
    work: work!,
  })
  const { gates } = reported(verified, 'gates_ran')
  assert.equal(gates[0]!.result, 'passed')
})

test('an agent is told nothing that a person would not see', async () => {
  const heard = new Workbench({ after }, plainBox(), content)
  const prompts: string[] = []
  heard.shop.agents = heard.shop.agents.map((agent) => ({
    ...agent,
    turn(turn, box) {
      prompts.push(turn.prompt)
      return agent.turn(turn, box)
    },
  }))
  const order = planning(heard)
  const title = 'Greet\u202e \u{e0041}\u{e0042}people\u{e0101}\ufe00\u3164\ufff9 👩‍👩‍👧'
  await heard.work(
    { ...order, story: { ...order.story, title } },
    { plan: [[{ result: 'plan.json', json: plan }]] },
  )
  assert.match(prompts.join('\n'), /Greet people 👩‍👩‍👧/)
  assert.doesNotMatch(prompts.join('\n'), /\u{202e}|\u{e0041}|\u{e0101}|\u{3164}|\u{fff9}/u)
})
