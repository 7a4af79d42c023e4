import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../demo.ts'
import { buildImages, limits, names, podman, runtime, skipWithout } from './images.ts'
import { type Newcomer, walkThrough } from './walk-through.ts'

/**
 * `npm run test:image`: builds both images of the Dockerfile with podman, and uses them as an orchestrator would run
 * them: another account, a root that cannot be written; the server with half a gigabyte and one core.
 *
 * Needs Linux, root, and Debian's podman, runc and mmdebstrap.
 */

const most = 350_000_000
const uid = 54_321
const where = [...runtime, ...limits, '--network', 'host']
const skip = skipWithout()

let folder: string
before(async () => {
  if (skip) return
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-image-'))
  await buildImages(folder)
})
after(async () => {
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

const containers: ChildProcess[] = []
after(() => {
  for (const container of containers) if (container.exitCode === null) container.kill('SIGKILL')
})

for (const target of ['server', 'runner'] as const)
  test(`the image of the ${target} is at most 350 MB, has no compiler and does not run as root`, {
    skip,
  }, async (t) => {
    const { stdout } = await podman('image', 'inspect', names[target])
    const [image] = JSON.parse(stdout)
    t.diagnostic(`${Math.round(image.Size / 1e6)} MB, ${image.Architecture}`)
    assert.ok(image.Size <= most, `${image.Size} bytes`)
    assert.doesNotMatch(image.Config.User, /^(0|root)?(:|$)/)
    const programs = 'for name in gcc cc make npm npx python3 tsc; do command -v $name; done; true'
    const found = await inImage(names[target], programs)
    assert.equal(found, '', 'neither compilers nor what installs packages of npm')
    assert.match(await inImage(names[target], 'git --version && id -u'), /^git version .*\n54321$/)
  })

async function inImage(image: string, script: string): Promise<string> {
  const { stdout } = await podman(
    ...['run', '--rm', ...where, '--read-only', '--user', `${uid}:${uid}`],
    ...['--entrypoint', '/bin/sh', image, '-c', script],
  )
  return stdout.trim()
}

/** What a box needs, and what else an orchestrator takes away. */
const boxed = [
  ...['--cap-drop', 'all', '--read-only', '--tmpfs', '/tmp', '--user', `${uid}:${uid}`],
  ...['seccomp=unconfined', 'apparmor=unconfined', 'unmask=ALL'].flatMap((one) => ['--security-opt', one]),
]

/** A folder that the account in a container can write to. */
async function writable(name: string): Promise<string> {
  const made = path.join(folder, name)
  await mkdir(made)
  await chown(made, uid, uid)
  return made
}

test('in the image of the runner, bubblewrap can make a box on a root that cannot be written', {
  skip,
}, async () => {
  const data = await writable('doctor')
  const doctor = await podman(
    ...['run', '--rm', ...runtime, ...limits, ...boxed, '--volume', `${data}:/data`, names.runner, 'doctor'],
  ).catch((error) => error)
  // It ends with 1: it was not told where the server is.
  assert.match(doctor.stdout, /^ok +bubblewrap/m)
  assert.match(doctor.stdout, /^missing +server +not asked/m)
})

/** With its token in a file, as orchestrators mount secrets. */
async function tryRunner(url: string, { read, write }: Newcomer): Promise<void> {
  const data = await writable('runner')
  const { token } = await write<{ token: string }>('tokens.create', {
    ...{ name: 'Runner', permissions: ['read'], expires: '30d' },
  })
  await writeFile(path.join(data, 'token'), `${token}\n`)
  const name = `signalbox-test-runner-${process.pid}`
  const container = spawn('podman', [
    ...['run', '--rm', '--name', name, ...where, ...boxed, '--volume', `${data}:/data`],
    ...['--env', 'SERVICE_API_KEY_FILE=/data/token', names.runner],
    ...['--url', url, '--name', 'Packaged', '--data', '/data/runner'],
  ])
  containers.push(container)
  let said = ''
  for (const stream of [container.stdout, container.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const ended = once(container, 'close')
  type Runners = { data: { name: string }[] }
  const isThere = async () =>
    (await read<Runners>('runners.list')).data.some((runner) => runner.name === 'Packaged')
  await until('the runner registers', async () => container.exitCode !== null || (await isThere()))
  assert.ok(await isThere(), said)
  await podman('stop', '--time', '30', name)
  const [exitCode] = await ended
  assert.equal(exitCode, 0, said)
}

test('as another account, on a root that cannot be written, it serves, takes an alert, a decision and a runner, and stops', {
  skip,
}, async () => {
  const data = await writable('data')
  const port = String(await freePort())
  const env = { HOST: '127.0.0.1', PORT: port, OPERATOR_PORT: 'off', STOP_GRACE_SECONDS: '1' }
  const name = `signalbox-test-${process.pid}`
  const container = spawn('podman', [
    ...['run', '--rm', '--name', name, ...where],
    ...['--read-only', '--user', `${uid}:${uid}`, '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
    ...['--memory', '512m', '--cpus', '1'],
    ...['--volume', `${data}:/data`],
    ...Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
    names.server,
  ])
  containers.push(container)
  let said = ''
  for (const stream of [container.stdout, container.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const ended = once(container, 'close')
  const link = /(http:\S+)\/setup\?code=([\w-]+)/
  await until('the server prints its link', () => link.test(said) || container.exitCode !== null)
  const [, url, code] = link.exec(said) ?? assert.fail(said)
  await tryRunner(url!, await walkThrough(url!, code!))
  await podman('healthcheck', 'run', name)
  await podman('stop', '--time', '30', name)
  const [exitCode] = await ended
  assert.equal(exitCode, 0, said)
})
