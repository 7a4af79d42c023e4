import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, suite, test } from 'node:test'
import pg from 'pg'
import { startApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { pauseTeam } from '../../domain/work/teams/pause.ts'
import { createLog } from '../../infra/log.ts'
import { get, urlOf } from '../app.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'
import { aMember, aTeam, aToken, aWorkspace } from '../factories.ts'
import { SilentNetwork } from '../faults/silent-network.ts'
import { until } from '../until.ts'

/**
 * Whenever the database goes away while the server starts, the server is ready in the end, and says so no earlier. The
 * steps are those that the start itself names, so that a new one is tried as well; FAULTS=all takes the database away in
 * each of them and at every message that a start sends to it, and kills the real one in every step. Otherwise some are.
 */

interface Line {
  msg?: string
  step?: string
  worker?: number
  pid?: number
  url?: string
}

const isThorough = process.env.FAULTS === 'all'
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-start-'))
const running = new Set<ChildProcess>()
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const settings = (databaseUrl: string) => ({
  ...{ DATABASE_URL: databaseUrl, DATA_DIR: folder, PORT: '0', OPERATOR_PORT: 'off', LOG_LEVEL: 'debug' },
  ...{ SECRET_KEY: 'a key for tests that is long enough', DATABASE_CONNECTIONS: '5' },
})

/** A whole start through a network. Every line of its log is told as it is written. */
async function startThrough(network: SilentNetwork, onLine: (line: Line) => void) {
  const connection = await network.open(await emptyDatabase(template))
  const log = createLog({ level: 'debug', to: { write: (line) => onLine(JSON.parse(line)) } })
  return startApp(readConfig(settings(urlOf(connection))), { log, prepare: async () => {} })
}

const isTriedAgain = ({ msg = '' }: Line) => msg.includes('the step is tried again')
const isServing = ({ msg }: Line) => msg === 'serving'

/** What a start does when nothing happens to it: its steps, and how often it sends something. */
async function undisturbed(): Promise<{ steps: string[]; sent: number }> {
  const steps: string[] = []
  let sent = 0
  const network = new SilentNetwork()
  network.onSent = () => {
    sent += 1
  }
  const app = await startThrough(network, ({ step }) => {
    if (step) steps.push(step)
  })
  const found = { steps, sent }
  await app.stop()
  await network.close()
  return found
}

const usual = await undisturbed()

/** Starts; takes the database away when told to, until that was noticed; then everything is as it should be. */
async function startDespite(cutWhen: (cut: () => void, network: SilentNetwork) => (line: Line) => void) {
  const network = new SilentNetwork()
  let isCut = false
  const cut = () => {
    if (isCut) return
    isCut = true
    network.cut()
  }
  const cutAt = cutWhen(cut, network)
  const app = await startThrough(network, (line) => {
    cutAt(line)
    if (isCut && (isTriedAgain(line) || isServing(line))) network.mend()
  })
  assert.ok(isCut)
  try {
    await until('it is ready', async () => (await get(`${app.url}/readyz`)).status === 200)
    const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
    const team = await aTeam(owner)
    await pauseTeam(owner, team.slug)
    const { token } = await aToken(owner, ['read'])
    const answer = await get(`${app.url}/v1/teams/${team.slug}`, token)
    assert.deepEqual([answer.status, ((await answer.json()) as { paused: boolean }).paused], [200, true])
  } finally {
    await app.stop()
    await network.close()
  }
}

/** All of them, or some from the beginning to the end. */
const spread = <T>(all: T[], some: number): T[] =>
  isThorough ? all : all.filter((_, n) => n % Math.ceil(all.length / some) === 0 || n === all.length - 1)

for (const step of spread(usual.steps, 3))
  test(`a database that goes away when the start begins to ${step} only delays it`, () =>
    startDespite((cut) => (line) => {
      if (line.step === step && line.msg === 'starting') cut()
    }))

const messages = spread(
  Array.from({ length: usual.sent }, (_, n) => n + 1),
  4,
)

test(`a database that goes away at one of the ${usual.sent} messages of a start only delays it`, async () => {
  for (const at of messages) {
    let sent = 0
    await startDespite((cut, network) => {
      network.onSent = () => {
        sent += 1
        if (sent === at) cut()
      }
      // A start that sends less than the one that was counted loses its database at its end.
      return (line) => {
        if (isServing(line)) cut()
      }
    })
  }
})

test('until the last step of the start is done, it is not ready', async () => {
  const database = await emptyDatabase(template)
  const held = new pg.Client(database)
  await held.connect()
  // What the last step writes, so that it waits; everything else is answered.
  await held.query('begin; lock table jobs.schedule')
  const log = createLog({ level: 'debug', to: { write: (line) => lines.push(JSON.parse(line)) } })
  const lines: Line[] = []
  const starting = startApp(readConfig({ ...settings(urlOf(database)), PORT: '0' }), { log })
  const listening = () => /http:\/\/[\d.:]+/.exec(lines.map(({ msg }) => msg).join('\n'))?.[0]
  await until('the last step begins', () => lines.at(-1)?.step === usual.steps.at(-1))
  await until('it listens', () => listening() !== undefined)
  const ready = await get(`${listening()}/readyz`)
  assert.equal(ready.status, 503)
  assert.match(await ready.text(), /"This server is not ready\. Try again in a moment\."/)
  assert.equal((await get(`${listening()}/healthz`)).status, 200)
  await held.query('commit')
  await held.end()
  const app = await starting
  assert.equal((await get(`${app.url}/readyz`)).status, 200)
  await app.stop()
})

/** `serve` as a process of its own. */
const serve = (args: string[], env: Record<string, string>) =>
  launch(['server/main.ts', 'serve', ...args], env)

const compiled = ['--import', './server/compile-cache.js']

/** A program of ours, started as npm starts it. */
function launch(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [...compiled, ...args], {
    cwd: path.join(import.meta.dirname, '../../..'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const printed: string[] = []
  child.stdout!.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  const said: string[] = []
  const lines: Line[] = []
  const listeners = new Set<(line: Line) => void>()
  let rest = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said.push(text)
    const whole = (rest + text).split('\n')
    rest = whole.pop()!
    for (const line of whole.filter((one) => one.startsWith('{'))) {
      lines.push(JSON.parse(line))
      for (const listener of listeners) listener(lines.at(-1)!)
    }
  })
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child: Object.assign(child, { said }), lines, printed, listeners, ended }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The processes whose parent that is; none where it has ended. */
async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return tasks.trim().split(' ').filter(Boolean).map(Number)
}

