import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { guard } from '@signalbox/contract/guard/guard.ts'
import { comparePlans, compareRuns } from '../gates/compare.ts'
import { planGates } from '../gates/plan.ts'
import { runGates } from '../gates/run.ts'
import { GitStore } from '../git/store.ts'
import { plainGit, storeOf, write } from '../test/origin.ts'
import { plainRoom } from '../test/plain-box.ts'
import { placeSpec } from './place.ts'
import { proveGreen, proveRed } from './prove.ts'
import { readSpec } from './read.ts'
import { packSpec, placedFiles, specFolder, unpackSpec } from './spec.ts'

test('from a story to a branch: spec seen red, work guarded, carried to another runner, measured, green, pushed', async (t) => {
  const unit = "import { test } from 'node:test'\ntest('works', () => {})\n"
  const made = await storeOf(t, {
    'package.json': '{"scripts":{"test":"node --test"}}',
    'test/a.test.mjs': unit,
  })
  const { store, base, folder, origin, access, options } = made
  const room = plainRoom(folder)
  const plan = await planGates(store, base)
  const place = specFolder('WEB-1')

  const results = path.join(folder, 'results')
  write(results, {
    'acceptance/manifest.json': JSON.stringify({ command: `sh ${place}/run.sh`, files: ['run.sh'] }),
    'acceptance/run.sh': 'grep -q hello greeting.txt\n',
  })
  const spec = readSpec(results)
  const red = await proveRed({ store, commit: base, folder: place, spec, plan, room })
  assert.ok(red.right, red.words)
  const { text, pin } = packSpec(spec)

  const worktree = await store.checkout(base)
  placeSpec(worktree.folder, place, spec)
  write(worktree.folder, { 'greeting.txt': 'hello\n' })
  const head = await worktree.commit(base, 'WEB-1: greet')
  await worktree.release()
  const bundle = path.join(folder, 'work.bundle')
  await store.bundle(base, head, bundle)

  const other = await (await GitStore.open(path.join(folder, 'other'), options)).forRun('run-aaa1')
  await other.fetch(access, 'main')
  await other.unbundle(bundle, head)
  const pinned = { command: spec.command, files: unpackSpec(text, pin) }
  const guarded = await guard(other, {
    base,
    head,
    deniedPaths: [acceptanceSpec],
    exceptions: [],
    pinned: placedFiles(place, pinned),
  })
  assert.deepEqual(guarded, {
    denied: [],
    spec: [],
    refusals: [],
    findings: [],
    change: { files: 1, additions: 1, deletions: 0, paths: ['greeting.txt'] },
  })
  const compared = compareRuns(
    await runGates(other, base, plan, room),
    await runGates(other, head, plan, room),
  )
  assert.deepEqual(compared, {
    gates: [{ name: 'test', result: 'passed', summary: '1 test passed.' }],
    findings: [],
  })
  assert.deepEqual(comparePlans(plan, await planGates(other, head)), [])
  const green = await proveGreen({ store: other, commit: head, folder: place, spec: pinned, plan, room })
  assert.equal(green.result, 'passed', green.output)
  await other.push(access, head, 'signalbox/run-7k2q/1', null)
  assert.equal(plainGit(origin, ['rev-parse', 'signalbox/run-7k2q/1']), head)
})
