import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import { ExitError } from '../exit-error.ts'
import { Bare } from './bare.ts'
import type { Box, Limits } from './box.ts'
import { Bubblewrap } from './bubblewrap.ts'
import type { BoxChoice } from './choices.ts'
import { type Escape, escapeScript, escapes, type Fact, type Prey } from './escapes.ts'
import { Gvisor } from './gvisor.ts'
import { hasKeyctl } from './launch.ts'
import { chooseOwner, isReachable } from './owner.ts'
import { seccompForThisMachine } from './seccomp.ts'
import type { Arch } from './syscalls.ts'
import { unmeasured } from './unmeasured.ts'

/** What was tried, and which of it got through. */
export interface Measured {
  box: Box
  attempts: { name: string; fact: Fact; through: boolean; isTried: boolean }[]
}

interface MeasureOptions {
  /** What the operator wants it kept in by. */
  choice?: BoxChoice
  /** As if it were not there. */
  without?: 'bubblewrap'[]
  /** Whom a runner that is root works as. */
  user?: string | null
  /** The runner's own folder, which that user may be able to reach. */
  data?: string
}

/**
 * Plays the escapes against the best this machine offers, and says which layers held. It takes a fraction of a second.
 */
export async function measureBox(options: MeasureOptions = {}): Promise<Measured> {
  const { choice = 'auto', without = [], user = null, data } = options
  const owner = chooseOwner(user)
  const whose = owner ? 'dropped' : 'own'
  if (choice === 'gvisor') {
    const version = await gvisorVersion()
    const isolation = { ...unmeasured, backend: 'gvisor', version, user: whose } as const
    const measured = version && (await play((held) => new Gvisor(held, owner), isolation))
    if (measured) return measured
    throw new ExitError('--box gvisor does not work here. Run signalbox-runner doctor to see why.')
  }
  const version = choice === 'none' || without.includes('bubblewrap') ? null : await bubblewrapVersion()
  if (version !== null) {
    const means = { owner, keyctl: hasKeyctl(), filter: seccompForThisMachine() }
    const start = (isolation: Isolation) => new Bubblewrap(isolation, means)
    const measured = await play(start, {
      ...{ ...unmeasured, backend: 'bubblewrap', version, user: whose },
      keyring: means.keyctl ? 'own' : 'inherited',
    })
    if (measured) return measured
  }
  if (choice === 'bubblewrap')
    throw new ExitError('--box bubblewrap does not work here. Run signalbox-runner doctor to see why.')
  const prefix = await reapingPrefix()
  // Without a view of its own it needs a way to where the work lies.
  const reached = owner && data && isReachable(owner, path.join(data, 'any')) ? owner : null
  const ordinary = process.getuid?.() !== 0
  const isolation = { ...unmeasured, user: reached ? 'dropped' : ordinary ? 'own' : 'root' } as const
  return (await play((measured) => new Bare(measured, prefix, reached), isolation))!
}

/** An attempt that takes longer counts as not made. */
const mostMs = 30_000

const execute = promisify(execFile)

/** Null where it is missing or too old. Whether it may make a box is seen when the escapes are played in one. */
async function bubblewrapVersion(): Promise<string | null> {
  try {
    const { stdout } = await execute('bwrap', ['--version'])
    const { stdout: help } = await execute('bwrap', ['--help'])
    const isRecent = ['--disable-userns', '--size', '--perms'].every((option) => help.includes(option))
    return isRecent ? stdout.trim().replace(/^bubblewrap /, '') : null
  } catch {
    return null
  }
}

/** `runsc` says it with words around it. */
async function gvisorVersion(): Promise<string | null> {
  try {
    const { stdout } = await execute('runsc', ['--version'])
    return /runsc version (\S+)/.exec(stdout)?.[1] ?? null
  } catch {
    return null
  }
}

/** A namespace of process numbers alone ends whatever was started in it. Not every machine allows one. */
async function reapingPrefix(): Promise<string[]> {
  const prefix = ['unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child', '--']
  try {
    await execute(prefix[0]!, [...prefix.slice(1), 'true'])
    return prefix
  } catch {
    return []
  }
}

/** Null: the box did not let them be tried. */
export async function play(
  make: (isolation: Isolation) => Box,
  isolation: Isolation,
): Promise<Measured | null> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signalbox-box-'))
  const services: net.Server[] = []
  const daemonMark = String(randomBytes(4).readUInt32BE())
  try {
    const { prey, limits, isUntouched } = await layOut(folder, services, daemonMark)
    const boxed = make(isolation).start([process.execPath, '-e', escapeScript(prey, archHere())], limits)
    boxed.stdin.end()
    boxed.stderr.resume()
    const patience = setTimeout(() => void boxed.end(0), mostMs)
    const printed = await text(boxed.stdout)
    await boxed.ended
    clearTimeout(patience)
    const claims = printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { at: number; through: boolean | null })
    // A box that did not even let them be tried holds nothing that we know of.
    if (claims.length !== escapes.length) return isolation.backend === null ? noneHeld(make, isolation) : null
    const attempts = escapes.map(({ name, fact }, at) => ({
      name,
      fact,
      through: claims[at]!.through === true || !isUntouched(escapes[at]!),
      isTried: claims[at]!.through !== null,
    }))
    return { box: make(held(isolation, attempts)), attempts }
  } finally {
    for (const service of services) service.close()
    // Without a box that reaps it, what was left behind would sleep for an hour.
    for (const pid of processesWith(daemonArgument(daemonMark)) ?? []) kill(pid)
    // As root without a box the call really succeeded.
    for (const name of readdirSync('/usr'))
      if (name.startsWith('signalbox-escaped-')) await rm(path.join('/usr', name), { force: true })
    await rm(folder, { recursive: true, force: true })
  }
}