const postmasterIn = async (data: string): Promise<number | null> => {
  const noted = await readFile(path.join(data, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(noted.split('\n')[0]) || null
}

async function killDatabase(data: string): Promise<void> {
  const pid = await postmasterIn(data)
  if (pid) process.kill(pid, 'SIGKILL')
}

const isReady = async (url: string) =>
  (await get(`${url}/readyz`).catch(() => null))?.status === 200 &&
  (await get(`${url}/v1/teams`, 'tk_nobody').catch(() => null))?.status === 401

const urlIn = (lines: Line[]): string | undefined =>
  /http:\/\/[\d.:]+/.exec(lines.map(({ msg, url }) => `${msg} ${url}`).join('\n'))?.[0]

/** With a database of its own, which is killed in the middle of the start; once in a folder, which is used again. */
async function serveDespiteKill(args: string[], when: 'ready' | string): Promise<void> {
  const data = path.join(folder, 'embedded')
  const { DATABASE_URL: _, ...env } = { ...settings(''), DATA_DIR: data }
  const { child, lines, listeners, ended } = serve(args, { ...env, DATABASE_URL: '' })
  let isKilled = false
  const kill = async () => {
    if (isKilled) return
    isKilled = true
    await killDatabase(data)
  }
  listeners.add(({ step }) => {
    if (step === when) void kill()
  })
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  await until('it listens', () => urlIn(lines) !== undefined || isOver())
  if (when === 'ready') {
    await until('it is ready', async () => isOver() || (await isReady(urlIn(lines)!)))
    await kill()
  }
  await until('the start is over', () => isOver() || lines.some(({ msg }) => msg?.startsWith('serving')))
  await until('it is ready', async () => isOver() || (await isReady(urlIn(lines)!)))
  assert.ok(isKilled)
  assert.deepEqual([child.exitCode, child.signalCode], [null, null], child.said.join(''))
  child.kill('SIGTERM')
  assert.equal(await ended, 0, child.said.join(''))
}

// The first of them makes the database.
const kills = isThorough ? ['ready', 'start the database', ...usual.steps] : ['answer wake-ups']

// Mostly they wait, some of them for ten seconds, and none for another.
suite('as processes of their own', { concurrency: 3 }, () => {
  test('an address where no database is, is told after a while', async () => {
    const network = new SilentNetwork()
    const connection = await network.open(await emptyDatabase(template))
    await network.close()
    const { child, ended } = serve([], { ...settings(urlOf(connection)), LOG_LEVEL: 'silent' })
    assert.equal(await ended, 1)
    assert.match(child.said.join(''), /^[^\n]*ECONNREFUSED[^\n]*\n$/)
  })

  test('a stop that the database does not answer ends with the process', async () => {
    const network = new SilentNetwork()
    const connection = await network.open(await emptyDatabase(template))
    const { child, lines, ended } = serve([], settings(urlOf(connection)))
    await until('it serves', () => lines.some(isServing))
    network.loseConnections({ silent: true })
    child.kill('SIGTERM')
    assert.equal(await ended, 1)
    assert.match(child.said.join(''), /Stopping took too long/)
    await network.close()
  })

  test('a database that is killed when the demo has started and fills it only delays that', async () => {
    const data = path.join(folder, 'demo')
    const args = ['--json', '--no-runner', '--port', '0', '--data', data]
    const { child, lines, printed, listeners, ended } = launch(['demo/main.ts', ...args], {
      LOG_LEVEL: 'debug',
    })
    let isKilled = false
    listeners.add(({ step }) => {
      if (step !== 'issue the tokens' || isKilled) return
      isKilled = true
      void killDatabase(data)
    })
    const isOver = () => child.exitCode !== null || child.signalCode !== null
    await until('it says where it is', () => isOver() || printed.join('').endsWith('\n'))
    assert.ok(lines.some(isTriedAgain), child.said.join(''))
    const { url, tokens } = JSON.parse(printed.join(''))
    await until('it serves', async () => (await get(`${url}/v1/teams`, tokens.owner)).status === 200)
    child.kill('SIGTERM')
    assert.equal(await ended, 0, child.said.join(''))
  })

  test(`a database that is killed while the server or its workers start is brought back, and the start goes on: ${kills.join(', ')}`, async () => {
    for (const when of kills) await serveDespiteKill([], when)
    await serveDespiteKill(['--workers', '2'], 'ready')
  })

  test('a worker that is killed before it serves is replaced while the other serves', async () => {
    const { child, lines, ended } = serve(['--workers', '2'], settings(urlOf(await emptyDatabase(template))))
    const workers = () => childrenOf(child.pid!)
    await until('the first serves', () => lines.some((line) => isServing(line) && line.worker === 1))
    let second = 0
    await until('the second is there', async () => {
      second = (await workers())[1] ?? 0
      return second > 0
    })
    process.kill(second, 'SIGKILL')
    await until('both serve', () => lines.some((line) => isServing(line) && line.worker === 2))
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], child.said.join(''))
    assert.equal((await workers()).length, 2)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })

  test('told to stop while it waits for its database, it stops', async () => {
    const network = new SilentNetwork()
    const connection = await network.open(await emptyDatabase(template))
    const { child, lines, ended } = serve([], settings(urlOf(connection)))
    await until('it has reached its database', () => lines.some(({ step }) => step === 'compare the key'))
    network.cut()
    await until('it tries again', () => lines.some(isTriedAgain))
    child.kill('SIGTERM')
    assert.equal(await ended, 0, child.said.join(''))
    await network.close()
  })

  for (const when of ['load', 'wait for their database'])
    test(`told to stop while its workers ${when}, it stops`, async () => {
      const network = new SilentNetwork()
      const connection = await network.open(await emptyDatabase(template))
      const { child, lines, ended } = serve(['--workers', '2'], settings(urlOf(connection)))
      const ofWorkers = () => lines.filter(({ worker }) => worker !== undefined)
      if (when === 'load') await until('there is one', async () => (await childrenOf(child.pid!)).length > 0)
      else {
        await until('one begins', () => ofWorkers().some(({ step }) => step !== undefined))
        network.cut()
        await until('it tries again', () => ofWorkers().some(isTriedAgain))
      }
      const workers = await childrenOf(child.pid!)
      child.kill('SIGTERM')
      assert.equal(await ended, 0, child.said.join(''))
      assert.deepEqual(ofWorkers().filter(isServing), [])
      assert.deepEqual(workers.filter(isAlive), [])
      await network.close()
    })
})
