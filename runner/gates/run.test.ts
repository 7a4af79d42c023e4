import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Limits } from '../box/box.ts'
import { storeOf, write } from '../test/origin.ts'
import { plainRoom } from '../test/plain-box.ts'
import { BaseRuns } from './base-runs.ts'
import { comparePlans, compareRuns } from './compare.ts'
import { execute } from './execute.ts'
import type { GateDefinition, GatePlan } from './gate.ts'
import { planGates } from './plan.ts'
import { runGates } from './run.ts'

const gate = (name: string, run: string, more: Partial<GateDefinition> = {}): GateDefinition => ({
  name,
  run,
  folder: '.',
  timeoutSeconds: 60,
  report: null,
  network: 'none',
  ...more,
})
const planOf = (...gates: GateDefinition[]): GatePlan => ({ setUp: [], gates, from: 'a test' })

const testsFile = (ok: number, failing: string[] = []) =>
  [
    ...Array.from({ length: ok }, (_, at) => `ok ${at + 1} - t${at + 1}`),
    ...failing.map((name) => `not ok 9 - ${name}`),
  ].join('\n')

const made = await storeOf(
  { after },
  {
    'tests.tap': testsFile(3),
    'package.json': '{"scripts":{"test":"cat tests.tap"}}',
    'web/x.txt': 'x',
    '.kanman/gates.yml': 'gates:\n  - {name: test, run: cat tests.tap, report: tap}\n',
  },
)
const { store, base, folder } = made
const room = plainRoom(folder)

async function headOf(files: Record<string, string>): Promise<string> {
  const worktree = await store.checkout(base)
  write(worktree.folder, files)
  const head = await worktree.commit(base, 'Work')
  await worktree.release()
  return head
}

test('gates say in one line what they came to', async () => {
  const plan = planOf(
    gate('passes', 'echo fine'),
    gate('fails', 'echo one; echo "the reason" >&2; exit 3'),
    gate('missing', 'no-such-command'),
    gate('counts', 'cat tests.tap', { report: { kind: 'tap', path: null } }),
    gate('in a folder', 'cat x.txt', { folder: 'web' }),
    gate('lies', 'echo "not ok 1 - a"; exit 0', { report: { kind: 'tap', path: null } }),
    gate('odd', 'echo "ok 1 - a"; echo done >&2; exit 1', { report: { kind: 'tap', path: null } }),
  )
  const runs = await runGates(store, base, plan, room)
  assert.deepEqual(
    runs.map(({ name, result, summary }) => [name, result, summary.replace(/: .*not found.*$/, '.')]),
    [
      ['passes', 'passed', 'Passed.'],
      ['fails', 'failed', 'It ended with 3: the reason.'],
      ['missing', 'failed', 'A command was not found.'],
      ['counts', 'passed', '3 tests passed.'],
      ['in a folder', 'passed', 'Passed.'],
      ['lies', 'failed', '1 of 1 test failed: a.'],
      ['odd', 'failed', 'It ended with 1, although 1 test passed: done.'],
    ],
  )
  assert.equal(runs[0]!.output, 'fine\n')
})

test('each gate runs on a clean checkout, and a report that was committed is not taken for its own', async () => {
  const head = await headOf({ 'out/r.xml': '<testsuites><testcase name="forged"/></testsuites>' })
  const report = { kind: 'junit' as const, path: 'out/*.xml' }
  const [silent, own] = await runGates(
    store,
    head,
    planOf(
      gate('silent', 'true', { report }),
      gate(
        'own',
        'mkdir -p out && echo \'<testsuite><testcase name="a"/><testcase name="b"/></testsuite>\' > out/n.xml',
        { report },
      ),
    ),
    room,
  )
  assert.deepEqual(
    [silent!.tests, silent!.summary],
    [null, 'Its report was not read: It left no report at out/*.xml.'],
  )
  assert.deepEqual(own!.tests, { passed: 2, failed: 0, skipped: 0 })
})

test('a report that is a link is not followed', async () => {
  const report = { kind: 'junit' as const, path: 'r.xml' }
  const [run] = await runGates(store, base, planOf(gate('x', 'ln -s /etc/passwd r.xml', { report })), room)
  assert.equal(run!.tests, null)
  assert.match(run!.summary, /left no report/)
})

test('a gate that takes too long is ended with everything it started', async () => {
  const [run] = await runGates(
    store,
    base,
    planOf(gate('slow', 'sleep 600 & sleep 600', { timeoutSeconds: 0.2 })),
    room,
  )
  assert.deepEqual([run!.result, run!.summary], ['failed', 'Stopped after 0.2 seconds.'])
})

test('what is cancelled is neither passed nor failed', async () => {
  const cancel = new AbortController()
  const onLine = (line: string) => line === 'begun' && cancel.abort()
  const plan = planOf(gate('first', 'echo begun; sleep 600'), gate('second', 'true'))
  const runs = await runGates(store, base, plan, plainRoom(folder, { onLine, cancelled: cancel.signal }))
  assert.deepEqual(
    runs.map(({ result }) => result),
    ['skipped', 'skipped'],
  )
})

