import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { until } from '../until.ts'
import { recorded, writeUntil } from './acknowledged-exports.ts'

/**
 * Killed without warning, under load: what was acknowledged is there afterwards, and the log proves itself.
 *
 * FAULTS=all kills server and database in every order (`npm run test:faults`), otherwise both, and the database alone.
 */

const isThorough = process.env.FAULTS === 'all'
const killings = isThorough
  ? [['server'], ['database', 'server'], ['server', 'database'], ['database']]
  : [['server', 'database'], ['database']]

const main = path.join(import.meta.dirname, '..', '..', 'main.ts')
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-crash-'))
const environment = {
  ...process.env,
  DATA_DIR: folder,
  PORT: '0',
  OPERATOR_PORT: 'off',
  RATE_LIMIT_PER_MINUTE: '1000000',
  LOG_LEVEL: 'info',
}
const running = new Set<ChildProcess>()

after(async () => {
  for (const child of running) child.kill('SIGTERM')
  await Promise.all([...running].map((child) => once(child, 'exit')))
  await rm(folder, { recursive: true, force: true })
})

async function signalbox(...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'exit')
  return { code, output }
}

async function serve(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    let seen = ''
    child.stderr!.on('data', (chunk) => {
      seen += chunk
      const line = seen.split('\n').find((text) => text.includes('"msg":"serving"'))
      if (line?.endsWith('}')) resolve(JSON.parse(line).url)
    })
    child.once('exit', () => reject(new Error(`The server ended: ${seen}`)))
  })
  return { child, url }
}

const postmaster = async () =>
  Number((await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

test('every acknowledged write survives kill -9 of the server and the database, and the audit log verifies', async () => {
  // While it serves: a command without a server would start a database for itself.
  let serving = await serve()
  assert.equal((await signalbox('admin', 'workspace', 'create', '--slug', 'w')).code, 0)
  await signalbox(
    'admin',
    'person',
    'create',
    '--workspace',
    'w',
    '--email',
    'o@example.com',
    '--role',
    'owner',
  )
  const made = await signalbox(
    'admin',
    'token',
    'create',
    '--workspace',
    'w',
    '--email',
    'o@example.com',
    '--permissions',
    'read',
    '--expires',
    '30d',
    '--json',
  )
  const { token } = JSON.parse(made.output)
  const acknowledged: string[] = []

  for (const victims of killings) {
    const { child, url } = serving
    let stopped = false
    const from = acknowledged.length
    const writers = Array.from({ length: 4 }, () => writeUntil(url, token, () => stopped, acknowledged))
    await until('40 writes are acknowledged', () => acknowledged.length >= from + 40)
    for (const victim of victims)
      process.kill(victim === 'server' ? child.pid! : await postmaster(), 'SIGKILL')
    stopped = true
    await Promise.all(writers)
    if (victims.includes('server')) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      serving = await serve()
    }
    // The server that lost only its database brings it back on its own.
    else await servesAgain(url, token)
  }

  const { child, url } = serving
  const found = await recorded(url, token)
  assert.deepEqual(
    acknowledged.filter((id) => !found.has(id)),
    [],
    'lost',
  )
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  assert.ok(
    !existsSync(path.join(folder, 'postgres', 'postmaster.pid')),
    'the database stopped with its server',
  )
  const verified = await signalbox('verify-audit')
  assert.match(verified.output, /: verified\./)
  assert.equal(verified.code, 0, verified.output)
})

async function servesAgain(url: string, token: string): Promise<void> {
  await until('the server answers again', async () => {
    const response = await fetch(`${url}/v1/teams`, { headers: { authorization: `Bearer ${token}` } }).catch(
      () => null,
    )
    const body = await response?.text()
    if (response) assert.ok([200, 503].includes(response.status), `status ${response.status}: ${body}`)
    return response?.status === 200
  })
}

test('a second server on the same data folder is refused with a sentence; one that follows a killed one goes on with its database', async () => {
  const first = await serve()
  const beside = await signalbox('serve')
  assert.equal(beside.code, 1)
  assert.match(beside.output, /Another Signalbox is serving from the data folder/)
  const database = await postmaster()
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const second = await serve()
  // It was never stopped.
  assert.equal(await postmaster(), database)
  // It looks after the database as if it had started it: brings it back, and stops it in the end.
  process.kill(database, 'SIGKILL')
  await until('another database is running', async () => {
    const now = await postmaster().catch(() => database)
    return now !== database && (await fetch(`${second.url}/readyz`).catch(() => null))?.status === 200
  })
  second.child.kill('SIGTERM')
  await once(second.child, 'exit')
  assert.ok(!existsSync(path.join(folder, 'postgres', 'postmaster.pid')))
})

test('a second signal to stop leaves at once, and no database behind', async () => {
  const signalled = [
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGTERM'],
  ] as const
  for (const signals of isThorough ? signalled : signalled.slice(0, 1)) {
    const { child } = await serve()
    for (const signal of signals) child.kill(signal)
    await once(child, 'exit')
    await until(
      'the database has stopped',
      () => !existsSync(path.join(folder, 'postgres', 'postmaster.pid')),
    )
  }
})