const noneHeld = (make: (isolation: Isolation) => Box, isolation: Isolation): Measured => ({
  box: make(isolation),
  attempts: escapes.map(({ name, fact }) => ({ name, fact, through: true, isTried: true })),
})

/** What could not be tried is not claimed: a fact holds when something was, and nothing got through. */
const held = (isolation: Isolation, attempts: Measured['attempts']): Isolation => ({
  ...isolation,
  ...Object.fromEntries(
    escapes.map(({ fact }) => {
      const tried = attempts.filter((each) => each.fact === fact && each.isTried)
      return [fact, tried.length > 0 && tried.every(({ through }) => !through)]
    }),
  ),
})

const archHere = (): Arch | null => (process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null)

/** What there is to be reached for, as it is while an order is worked. */
async function layOut(folder: string, services: net.Server[], daemonMark: string) {
  const at = (...names: string[]) => path.join(folder, ...names)
  const [worktree, outside, home, out, gitFolder] = ['worktree', 'outside', 'home', 'out', 'git'].map(
    (name) => at(name),
  )
  const denied = path.join('.kanman', 'acceptance')
  for (const made of [outside!, home!, out!, path.join(gitFolder!, 'hooks'), path.join(worktree!, denied)])
    await mkdir(made, { recursive: true })
  const spec = path.join(worktree!, denied, 'spec')
  const secret = at('identity')
  const config = path.join(gitFolder!, 'config')
  for (const [file, content] of [
    [spec, 'pinned'],
    [secret, 'secret'],
    [config, '[core]'],
  ] as const)
    await writeFile(file, content)
  await chmod(secret, 0o600)
  const mine = path.join(worktree!, 'mine')
  const socket = at('other.sock')
  const abstractSocket = `\0signalbox-${daemonMark}`
  const port = await serve(services, { port: 0, host: '127.0.0.1' })
  await serve(services, { path: socket })
  await serve(services, { path: abstractSocket }).catch(() => 0)
  const prey: Prey = {
    worktree: worktree!,
    denied,
    outside: outside!,
    secret,
    runnerPid: process.pid,
    runnerStart: startOf(process.pid),
    kernel: os.release(),
    people: os.homedir(),
    mine,
    port,
    socket,
    abstractSocket,
    gitFolder: gitFolder!,
    daemonMark,
  }
  const limits: Limits = {
    worktree: worktree!,
    home: home!,
    out: out!,
    readable: [path.dirname(process.execPath)],
    denied: [denied],
    environment: {},
    gateway: null,
    network: 'none',
  }
  const specBefore = await readFile(spec, 'utf8')
  /** Looked at from outside: what a program believes of itself is not what happened. */
  const isUntouched = ({ fact }: Escape): boolean => {
    if (fact === 'secretsUnreadable') return process.getuid?.() !== 0 || ownerOf(mine) !== 0
    if (fact === 'descendantsReaped') return processesWith(daemonArgument(daemonMark))?.length === 0
    if (fact === 'deniedPathsBlocked')
      return (
        existsSync(spec) &&
        readFileSync(spec, 'utf8') === specBefore &&
        readdirSync(path.dirname(spec)).length === 1
      )
    if (fact === 'writesOutsideBlocked')
      return (
        readdirSync(outside!).length === 0 &&
        !existsSync(at('escaped')) &&
        !existsSync(`/usr/signalbox-escaped-${daemonMark}`) &&
        readdirSync(path.join(gitFolder!, 'hooks')).length === 0 &&
        readFileSync(config, 'utf8') === '[core]'
      )
    return true
  }
  return { prey, limits, isUntouched }
}

/** The twentieth field after the name, which may hold anything. Empty where there is no such thing. */
function startOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]!
  } catch {
    return ''
  }
}

const ownerOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.uid

async function serve(services: net.Server[], where: net.ListenOptions): Promise<number> {
  const server = net.createServer((socket) => socket.end()).listen(where)
  services.push(server)
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** Of what an escape tries to leave running: how long it would sleep. */
const daemonArgument = (mark: string) => `3600.${mark}`

/** By what only they are called with. Null where it cannot be known. */
function processesWith(argument: string): number[] | null {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument)
        } catch {
          return false
        }
      })
      .map(Number)
  } catch {
    return null
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended, or is not ours.
  }
}