test('set-up may reach the registries, gates may not, and neither has a model', async () => {
  const used: Limits[] = []
  const plan = {
    ...planOf(gate('test', 'true')),
    setUp: [gate('install', 'true', { network: 'registries' })],
  }
  await runGates(store, base, plan, plainRoom(folder, { used }))
  assert.deepEqual(
    used.map(({ network, proxy, gateway }) => [network, proxy, gateway]),
    [
      ['registries', '/proxy.sock', null],
      ['none', undefined, null],
    ],
  )
})

test('what the set-up cannot do is said, and no gate runs', async () => {
  const plan = { ...planOf(gate('test', 'true')), setUp: [gate('npm ci', 'echo no registry >&2; exit 1')] }
  const runs = await runGates(store, base, plan, room)
  assert.deepEqual(
    runs.map(({ name, result, summary }) => [name, result, summary]),
    [
      ['Set-up: npm ci', 'failed', 'It ended with 1: no registry.'],
      ['test', 'skipped', 'Not run: Set-up: npm ci failed.'],
    ],
  )
})

test('much output is cut in the middle', async () => {
  const ran = await execute(
    room,
    folder,
    { home: folder, out: null },
    {
      run: 'echo first; yes line | head -c 2000000; echo last',
      folder: '.',
      timeoutSeconds: 60,
      network: 'none',
    },
  )
  assert.ok(ran.output.length < 300_000)
  assert.match(ran.output, /^first\n.*characters were left out here.*last\n$/s)
})

test('a base is measured once for each way of measuring it', async () => {
  const runs = new BaseRuns(path.join(folder, 'runs'))
  let looks = 0
  const look = (result: 'passed' | 'skipped') => async () => {
    looks += 1
    return [
      { name: 'x', result, summary: '', exitCode: 0, seconds: 0, output: '', tests: null, failures: [] },
    ]
  }
  const plan = planOf(gate('x', 'true'))
  await Promise.all([runs.get(base, plan, look('passed')), runs.get(base, plan, look('passed'))])
  await new BaseRuns(path.join(folder, 'runs')).get(base, plan, look('passed'))
  assert.equal(looks, 1)
  await runs.get(base, planOf(gate('x', 'false')), look('passed'))
  assert.equal(looks, 2)
  // What says nothing of the commit is not kept.
  await runs.get(base, planOf(gate('x', 'other')), look('skipped'))
  await runs.get(base, planOf(gate('x', 'other')), look('skipped'))
  assert.equal(looks, 4)
  assert.equal(readdirSync(path.join(folder, 'runs')).length, 2)
  await runs.forget(new Date(Date.now() - 60_000))
  assert.equal(readdirSync(path.join(folder, 'runs')).length, 2)
  await runs.forget(new Date(Date.now() + 60_000))
  assert.equal(readdirSync(path.join(folder, 'runs')).length, 0)
})

test('gates are read from the base, whatever stands in the work', async () => {
  const head = await headOf({ '.kanman/gates.yml': 'gates:\n  - {name: test, run: "true"}\n' })
  const [atBase, atHead] = [await planGates(store, base), await planGates(store, head)]
  assert.deepEqual(
    atBase.gates.map(({ run }) => run),
    ['cat tests.tap'],
  )
  assert.deepEqual(comparePlans(atBase, atHead), [
    'The change redefines the gate test; it was run as main defines it.',
  ])
  assert.deepEqual(comparePlans(atBase, { ...atBase, gates: [] }), [
    'The change removes the gate test; it was run as main defines it.',
  ])
  assert.deepEqual(comparePlans(atBase, atBase), [])
})

test('what failed on main before is named so; what is new is not excused', async () => {
  const plan = planOf(
    gate('test', 'cat tests.tap', { report: { kind: 'tap', path: null } }),
    gate('lint', 'test -f fixed'),
  )
  const red = await headOf({ 'tests.tap': testsFile(3, ['old']) })
  const worse = await headOf({ 'tests.tap': testsFile(2, ['old', 'new']), fixed: '' })
  const onRed = await runGates(store, red, plan, room)
  assert.deepEqual(compareRuns(onRed, onRed).gates, [
    { name: 'test', result: 'skipped', summary: 'Already failing on main. 1 of 4 tests failed: old.' },
    { name: 'lint', result: 'skipped', summary: 'Already failing on main. It ended with 1.' },
  ])
  assert.deepEqual(compareRuns(onRed, await runGates(store, worse, plan, room)).gates, [
    {
      name: 'test',
      result: 'failed',
      summary: '2 of 4 tests failed: old; new. Some were failing on main already. New: new.',
    },
    { name: 'lint', result: 'passed', summary: 'Passed. It was failing on main.' },
  ])
})

test('fewer tests and more skips than on main are findings', async () => {
  const plan = planOf(gate('test', 'cat tests.tap', { report: { kind: 'tap', path: null } }))
  const fewer = await headOf({ 'tests.tap': 'ok 1 - t1\nok 2 - t2 # SKIP' })
  const compared = compareRuns(
    await runGates(store, base, plan, room),
    await runGates(store, fewer, plan, room),
  )
  assert.deepEqual(compared.gates, [{ name: 'test', result: 'passed', summary: '1 test passed, 1 skipped.' }])
  assert.deepEqual(compared.findings, [
    'Gate test ran 1 tests; on main it runs 3.',
    'Gate test skipped 1 tests; on main it skips 0.',
  ])
})
