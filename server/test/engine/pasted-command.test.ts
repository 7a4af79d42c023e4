import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { runnerCommand } from '@signalbox/contract/runner-install-command.ts'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { testApp } from '../app.ts'
import { aMember, aPolicy, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'
import { aRepository } from './runner.ts'

/** What Add runner shows, run in a shell as a person would paste it. */

const run = promisify(execFile)
const sources = path.join(import.meta.dirname, '..', '..', '..')
let app: Awaited<ReturnType<typeof testApp>>
let folder: string
const started: ChildProcess[] = []
before(async () => {
  await run(process.execPath, [path.join(sources, 'runner', 'build.ts')])
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-pasted-'))
  app = await testApp()
})
after(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL')
  await app.stop()
  await rm(folder, { recursive: true, force: true })
})

const sumOf = async () => {
  const response = await app.get('/runner/signalbox-runner.mjs.sha256')
  const [sha256, name] = (await response.text()).trim().split('  ')
  assert.equal(name, 'signalbox-runner.mjs')
  return sha256!
}

/** Nothing on the path but Node and what every machine has. */
function paste(command: string, name: string) {
  const child = spawn('bash', ['-c', command], {
    cwd: path.join(folder, name),
    env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: path.join(folder, name) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group: the runner goes with the shell.
    detached: true,
  })
  started.push(child)
  const heard = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard.text += text
    })
  return { child, heard }
}

test('the command as pasted downloads the runner, checks it and connects it, with what it found', async () => {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'supervised')
  await aRepository(owner, team)
  const { token } = await aToken(owner, ['read'])
  await mkdir(path.join(folder, 'machine', 'it’s git'), { recursive: true })
  const sha256 = await sumOf()
  const command = runnerCommand({
    ...{
      url: app.url,
      token,
      box: 'none',
      program: { path: `/runner/${sha256}/signalbox-runner.mjs`, sha256 },
    },
    folders: [path.join(folder, 'machine', 'it’s git')],
  })
  const { child, heard } = paste(command, 'machine')
  const online = async () => (await listRunners(owner)).find((runner) => runner.online)
  await until('the runner is online', async () => (await online()) !== undefined).catch((error) => {
    throw new Error(`${error.message}\n${heard.text}`)
  })
  const runner = (await online())!
  assert.match(heard.text, /signalbox-runner\.mjs: OK/)
  assert.match(runner.git!.version!, /^\d+\.\d+/)
  assert.deepEqual(runner.git!.folders, [
    { path: path.join(folder, 'machine', 'it’s git'), isReadable: true },
  ])
  assert.equal(runner.level, 'process')
  assert.deepEqual(runner.executors, [], 'this machine has no agent')
  assert.match(heard.text, /No coding agent was found on the PATH.*looked for claude, codex/)
  assert.deepEqual(
    runner.repositories.map(({ isReadable }) => isReadable),
    [false],
    'the repository of the team is in another folder',
  )
  process.kill(-child.pid!, 'SIGTERM')
  await once(child, 'exit')
})

test('a file with a changed byte is refused by its sum, and nothing of it is run', async () => {
  await mkdir(path.join(folder, 'changed'), { recursive: true })
  const sha256 = await sumOf()
  const served = await app.get('/runner/signalbox-runner.mjs')
  const bytes = Buffer.from(await served.arrayBuffer())
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(path.join(folder, 'changed.mjs'), bytes)
  const command = runnerCommand({
    ...{ url: app.url, token: 'tk_none', box: 'auto', folders: [] },
    program: { path: `/runner/${sha256}/signalbox-runner.mjs`, sha256 },
  }).replace(/^curl -fsS -o (\S+) \S+/, `curl -fsS -o $1 file://${folder}/changed.mjs`)
  const { child, heard } = paste(command, 'changed')
  const [code] = await once(child, 'close')
  assert.notEqual(code, 0)
  assert.match(heard.text, /signalbox-runner\.mjs: FAILED/)
  assert.doesNotMatch(heard.text, /SERVICE_API_KEY|tk_/, 'the runner did not start')
})

test('the file is open to everyone, known by its sum, and never taken for a page', async () => {
  const sha256 = await sumOf()
  const plain = await app.get('/runner/signalbox-runner.mjs')
  assert.equal(plain.status, 200)
  assert.equal(plain.headers.get('etag'), `"${sha256}"`)
  assert.equal(plain.headers.get('cache-control'), 'no-cache')
  assert.equal(plain.headers.get('x-content-type-options'), 'nosniff')
  const again = await app.get('/runner/signalbox-runner.mjs', undefined, {
    headers: { 'if-none-match': `"${sha256}"` },
  })
  assert.equal(again.status, 304)
  const hashed = await app.get(`/runner/${sha256}/signalbox-runner.mjs`, undefined, { method: 'HEAD' })
  assert.equal(hashed.status, 200)
  assert.match(hashed.headers.get('cache-control')!, /immutable/)
  assert.ok(Number(hashed.headers.get('content-length')) > 1_000_000)
  const other = await app.get(`/runner/${'0'.repeat(64)}/signalbox-runner.mjs`)
  assert.equal(other.status, 404)
  assert.match(await other.text(), /another version of the runner now\. Copy the command again/)
})
