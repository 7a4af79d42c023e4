import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  for (const child of started) killGroup(child)
  await app.stop()
  await rm(folder, { recursive: true, force: true })
})

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // No process is left in it.
  }
}

const sumOf = async () => {
  const response = await app.get('/runner/signalbox-runner.mjs.sha256')
  const [sha256, name] = (await response.text()).trim().split('  ')
  assert.equal(name, 'signalbox-runner.mjs')
  return sha256!
}

/** A folder for the PATH with these programs and nothing else. */
async function onlyWith(programs: Record<string, string>): Promise<string> {
  const bin = await mkdtemp(path.join(folder, 'bin-'))
  for (const [name, at] of Object.entries(programs)) await symlink(at, path.join(bin, name))
  return bin
}

/** The shell itself is no program of the PATH: a machine that has nothing but Node has one. */
function paste(command: string, { name, bin, shell }: { name: string; bin: string; shell: string }) {
  const child = spawn(shell, ['-c', command], {
    cwd: path.join(folder, name),
    env: { PATH: bin, HOME: path.join(folder, name) },
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

test('the command as pasted needs nothing but Node: it downloads the runner, checks it and connects it', async () => {
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
  // Older shells replace it, even between quotes.
  assert.doesNotMatch(command, /!/)
  const bin = await onlyWith({ node: process.execPath })
  const { child, heard } = paste(command, { name: 'machine', bin, shell: '/bin/sh' })
  const online = async () => (await listRunners(owner)).find((runner) => runner.online)
  await until('the runner is online', async () => (await online()) !== undefined).catch((error) => {
    throw new Error(`${error.message}\n${heard.text}`)
  })
  const runner = (await online())!
  assert.match(heard.text, /signalbox-runner\.mjs: OK/)
  assert.equal(runner.git!.version, null, 'this machine has no git, which the dialog says')
  assert.deepEqual(runner.git!.folders, [
    { path: path.join(folder, 'machine', 'it’s git'), isReadable: true },
  ])
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

test('a file with a changed byte is refused by its sum, and nothing of it is run', async (t) => {
  await mkdir(path.join(folder, 'changed'), { recursive: true })
  const sha256 = await sumOf()
  const served = await app.get('/runner/signalbox-runner.mjs')
  const bytes = Buffer.from(await served.arrayBuffer())
  bytes[bytes.length >> 1]! ^= 1
  const other = createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => {
    other.close()
    other.closeAllConnections()
  })
  const command = runnerCommand({
    ...{ token: 'tk_none', box: 'auto', folders: [] },
    url: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    program: { path: `/runner/${sha256}/signalbox-runner.mjs`, sha256 },
  })
  const bin = await onlyWith({ node: process.execPath })
  const { child, heard } = paste(command, { name: 'changed', bin, shell: '/bin/bash' })
  const [code] = await once(child, 'close')
  assert.notEqual(code, 0)
  assert.match(heard.text, /signalbox-runner\.mjs: FAILED/)
  assert.doesNotMatch(heard.text, /SERVICE_API_KEY|tk_/, 'the runner did not start')
  assert.deepEqual(await readdir(path.join(folder, 'changed')), [], 'nothing of it is on the disk')
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
