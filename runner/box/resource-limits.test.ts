import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import { execute } from '../gates/execute.ts'
import { judge } from '../gates/summary.ts'
import type { Box, Limits } from './box.ts'
import { type Cgroups, findCgroups } from './cgroups.ts'
import { measureBox } from './measure.ts'
import {
  detectLimitTools,
  kernelLimitsProcesses,
  type ResourceLimits,
  withResourceLimits,
} from './resource-limits.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-limits-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const usual: ResourceLimits = { memoryBytes: 4e9, processes: 4_096, fileBytes: 1e9 }
/** As on a machine where nothing is delegated, and as on this one where that can be tried. */
const means = { ...detectLimitTools(), cgroups: null }
const cgroups = cgroupsToTry()
const found = await measureBox()
const bare = await measureBox({ without: ['bubblewrap'] })
const boxes = [
  ...(found.box.isolation.backend ? [['bubblewrap', found.box] as const] : []),
  ['no box', bare.box] as const,
]
const skip = process.platform === 'linux' ? false : 'only Linux says what a process holds'

/** At the root of the trees, beside whatever this process belongs to. Only root may. */
function cgroupsToTry(): Cgroups | null {
  if (process.platform !== 'linux') return null
  const cgroup = readFileSync('/proc/self/cgroup', 'utf8').replace(/^(\d+:[^:]+):.*$/gm, '$1:/')
  return findCgroups({ cgroup, mountinfo: readFileSync('/proc/self/mountinfo', 'utf8') })
}

function limits(): Limits {
  const [worktree, home] = ['worktree', 'home'].map((name) => path.join(folder, name))
  for (const made of [worktree!, home!]) mkdirSync(made, { recursive: true })
  return {
    ...{ worktree: worktree!, home: home!, out: null, readable: [path.dirname(process.execPath)] },
    ...{ denied: [], environment: {}, gateway: null, network: 'none' },
  }
}

/** Perl brings the call; the memory that it makes is a file without a name, closed to every process but it. */
const unmapped = (megabytes: number) =>
  `my $name = "x"; my $fd = syscall(${process.arch === 'arm64' ? 279 : 319}, $name, 0); open(my $out, ">&=", $fd) or die; my $block = "x" x 1_000_000; print $out $block for 1..${megabytes}; $out->flush; print "held\\n"; sleep 600`

async function run(box: Box, command: string[]) {
  const reasons: string[] = []
  const boxed = box.start(command, { ...limits(), overdrawn: (reason) => void reasons.push(reason) })
  boxed.stdin.end()
  const [printed, complained, { code }] = await Promise.all([
    text(boxed.stdout),
    text(boxed.stderr),
    boxed.ended,
  ])
  return { reasons, printed, complained, code }
}

/** Holds so many megabytes and then waits longer than anyone wants to. */
const hog = (megabytes: number) =>
  `const held = Buffer.alloc(${megabytes} * 1_000_000, 1); console.log('held'); setTimeout(() => held, 600_000)`

for (const [name, box] of boxes) {
  test(`${name}: a program that takes more memory than allowed is killed, with that as the reason`, {
    skip,
  }, async () => {
    const small = withResourceLimits(box, { ...usual, memoryBytes: 200e6 }, means)
    const { reasons } = await run(small, [process.execPath, '-e', hog(400)])
    assert.deepEqual(reasons, ['It used more than 200 MB of memory.'])
  })

  test(`${name}: what all of its processes hold counts together`, { skip }, async () => {
    const small = withResourceLimits(box, { ...usual, memoryBytes: 400e6 }, means)
    const each = `"${process.execPath}" -e "${hog(150)}"`
    const { reasons } = await run(small, ['sh', '-c', `${each} & ${each} & ${each} & wait`])
    assert.equal(reasons.length, 1)
  })

  test(`${name}: a file in memory counts that no process has mapped`, { skip }, async () => {
    const small = withResourceLimits(box, { ...usual, memoryBytes: 200e6 }, means)
    const { reasons } = await run(small, ['perl', '-MIO::Handle', '-e', unmapped(400)])
    assert.deepEqual(reasons, ['It used more than 200 MB of memory.'])
  })

  test(`${name}: with a cgroup the kernel kills a program that takes more memory, with that as the reason`, {
    skip: skip || (cgroups ? false : 'no cgroup is ours to divide'),
  }, async () => {
    const small = withResourceLimits(box, { ...usual, memoryBytes: 200e6 }, { ...means, cgroups })
    assert.equal(small.isolation.limits, 'cgroup')
    for (const command of [
      [process.execPath, '-e', hog(400)],
      ['perl', '-MIO::Handle', '-e', unmapped(400)],
    ])
      assert.deepEqual((await run(small, command)).reasons, ['It used more than 200 MB of memory.'])
  })

  test(`${name}: with a cgroup the kernel refuses a process too many`, {
    skip: skip || (cgroups ? false : 'no cgroup is ours to divide'),
  }, async () => {
    const small = withResourceLimits(box, { ...usual, processes: 20 }, { ...means, cgroups, prlimit: false })
    const { complained } = await run(small, ['sh', '-c', 'for n in $(seq 60); do sleep 5 & done; kill 0'])
    assert.match(complained, /fork/i)
  })

  test(`${name}: no file grows past its limit`, {
    skip: skip || (means.prlimit ? false : 'prlimit is not there'),
  }, async () => {
    const small = withResourceLimits(box, { ...usual, fileBytes: 1_000_000 }, means)
    const { code } = await run(small, ['sh', '-c', 'head -c 5000000 /dev/zero > large; exit $?'])
    assert.notEqual(code, 0)
    assert.equal(statSync(path.join(folder, 'worktree', 'large')).size, 1_000_000)
  })

  test(`${name}: work that keeps within its limits is not disturbed`, async () => {
    const { reasons, printed, code } = await run(withResourceLimits(box, usual, means), [
      'sh',
      '-c',
      'echo done',
    ])
    assert.deepEqual([reasons, printed, code], [[], 'done\n', 0])
  })
}

