import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../demo.ts'
import { buildImages, limits, names, podman, runtime, skipWithout } from './images.ts'
import { walkThrough } from './walk-through.ts'

/**
 * `npm run test:image`: builds both images of the Dockerfile with podman, and uses the server's as an orchestrator would
 * run it: another account, a root that cannot be written, half a gigabyte, one core.
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

test('in the image of the runner, bubblewrap can make a box', { skip }, async () => {
  const open = ['seccomp=unconfined', 'apparmor=unconfined', 'unmask=ALL'].flatMap((one) => [
    '--security-opt',
    one,
  ])
  const doctor = await podman(
    ...['run', '--rm', ...runtime, ...limits, '--cap-drop', 'all', ...open, names.runner, 'doctor'],
  ).catch((error) => error)
  // It ends with 1: it was not told where the server is.
  assert.match(doctor.stdout, /^ok +bubblewrap/m)
  assert.match(doctor.stdout, /^missing +server +not asked/m)
})

test('as another account, on a root that cannot be written, it serves, takes an alert and a decision, and stops', {
  skip,
}, async () => {
  const data = path.join(folder, 'data')
  await mkdir(data)
  await chown(data, uid, uid)
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
  await walkThrough(url!, code!)
  await podman('healthcheck', 'run', name)
  await podman('stop', '--time', '30', name)
  const [exitCode] = await ended
  assert.equal(exitCode, 0, said)
})
