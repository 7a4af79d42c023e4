import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { findCgroups } from './cgroups.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-cgroups-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Files as the kernel has them; that it counts is tried in resource-limits.test.ts, where this machine lets it. */
function tree(name: string, controllers: string, divided: string): string {
  const at = path.join(folder, name, 'unit')
  mkdirSync(at, { recursive: true })
  writeFileSync(path.join(at, 'cgroup.controllers'), controllers)
  writeFileSync(path.join(at, 'cgroup.subtree_control'), divided)
  writeFileSync(path.join(at, 'cgroup.procs'), '')
  return at
}

const own = (name: string) => ({
  cgroup: '0::/unit\n',
  mountinfo: `41 31 0:38 / ${path.join(folder, name)} rw,relatime - cgroup2 cgroup2 rw\n`,
})

const resourceLimits = { memoryBytes: 2e9, processes: 500, fileBytes: 1e9 }

test('what was delegated is divided: memory without swap, processes, and everyone else first', () => {
  const at = tree('whole', 'cpu io memory pids', 'cpu io memory pids')
  const found = findCgroups(own('whole'))!
  const { joins } = found.make(resourceLimits)
  const made = path.dirname(joins[0]!)
  assert.equal(path.dirname(made), at)
  const told = (name: string) => readFileSync(path.join(made, name), 'utf8')
  assert.deepEqual(
    ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.weight', 'io.weight'].map(told),
    ['2000000000', '0', '1', '500', '50', '50'],
  )
})

test('that the kernel ended a process for its memory is read from what it counts', () => {
  tree('ended', 'memory pids', 'memory pids')
  const cgroup = findCgroups(own('ended'))!.make(resourceLimits)
  assert.equal(cgroup.ended(), 0)
  writeFileSync(path.join(path.dirname(cgroup.joins[0]!), 'memory.events'), 'oom 3\noom_kill 2\n')
  assert.equal(cgroup.ended(), 2)
})

test('without memory and processes among what is counted, there is nothing to divide', () => {
  tree('few', 'hugetlb', '')
  assert.equal(findCgroups(own('few')), null)
})

test('where others are in the same part, no one is moved and the runner goes back', () => {
  const at = tree('shared', 'memory pids', '')
  // A folder refuses what is written to it, as the kernel does while someone is inside.
  rmSync(path.join(at, 'cgroup.subtree_control'))
  mkdirSync(path.join(at, 'cgroup.subtree_control'))
  assert.equal(findCgroups(own('shared')), null)
  assert.equal(readFileSync(path.join(at, 'cgroup.procs'), 'utf8'), String(process.pid))
})

test('what a killed runner has left goes, and nothing of one that lives', () => {
  const at = tree('stale', 'memory pids', 'memory pids')
  const [gone, living] = [`signalbox-${2 ** 22 + 1}-7`, `signalbox-${process.ppid}-7`]
  for (const name of [gone, living]) mkdirSync(path.join(at, name))
  findCgroups(own('stale'))
  assert.deepEqual([existsSync(path.join(at, gone)), existsSync(path.join(at, living))], [false, true])
})

test('what is mounted from elsewhere is not ours', () => {
  tree('other', 'memory pids', 'memory pids')
  const { cgroup, mountinfo } = own('other')
  assert.equal(findCgroups({ cgroup, mountinfo: mountinfo.replace(' / ', ' /elsewhere ') }), null)
})
