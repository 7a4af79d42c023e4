import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Run, RunListed } from '@signalbox/contract/run.ts'
import { bundle } from '../../../runner/bundle.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import { moments } from '../moments.ts'
import { until } from '../until.ts'

/**
 * Whatever breaks while a run is worked on, and whenever it does: the run ends merged, its change was pushed once, and
 * no process and no worktree is left over. A real server with its own database, the real runner as one file, the
 * scripted agent, a real repository, and a network that can be cut between them.
 *
 * FAULTS=all plays every fault in every phase (`npm run test:faults`); SEED chooses the moments.
 */

const phases = ['planning', 'implementing', 'verifying', 'handing_off', 'main_check'] as const
type Phase = (typeof phases)[number]
const faults = ['runner', 'network', 'server', 'database'] as const
type Fault = (typeof faults)[number]
type Strike = { phase: Phase; fault: Fault }

/** Each story with what strikes it. In short: each phase loses something, and everything is lost once. */
const strikes: Strike[][] =
  process.env.FAULTS === 'all'
    ? phases.flatMap((phase) => faults.map((fault) => [{ phase, fault }]))
    : [
        [
          { phase: 'planning', fault: 'runner' },
          { phase: 'verifying', fault: 'server' },
          { phase: 'main_check', fault: 'database' },
        ],
        [
          { phase: 'implementing', fault: 'network' },
          { phase: 'handing_off', fault: 'runner' },
        ],
      ]

const seed = Number(process.env.SEED ?? 20_261)
const speed = 15
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-faults-'))
const pushes = path.join(folder, 'pushes')
const running = new Set<ChildProcess>()

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await killed(await postmaster().catch(() => null))
  await rm(folder, { recursive: true, force: true })
})