test('in a box the kernel refuses a process too many, also where the runner is root', {
  skip: kernelLimitsProcesses(found.box, means) ? false : 'bubblewrap or prlimit is not there',
}, async () => {
  const small = withResourceLimits(found.box, { ...usual, processes: 20 }, means)
  const { complained } = await run(small, ['sh', '-c', 'for n in $(seq 60); do sleep 5 & done; kill 0'])
  assert.match(complained, /fork/i)
})

/** So that it is found by the look at its processes alone. */
const uncounted = boxes.filter(([, box]) => !kernelLimitsProcesses(box, means))

for (const [name, box] of uncounted) {
  test(`${name}: where the kernel does not count, a program that starts too many processes is killed, with that as the reason`, {
    skip,
  }, async () => {
    const small = withResourceLimits(box, { ...usual, processes: 64 }, means)
    const { reasons } = await run(small, ['sh', '-c', 'for n in $(seq 90); do sleep 600 & done; wait'])
    assert.deepEqual(reasons, ['It started more than 64 processes and threads.'])
  })

  test(`${name}: threads count as well`, { skip }, async () => {
    const small = withResourceLimits(box, { ...usual, processes: 30 }, means)
    const threads = `const { Worker } = require('node:worker_threads'); for (let n = 0; n < 25; n++) new Worker('setTimeout(() => {}, 600000)', { eval: true })`
    const { reasons } = await run(small, [process.execPath, '-e', threads])
    assert.deepEqual(reasons, ['It started more than 30 processes and threads.'])
  })
}

test('the kernel is not counted on for root in the box, nor without a box', () => {
  const boxed = { ...bare.box.isolation, backend: 'bubblewrap' }
  const counts = (isolation: Isolation, uid: number, owner: Box['owner'] = null) =>
    kernelLimitsProcesses({ isolation, owner }, { prlimit: true }, uid)
  assert.deepEqual(
    [
      counts(boxed, 1000),
      counts(boxed, 0),
      counts(boxed, 0, { uid: 61_184, gid: 61_184 }),
      counts(bare.box.isolation, 1000),
    ],
    [true, false, true, false],
  )
})

test('what is made of memory in a box has a size, and counts', {
  skip: found.box.isolation.backend ? skip : 'bubblewrap is not there',
}, async () => {
  const small = withResourceLimits(found.box, { ...usual, memoryBytes: 200e6 }, means)
  const fill = 'head -c 300000000 /dev/zero'
  const tight = await run(small, ['sh', '-c', `${fill} > /tmp/large; ${fill} > /dev/shm/large; true`])
  assert.match(tight.complained, /No space left.*No space left/s)
  const { reasons } = await run(small, [
    ...['sh', '-c'],
    `head -c 90000000 /dev/zero > /tmp/a; head -c 45000000 /dev/zero > /dev/shm/a; exec "${process.execPath}" -e "${hog(90)}"`,
  ])
  assert.deepEqual(reasons, ['It used more than 200 MB of memory.'])
})

test('nothing else that is made of memory can be written to in a box', {
  skip: found.box.isolation.backend ? skip : 'bubblewrap is not there',
}, async () => {
  const lines = ['/x', '/dev/x', '/etc/x'].map((file) => `(echo x > ${file}) && echo ${file}`)
  const { printed } = await run(withResourceLimits(found.box, usual, means), [
    'sh',
    '-c',
    `${lines.join('; ')}; true`,
  ])
  assert.equal(printed, '')
})

test('a gate that takes too much memory has failed, and says why', { skip }, async () => {
  const room = {
    box: withResourceLimits(bare.box, { ...usual, memoryBytes: 200e6 }, means),
    limits,
    inPlace: () => assert.fail('nobody asks for a place'),
  }
  const command = {
    ...{ name: 'test', folder: '.', timeoutSeconds: 300, network: 'none' as const, report: null },
    run: `"${process.execPath}" -e "${hog(400)}"`,
  }
  const ran = await execute(room, path.join(folder, 'worktree'), { home: folder, out: null }, command)
  const { result, summary } = judge(command, ran, null, null)
  assert.deepEqual([result, summary], ['failed', 'Stopped. It used more than 200 MB of memory.'])
})
