import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isolationLevelOf } from '@signalbox/contract/isolation.ts'
import { Bare } from './bare.ts'
import type { Box, Limits } from './box.ts'
import { Bubblewrap } from './bubblewrap.ts'
import { escapes } from './escapes.ts'
import { hasKeyctl } from './launch.ts'
import { runnerMark } from './marks.ts'
import { measureBox, play } from './measure.ts'
import { seccompForThisMachine } from './seccomp.ts'

process.env.SERVICE_API_KEY ??= 'tk_never_to_be_seen'

const folders: string[] = []
after(() => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })))

function limitsIn(changes: Partial<Limits> = {}): Limits {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-test-'))
  folders.push(folder)
  const [worktree, home, out] = ['worktree', 'home', 'out'].map((name) => path.join(folder, name))
  for (const made of [worktree!, home!, out!]) mkdirSync(made)
  return {
    worktree: worktree!,
    home: home!,
    out: out!,
    readable: [path.dirname(process.execPath)],
    denied: [],
    environment: {},
    gateway: null,
    network: 'none',
    ...changes,
  }
}

async function run(box: Box, script: string, limits: Limits) {
  const boxed = box.start(['/bin/sh', '-c', script], limits)
  boxed.stdin.end()
  const [printed, complained, { code }] = await Promise.all([
    text(boxed.stdout),
    text(boxed.stderr),
    boxed.ended,
  ])
  return { printed, complained, code }
}

const { box: best, attempts } = await measureBox()
const { box: bare, attempts: bareAttempts } = await measureBox({ without: ['bubblewrap'] })
const apart = await measureBox({ choice: 'gvisor' }).catch(() => null)
const withoutGvisor = apart ? false : 'runsc is not there, or too old'
const skip =
  best.isolation.backend === 'bubblewrap' ? false : 'bubblewrap is not there, or may not make namespaces'

test(`of ${escapes.length} attempts to get out of the box, none gets through`, { skip }, () => {
  assert.deepEqual(
    attempts.filter(({ through }) => through),
    [],
  )
  assert.deepEqual(factsOf(best), [true])
})

test('nor does one with gVisor, which amounts to a level of its own', { skip: withoutGvisor }, () => {
  assert.deepEqual(
    apart!.attempts.filter(({ through }) => through),
    [],
  )
  assert.deepEqual(factsOf(apart!.box), [true])
  assert.equal(isolationLevelOf(apart!.box.isolation), 'gvisor')
})

/** Whatever was measured, once each. */
const factsOf = ({ isolation }: Box) => [
  ...new Set(Object.values(isolation).filter((value) => typeof value === 'boolean')),
]

test('what keeps it in is said as well: the filter, the keyring, and whose the processes are', {
  skip,
}, () => {
  const { kernelFiltered, keyring, user } = best.isolation
  assert.equal(kernelFiltered, seccompForThisMachine() !== null)
  assert.equal(keyring, hasKeyctl() ? 'own' : 'inherited')
  assert.equal(user, process.getuid?.() === 0 ? 'dropped' : 'own')
})

test('every process of the box is under the filter, the first too, so that tracing one leads nowhere', {
  skip,
}, async () => {
  const { printed } = await run(best, 'grep -h ^Seccomp: /proc/1/status /proc/self/status', limitsIn())
  assert.equal(printed, 'Seccomp:\t2\nSeccomp:\t2\n')
})

test('whatever makes a box carries the mark of what is in it, so that a start finds what the last one left', {
  skip,
}, async () => {
  const mark = { [runnerMark]: randomUUID() }
  const boxed = best.start(['/bin/sleep', '60'], limitsIn({ environment: mark }))
  const init = await boxed.pid
  const maker = Number(/\) . (\d+)/.exec(readFileSync(`/proc/${init}/stat`, 'latin1'))![1])
  for (const pid of [maker, init])
    assert.match(readFileSync(`/proc/${pid}/environ`, 'latin1'), new RegExp(mark[runnerMark]!), `${pid}`)
  await boxed.end(0)
})

test('a box that is ended while it is being made is gone, in whichever moment', { skip }, async () => {
  const mark = { [runnerMark]: randomUUID() }
  const limits = limitsIn({ environment: mark })
  for (let moment = 0; moment < 24; moment += 1) {
    const boxed = best.start(['/bin/sleep', '60'], limits)
    for (let step = 0; step < moment; step += 1) await new Promise(setImmediate)
    await boxed.end(0)
  }
  assert.deepEqual(
    readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && environmentOf(name).includes(mark[runnerMark]!),
    ),
    [],
  )
})

const environmentOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

test('in the box, a debugger may look at what it has started itself', { skip }, async () => {
  const traced = `perl -e 'my $child = fork // die; if (!$child) { sleep 60; exit } exit(syscall(${process.arch === 'arm64' ? 117 : 101}, 0x4206, $child, 0, 0) == 0 ? (kill("KILL", $child) ? 0 : 2) : 1)'`
  assert.equal((await run(best, traced, limitsIn())).code, 0)
})

test('of the certificates of the machine the public ones are there, and no folder with private keys', {
  skip,
}, async () => {
  const { printed } = await run(best, 'ls -a /etc/ssl /etc/pki/tls 2>/dev/null; true', limitsIn())
  assert.doesNotMatch(printed, /private/)
})

test('a file that is shown alone is there without what stands beside it', { skip }, async () => {
  const limits = limitsIn()
  const beside = path.join(path.dirname(limits.worktree), 'agent.sh')
  writeFileSync(beside, '#!/bin/sh\necho ran', { mode: 0o755 })
  writeFileSync(path.join(path.dirname(beside), 'key'), 'secret')
  const script = `${beside}; ls ${path.dirname(beside)}`
  const { printed } = await run(best, script, { ...limits, readable: [...limits.readable, beside] })
  assert.equal(printed, 'ran\nagent.sh\nhome\nworktree\n')
})

test('without a box the same attempts get through, and the facts say so', () => {
  const { environmentCleared, descendantsReaped, writesOutsideBlocked, deniedPathsBlocked } = bare.isolation
  assert.deepEqual(
    { environmentCleared, descendantsReaped, writesOutsideBlocked, deniedPathsBlocked },
    {
      environmentCleared: true,
      descendantsReaped: true,
      writesOutsideBlocked: false,
      deniedPathsBlocked: false,
    },
  )
  assert.ok(
    bareAttempts.some(({ name, through }) => name === 'rename its parent and create it again' && through),
  )
})

/** Those of `sleep` whose folder is gone: that of a measurement is, as soon as it is over. */
function abandoned(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const isSleep = readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\x003600.')
      return isSleep && readlinkSync(`/proc/${pid}/cwd`).endsWith(' (deleted)')
    } catch {
      return false
    }
  })
}

test('what an attempt leaves running where nothing reaps it is ended with the measurement', {
  skip: process.platform === 'linux' ? false : 'there is no /proc',
  timeout: 60_000,
}, async () => {
  const before = abandoned()
  const { attempts: unreaped } = (await play((each) => new Bare(each, [], null), bare.isolation))!
  assert.ok(unreaped.some(({ fact, through }) => fact === 'descendantsReaped' && through))
  // A killed process is there until the machine has come to it.
  while (abandoned().some((pid) => !before.includes(pid))) await setTimeout(10)
})

for (const [name, box, skipped] of [
  ['in the box', best, skip],
  ['without a box', bare, false],
  ['with gVisor', apart?.box ?? bare, withoutGvisor],
] as const) {
  test(`${name}, a program sees the environment it is given and nothing of the runner's`, {
    skip: skipped,
  }, async () => {
    const limits = limitsIn({ environment: { COLOUR: 'green' } })
    const { printed } = await run(box, 'env', limits)
    const names = printed.split('\n').map((line) => line.split('=')[0])
    assert.match(printed, /^COLOUR=green$/m)
    assert.match(printed, new RegExp(`^HOME=${limits.home}$`, 'm'))
    assert.ok(!names.includes('SERVICE_API_KEY'))
  })

  test(`${name}, what it leaves in the result folder is there afterwards`, { skip: skipped }, async () => {
    const limits = limitsIn()
    const place = box.inside(path.join(limits.out!, 'plan.json'), limits)
    await run(box, `echo '{}' > ${place}`, limits)
    assert.equal(readFileSync(path.join(limits.out!, 'plan.json'), 'utf8'), '{}\n')
  })

  test(`${name}, a program that does not want to end is ended with its children`, {
    skip: skipped,
  }, async () => {
    const limits = limitsIn()
    const boxed = box.start(
      [
        '/bin/sh',
        '-c',
        'trap "" TERM; (trap "" TERM; setsid sleep 3599.77) & echo up; while :; do sleep 1; done',
      ],
      limits,
    )
    await new Promise((resolve) => boxed.stdout.once('data', resolve))
    boxed.stderr.resume()
    await boxed.end(50)
    assert.doesNotMatch(execFileSync('ps', ['-eo', 'args']).toString(), /sleep 3599\.77/)
  })

  test(`${name}, a program that is asked to end may tidy up`, { skip: skipped }, async () => {
    const limits = limitsIn()
    const boxed = box.start(
      ['/bin/sh', '-c', 'trap "echo tidy > done; exit 0" TERM; echo up; while :; do sleep 0.05; done'],
      limits,
    )
    await new Promise((resolve) => boxed.stdout.once('data', resolve))
    boxed.stderr.resume()
    await boxed.end(60_000)
    assert.ok(existsSync(path.join(limits.worktree, 'done')))
  })

  test(`${name}, a program that is not there ends with 127 and says so`, { skip: skipped }, async () => {
    const { code, complained } = await run(box, 'exec no-such-program-here', limitsIn())
    assert.equal(code, 127)
    assert.match(complained, /no-such-program-here/)
  })
}