const postmaster = async () =>
  Number((await readFile(path.join(folder, 'data', 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

async function killed(pid: number | null): Promise<void> {
  try {
    if (pid) process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended on its own.
  }
}

function start(args: string[], env: Record<string, string>, stdio: ('ignore' | 'pipe' | 'inherit')[]) {
  const child = spawn(process.execPath, args, {
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...{ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    },
    stdio,
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** A way to the server that can be cut, or let requests through and swallow the answers. */
async function aNetwork(port: () => number) {
  const sockets = new Set<Socket>()
  let state: 'whole' | 'cut' | 'deaf' = 'whole'
  const proxy = createServer((near) => {
    if (state === 'cut') return near.destroy()
    const far = dial(port(), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('data', (bytes) => (state === 'deaf' && one === far ? undefined : other.write(bytes)))
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async fail(how: 'cut' | 'deaf', ms: number) {
      state = how
      if (how === 'cut') hangUp()
      await sleep(ms)
      state = 'whole'
      hangUp()
    },
    close() {
      hangUp()
      proxy.close()
    },
  }
}

function aRepository(): ABareRepository {
  const repository = new ABareRepository()
  // The answer to a push comes late, so that it can get lost.
  const hook = path.join(repository.bare, 'hooks', 'post-receive')
  writeFileSync(hook, `#!/bin/sh\ncat >> '${pushes}'\nsleep 0.3\n`)
  chmodSync(hook, 0o755)
  return repository
}

const script = {
  stories: {
    '*': {
      plan: [
        [
          { wait: 0.3 },
          { result: 'plan.json', json: { plan: 'Write it.', paths: ['notes'], risk: 'low', lines: 1 } },
        ],
      ],
      spec: [
        [
          { result: 'acceptance/note.sh', text: 'test -f notes/{story}.txt && echo "ok - there"\n' },
          {
            result: 'acceptance/manifest.json',
            json: { command: 'sh .kanman/acceptance/{story}/note.sh', files: ['note.sh'] },
          },
        ],
      ],
      implement: [[{ wait: 0.3 }, { write: 'notes/{story}.txt', text: '{story}\n' }, { wait: 0.2 }]],
    },
  },
}

test(`a run ends merged once, whatever is killed or cut in whichever phase (seed ${seed})`, async () => {
  const repository = aRepository()
  after(() => repository.remove())
  await repository.push('main', {
    'README.md': 'A shop.\n',
    '.kanman/gates.yml': 'gates:\n  - { name: notes, run: sleep 0.3 && test -f README.md }\n',
  })
  writeFileSync(pushes, '')
  const played = path.join(folder, 'script.json')
  writeFileSync(played, JSON.stringify(script))
  const program = path.join(folder, 'signalbox-runner.mjs')
  await bundle('main.ts', program)

  const environment = {
    ...{ DATA_DIR: path.join(folder, 'data'), OPERATOR_PORT: 'off', LOG_LEVEL: 'silent' },
    ...{ REPOSITORY: repository.bare, GIT_ALLOW: repository.folder, STORIES: String(strikes.length) },
    ...{ CLOCK_BEGAN: String(Date.now()), CLOCK_SPEED: String(speed), RATE_LIMIT_PER_MINUTE: '1000000' },
  }
  let port = 0
  const serve = async () => {
    const file = path.join(import.meta.dirname, 'fault-server.ts')
    const child = start([...process.execArgv, file], { ...environment, PORT: String(port) }, [
      'ignore',
      'pipe',
      'inherit',
    ])
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout!.once('data', (text) => resolve(String(text)))
      child.once('exit', () => reject(new Error('The server ended before it served.')))
    })
    const { url, token } = JSON.parse(line) as { url: string; token: string }
    port = Number(new URL(url).port)
    return { child, url, token }
  }
  let server = await serve()
  const network = await aNetwork(() => port)
  after(() => network.close())

  let said = ''
  let runner: ChildProcess
  const work = () => {
    const args = [
      ...[program, '--url', network.url, '--name', 'faults', '--data', path.join(folder, 'runner')],
      ...['--agents', `scripted=${played}`, '--git-folders', repository.folder],
    ]
    const env = {
      SERVICE_API_KEY: server.token,
      SIGNALBOX_RUNNER_PACE: String(1 / speed),
      // A test that is killed leaves no runner behind.
      SIGNALBOX_RUNNER_PARENT: String(process.pid),
    }
    runner = start(args, env, ['ignore', 'ignore', 'pipe'])
    runner.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      for (const [, phase, story] of text.matchAll(/^run-\w+: (\w+) \w+-(\d+)\.$/gm))
        void note(phase as Phase, Number(story))
    })
  }

  const chance = moments(seed)
  const left = strikes.map((list) => [...list])
  const struck: Promise<void>[] = []
  function note(phase: Phase, story: number): void {
    const planned = left[story - 1]!
    const at = planned.findIndex((strike) => strike.phase === phase)
    if (at < 0) return
    const [{ fault }] = planned.splice(at, 1) as [Strike]
    const [delay, other] = [chance(), chance()]
    struck.push(strike(phase, fault, delay, other))
  }
  async function strike(phase: Phase, fault: Fault, delay: number, other: number): Promise<void> {
    const before = readFileSync(pushes, 'utf8')
    // The worst moment to die is after the push, before it is recorded.
    if (phase === 'handing_off') await until('the push', () => readFileSync(pushes, 'utf8') !== before)
    else await sleep(delay * 700)
    if (fault === 'runner') {
      await endOf(runner, 'SIGKILL')
      work()
    } else if (fault === 'network') await network.fail(other < 0.5 ? 'cut' : 'deaf', 300 + other * 3_000)
    else if (fault === 'database') await killed(await postmaster())
    else {
      await endOf(server.child, 'SIGKILL')
      server = await serve()
    }
  }

  const ask = async <T>(from: string): Promise<T | null> => {
    const response = await fetch(`${server.url}${from}`, {
      headers: { authorization: `Bearer ${server.token}` },
    }).catch(() => null)
    return response?.status === 200 ? ((await response.json().catch(() => null)) as T | null) : null
  }
  const over = ['succeeded', 'failed', 'timed_out', 'stopped']
  let runs: RunListed[] = []

  work()
  for (let done = 1; done <= strikes.length; done += 1)
    await until(`${done} runs are over`, async () => {
      runs = (await ask<{ data: RunListed[] }>('/v1/runs?limit=100'))?.data ?? runs
      return runs.filter(({ status }) => over.includes(status)).length >= done
    })
  await Promise.all(struck)
  assert.deepEqual(left.flat(), [], 'every fault was played')

  // No result is lost.
  for (const { key } of runs) {
    let run: Run | null = null
    await until('the server answers', async () => {
      run = await ask<Run>(`/v1/runs/${key}`)
      return run !== null
    })
    const { status, evidence, pullRequest, story } = run! as Run
    assert.equal(status, 'succeeded', `${key}: ${JSON.stringify(run)}\n${said}`)
    assert.ok(evidence && pullRequest, key)
    assert.equal(repository.read('main', `notes/${story.key}.txt`), story.key)
  }
  // Nothing is pushed or merged twice.
  const pushed = readFileSync(pushes, 'utf8').trim().split('\n')
  const branches = pushed.map((line) => line.split(' ')[2]!).filter((ref) => ref.includes('/signalbox/'))
  assert.deepEqual(
    branches.map((ref) => ref.split('/')[3]).sort(),
    runs.map(({ key }) => key).sort(),
    branches.join('\n'),
  )
  assert.equal(repository.git('rev-list', '--merges', '--count', 'main'), String(runs.length))

  // Nothing is left over.
  await endOf(runner!, 'SIGTERM')
  assert.deepEqual(leftOver(path.join(folder, 'runner')), [])
  await endOf(server.child, 'SIGTERM')
  assert.deepEqual(processesOf(folder), [])
})

/** What is left in a runner's folder after all work has ended. */
function leftOver(data: string): string[] {
  const names = (...parts: string[]) =>
    existsSync(path.join(data, ...parts)) ? readdirSync(path.join(data, ...parts)) : []
  const orders = names('orders').flatMap((order) => {
    const acked = JSON.parse(readFileSync(path.join(data, 'orders', order, 'acked.json'), 'utf8'))
    const kept = names('orders', order).filter((name) => name === 'work')
    return [...kept, ...(acked.closedAt === null ? ['something to tell'] : [])].map(
      (what) => `${order}: ${what}`,
    )
  })
  const worktrees = names('repositories').flatMap((repository) => {
    const lies = names('repositories', repository, 'worktrees')
    const known = names('repositories', repository, 'admin')
    const incoming = names('repositories', repository, 'runs').flatMap((run) =>
      names('repositories', repository, 'runs', run).filter((name) => name.startsWith('incoming-')),
    )
    // Four are kept warm.
    return [...lies.filter((name) => !known.includes(name)), ...lies.slice(4), ...incoming]
  })
  return [...orders, ...worktrees, ...names('parked'), ...names('homes')]
}

/** Processes that were started with a path below a folder, or that work there. */
function processesOf(where: string): string[] {
  if (!existsSync('/proc')) return []
  const text = (file: string) => {
    try {
      return readFileSync(file, 'latin1')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => `${text(`/proc/${pid}/cmdline`)} ${text(`/proc/${pid}/environ`)}`.replaceAll('\0', ' '))
    .filter((line) => line.includes(where))
}
