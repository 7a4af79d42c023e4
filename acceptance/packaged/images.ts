import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/**
 * Both images of the Dockerfile, built with podman. There is no registry: the images that the Dockerfile begins with are
 * made by mmdebstrap, the one for the build with this machine's Node in it.
 */

export const repository = path.resolve(import.meta.dirname, '..', '..')
const cache = path.join(repository, 'node_modules', '.cache', 'image')
const run = promisify(execFile)

/** Why they cannot be built here, if so. */
export function skipWithout(...programs: string[]): string | false {
  const missing = ['podman', 'runc', 'mmdebstrap', ...programs].filter((name) => !has(name))
  if (missing.length > 0) return `needs ${missing.join(', ')}, from Debian's packages`
  return process.getuid?.() === 0 ? false : 'needs root'
}

/** Podman's own helpers are not on the path. */
function has(program: string): boolean {
  try {
    execFileSync('which', [program], {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/lib/podman:/usr/libexec/podman` },
    })
    return true
  } catch {
    return false
  }
}

export const podman = (...args: string[]) => run('podman', args, { cwd: repository, maxBuffer: 2 ** 26 })

// crun, which Debian's podman takes by default, needs more of the kernel than a container gives it.
export const runtime = ['--runtime', 'runc']
export const limits = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=4096:4096']
export const names = {
  base: 'localhost/signalbox-test/base',
  build: 'localhost/signalbox-test/build',
  server: 'localhost/signalbox-test/server',
  runner: 'localhost/signalbox-test/runner',
}

/** Builds what a folder's Dockerfile says. */
export async function build(context: string, tag: string, ...args: string[]): Promise<void> {
  const usual = [...runtime, ...limits, '--network', 'host', '--format', 'docker', '--tag', tag]
  await podman('build', ...usual, ...args, context)
}

export async function buildImages(folder: string): Promise<void> {
  await makeBases(folder)
  const { stdout: downloads } = await run('npm', ['config', 'get', 'cache'])
  const bases = ['--build-arg', `BASE=${names.base}`, '--build-arg', `BUILD_BASE=${names.build}`]
  for (const target of ['server', 'runner'] as const)
    await build(
      '.',
      names[target],
      '--target',
      target,
      ...bases,
      '--volume',
      `${downloads.trim()}:/root/.npm`,
    )
}

/** As slim as Debian's own slim image, kept between two runs. */
async function makeBases(folder: string): Promise<void> {
  const archive = path.join(cache, 'base.tar')
  if (!existsSync(archive)) {
    await mkdir(cache, { recursive: true })
    const unneeded = ['man', 'doc', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
    const fresh = `${archive}.${process.pid}.tar`
    await run('mmdebstrap', [
      ...['--variant=apt', '--include=usr-is-merged', '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr'],
      ...['--aptopt=Apt::Install-Recommends "false"', ...unneeded, 'bookworm', fresh],
    ])
    await rename(fresh, archive)
  }
  await podman('import', archive, names.base)
  const context = path.join(folder, 'build')
  await mkdir(context)
  const npm = await realpath(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())
  await cp(path.resolve(npm, '..', '..'), path.join(context, 'npm'), { recursive: true })
  await cp(process.execPath, path.join(context, 'node'))
  // Where a proxy of the company's opens TLS, its authority is among those that this machine trusts.
  await cp('/etc/ssl/certs/ca-certificates.crt', path.join(context, 'authorities.crt'))
  await writeFile(path.join(context, 'Dockerfile'), buildBase)
  await build(context, names.build)
}

const buildBase = `FROM ${names.base}
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libstdc++6
COPY authorities.crt /usr/local/share/authorities.crt
ENV NODE_EXTRA_CA_CERTS=/usr/local/share/authorities.crt
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`