test('a bubblewrap that dies before it has said anything is a program that ended', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-test-'))
  folders.push(folder)
  writeFileSync(path.join(folder, 'bwrap'), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
  const usual = process.env.PATH
  t.after(() => {
    process.env.PATH = usual
  })
  process.env.PATH = `${folder}:${usual}`
  const means = { owner: null, keyctl: false, filter: null }
  const boxed = new Bubblewrap(best.isolation, means).start(['true'], limitsIn())
  boxed.stdin.end('x'.repeat(1_000_000))
  assert.deepEqual(await boxed.ended, { code: 3, signal: null })
  assert.equal(await boxed.pid, null)
  await boxed.end(0)
})

for (const [name, box, skipped] of [
  ['in the box', best, skip],
  ['with gVisor', apart?.box ?? bare, withoutGvisor],
] as const)
  test(`${name}, the model is reached through one port, and no one else is`, { skip: skipped }, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-test-'))
    folders.push(folder)
    const gateway = path.join(folder, 'model.sock')
    const model = http.createServer((request, response) => void response.end(`model at ${request.url}`))
    const other = http.createServer((_, response) => void response.end('other'))
    await new Promise<void>((resolve) => void model.listen(gateway, resolve))
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const fetched = (url: string) =>
      `${process.execPath} -e "fetch('${url}').then(r=>r.text()).then(console.log, () => console.log('refused'))"`
    const { printed } = await run(
      box,
      `${fetched(`${box.gatewayUrl({ url: '' })}/v1`)}; ${fetched(`http://127.0.0.1:${port}/`)}`,
      limitsIn({ gateway }),
    )
    assert.equal(printed, 'model at /v1\nrefused\n')
    model.close()
    other.close()
  })

test('in the box, a denied folder can be read and not changed, nor can those above it be moved', {
  skip,
}, async () => {
  const limits = limitsIn({ denied: ['.kanman/acceptance', 'deep/er/locked.txt'] })
  for (const folder of ['.kanman/acceptance', 'deep/er'])
    mkdirSync(path.join(limits.worktree, folder), { recursive: true })
  writeFileSync(path.join(limits.worktree, '.kanman/acceptance/a.test.js'), 'pinned')
  writeFileSync(path.join(limits.worktree, 'deep/er/locked.txt'), 'locked')
  const { printed } = await run(
    best,
    `cat .kanman/acceptance/a.test.js deep/er/locked.txt; echo
     for line in 'mv .kanman k' 'mv deep d' 'mv deep/er e' 'rm deep/er/locked.txt' 'echo x > deep/er/locked.txt' 'echo x > .kanman/acceptance/b'; do
       sh -c "$line" 2>/dev/null && echo "through: $line"
     done
     echo free > .kanman/note && echo free > deep/er/open.txt && echo writable`,
    limits,
  )
  assert.equal(printed, 'pinnedlocked\nwritable\n')
})

test('what is denied and does not exist yet is not made in the worktree', { skip }, async () => {
  const limits = limitsIn({ denied: ['infra/secrets'] })
  await run(best, 'true', limits)
  assert.ok(!existsSync(path.join(limits.worktree, 'infra')))
})
