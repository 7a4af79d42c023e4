import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { GatePlan } from '../gates/gate.ts'
import { storeOf, write } from '../test/origin.ts'
import { plainRoom } from '../test/plain-box.ts'
import { proveGreen, proveRed } from './prove.ts'

const { shared, store, base, folder } = await storeOf(
  { after },
  { 'src/add.mjs': 'export const other = 1\n' },
)
const room = plainRoom(folder)
const plan: GatePlan = { setUp: [], gates: [], from: null }
const place = '.kanman/acceptance/WEB-1'

const trial = (files: Record<string, string>, command: string, commit = base) => ({
  store,
  commit,
  folder: place,
  spec: { command, files: new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])) },
  plan,
  room,
})

const test1 = `import { test } from 'node:test'
import assert from 'node:assert/strict'
test('adds', async () => {
  const { add } = await import('../../../src/add.mjs')
  assert.equal(add(1, 2), 3)
})
`
const runTest = `node --test ${place}/a.test.mjs`

test('a spec that fails because the work is not done is red for the right reason', async () => {
  const cases: [files: Record<string, string>, command: string][] = [
    [{ 'a.test.mjs': test1 }, runTest],
    // An export that is not there yet is a syntax error to Node, and yet the right reason.
    [{ 'a.test.mjs': "import { add } from '../../../src/add.mjs'\nadd(1, 2)\n" }, runTest],
    [{ 'a.test.mjs': "import '../../../src/not-there-yet.mjs'\n" }, runTest],
    [{ 'run.sh': 'grep -q add src/add.mjs\n' }, `sh ${place}/run.sh`],
  ]
  for (const [files, command] of cases) {
    const red = await proveRed(trial(files, command))
    assert.ok(red.right, `${red.words}\n${red.output}`)
    assert.match(red.words, /^Fails on the base, as it should\. /)
  }
})

test('a spec that passes on the base is refused', async () => {
  const red = await proveRed(trial({ 'run.sh': 'true' }, `sh ${place}/run.sh`))
  assert.deepEqual([red.right, /proves nothing/.test(red.words)], [false, true])
})

test('a spec that is broken itself is not red', async () => {
  const cases: [files: Record<string, string>, command: string, words: RegExp][] = [
    [{ a: '' }, 'no-such-program', /its command was not found/],
    [{ 'run.sh': 'echo' }, `./${place}/run.sh`, /cannot be executed/],
    [{ 'run.sh': 'if then (\n' }, `sh ${place}/run.sh`, /cannot be read/],
    [{ 'a.test.mjs': 'const = 3\n' }, runTest, /cannot be read/],
    [{ 'b.test.mjs': test1 }, runTest, /names a file that is not part of it/],
    [{ a: '' }, 'kill -9 $$', /it was killed/],
    [{ a: '' }, 'echo "No tests found, exiting with code 1"; exit 1', /has no test that ran/],
  ]
  for (const [files, command, words] of cases) {
    const red = await proveRed(trial(files, command))
    assert.ok(!red.right, command)
    assert.match(red.words, words, `${command}\n${red.output}`)
  }
})

test('the pinned copy is what is run on the head, green when the work is done', async () => {
  const worktree = await store.checkout(base)
  write(worktree.folder, {
    'src/add.mjs': 'export const add = (a, b) => a + b\n',
    [`${place}/a.test.mjs`]: 'throw new Error("the work has changed it")\n',
    [`${place}/extra.mjs`]: '',
  })
  const head = await worktree.commit(base, 'Work')
  await worktree.release()
  const green = await proveGreen(trial({ 'a.test.mjs': test1 }, runTest, head))
  assert.deepEqual(
    [green.name, green.result, green.summary],
    ['Acceptance spec', 'passed', '1 test passed.'],
    green.output,
  )
  const red = await proveGreen(trial({ 'a.test.mjs': test1 }, runTest))
  assert.deepEqual([red.result, red.summary], ['failed', '1 of 1 test failed.'])
})

test('a spec of which nothing ran is not green', async () => {
  const none = await proveGreen(
    trial({ 'a.test.mjs': "import { test } from 'node:test'\ntest.skip('a', () => {})\n" }, runTest),
  )
  assert.deepEqual(
    [none.result, none.summary],
    ['failed', 'No test of the acceptance spec ran.'],
    none.output,
  )
})

test('a project that cannot be prepared is not mistaken for a spec that fails', async () => {
  const step = {
    name: 'npm ci',
    run: 'exit 1',
    folder: '.',
    timeoutSeconds: 60,
    report: null,
    network: 'registries' as const,
  }
  const unprepared = { ...trial({ a: '' }, 'false'), plan: { ...plan, setUp: [step] } }
  assert.match((await proveRed(unprepared)).words, /^The project could not be prepared/)
  assert.equal((await proveGreen(unprepared)).result, 'failed')
})

test('no worktree stays behind', async () => {
  assert.equal(readdirSync(path.join(shared.folder, 'worktrees')).length, 1)
})
