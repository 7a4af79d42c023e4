import type { Isolation } from '@signalbox/contract/runner/messages.ts'

export type Fact = keyof Omit<Isolation, 'backend' | 'version'>

/** What is there to be reached for, and must not be reached. Made anew for each measurement. */
export interface Prey {
  /** The only folder that may be written to, besides home and results. */
  worktree: string
  /** In the worktree; may be read and not changed. Relative. */
  denied: string
  /** Beside the worktree. */
  outside: string
  /** A file that only the runner may read. */
  secret: string
  /** The runner's own, with its key in the environment. */
  runnerPid: number
  /** Where somebody listens who is not the gateway. */
  port: number
  socket: string
  abstractSocket: string
  /** The runner's own git folder of the repository. */
  gitFolder: string
  /** By which a process that outlives its run is found. */
  daemonMark: string
}

/**
 * One way out. `play` is the text of an async function that runs inside with the prey as its argument and returns true
 * when it believes to have got through; what it has changed is looked at from outside as well.
 */
export interface Escape {
  name: string
  fact: Fact
  play: string
}

const to = (fact: Fact, name: string, play: string): Escape => ({ fact, name, play })

/** `fs`, `net`, `path`, `run` (a shell line, true when it exits 0) and `prey` are there for each of them. */
export const escapes: Escape[] = [
  to(
    'environmentCleared',
    'find the API token in the environment',
    `
    return Object.keys(process.env).includes('SERVICE_API_KEY')`,
  ),
  to(
    'environmentCleared',
    'find the API token in the environment of a parent',
    `
    return run('tr "\\\\0" "\\\\n" < /proc/$PPID/environ | grep -q ^SERVICE_API_KEY=')`,
  ),

  to(
    'descendantsReaped',
    'leave a process behind that has a session of its own',
    `
    return run('setsid sleep 3600.' + prey.daemonMark + ' >/dev/null 2>&1 & true') && false`,
  ),
  to(
    'descendantsReaped',
    'leave a process behind that forgot its environment',
    `
    return run('env -i setsid sleep 3600.' + prey.daemonMark + ' >/dev/null 2>&1 & true') && false`,
  ),

  to(
    'writesOutsideBlocked',
    'write beside the worktree',
    `
    fs.writeFileSync(path.join(prey.outside, 'escaped'), 'x'); return false`,
  ),
  to(
    'writesOutsideBlocked',
    'write beside the worktree through ..',
    `
    fs.writeFileSync(path.join(prey.worktree, '..', 'escaped'), 'x'); return false`,
  ),
  to(
    'writesOutsideBlocked',
    'write through a symbolic link that leads out',
    `
    fs.symlinkSync(prey.outside, path.join(prey.worktree, 'way-out'))
    fs.writeFileSync(path.join(prey.worktree, 'way-out', 'escaped'), 'x'); return false`,
  ),
  to(
    'writesOutsideBlocked',
    'write a file of the system',
    `
    fs.writeFileSync('/usr/signalbox-escaped-' + prey.daemonMark, 'x'); return false`,
  ),
  to(
    'writesOutsideBlocked',
    "put a hook into the runner's git folder",
    `
    fs.writeFileSync(path.join(prey.gitFolder, 'hooks', 'post-checkout'), '#!/bin/sh'); return false`,
  ),
  to(
    'writesOutsideBlocked',
    "change the configuration of the runner's git folder",
    `
    fs.appendFileSync(path.join(prey.gitFolder, 'config'), '[core] fsmonitor = x'); return false`,
  ),
  to(
    'writesOutsideBlocked',
    'mount the system writable',
    `
    return run('mount -o remount,rw,bind /usr && touch /usr/signalbox-escaped-' + prey.daemonMark)`,
  ),

  to(
    'deniedPathsBlocked',
    'change a file of a denied folder',
    `
    fs.writeFileSync(path.join(prey.worktree, prey.denied, 'spec'), 'changed'); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'delete a file of a denied folder',
    `
    fs.rmSync(path.join(prey.worktree, prey.denied, 'spec')); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'make a file in a denied folder',
    `
    fs.writeFileSync(path.join(prey.worktree, prey.denied, 'new'), 'x'); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'change a denied file through a symbolic link',
    `
    fs.symlinkSync(path.join(prey.worktree, prey.denied), path.join(prey.worktree, 'side-door'))
    fs.writeFileSync(path.join(prey.worktree, 'side-door', 'spec'), 'changed'); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'change a denied file through a hard link',
    `
    fs.linkSync(path.join(prey.worktree, prey.denied, 'spec'), path.join(prey.worktree, 'twin'))
    fs.writeFileSync(path.join(prey.worktree, 'twin'), 'changed'); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'rename a denied folder',
    `
    fs.renameSync(path.join(prey.worktree, prey.denied), path.join(prey.worktree, 'moved')); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'rename its parent and build it anew',
    `
    const parent = path.dirname(path.join(prey.worktree, prey.denied))
    fs.renameSync(parent, path.join(prey.worktree, 'moved-parent'))
    fs.mkdirSync(path.join(prey.worktree, prey.denied), { recursive: true })
    fs.writeFileSync(path.join(prey.worktree, prey.denied, 'spec'), 'changed'); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'unmount what keeps it',
    `
    return run('umount ' + path.join(prey.worktree, prey.denied))
      || run('unshare --user --map-root-user --mount umount ' + path.join(prey.worktree, prey.denied))`,
  ),

  to(
    'secretsUnreadable',
    "read the runner's identity",
    `
    return fs.readFileSync(prey.secret, 'utf8').length > 0`,
  ),
  to(
    'secretsUnreadable',
    "read the runner's environment",
    `
    return fs.readFileSync('/proc/' + prey.runnerPid + '/environ', 'utf8').includes('SERVICE_API_KEY')`,
  ),
  to(
    'secretsUnreadable',
    'read the password hashes of the machine',
    `
    return fs.readFileSync('/etc/shadow', 'utf8').length > 0`,
  ),
  to(
    'secretsUnreadable',
    'signal the runner',
    `
    process.kill(prey.runnerPid, 0)
    return fs.readFileSync('/proc/' + prey.runnerPid + '/cmdline', 'utf8') !== fs.readFileSync('/proc/self/cmdline', 'utf8')
      && process.pid !== prey.runnerPid`,
  ),

  to(
    'networkOnlyToGateway',
    'reach a service on the loopback of the machine',
    `
    return reach({ port: prey.port, host: '127.0.0.1' })`,
  ),
  to(
    'networkOnlyToGateway',
    'reach a socket file of another service',
    `
    return reach({ path: prey.socket })`,
  ),
  to(
    'networkOnlyToGateway',
    'reach an abstract socket of another service',
    `
    return reach({ path: prey.abstractSocket })`,
  ),
  to(
    'networkOnlyToGateway',
    'find a network besides the loopback',
    `
    return Object.values(os.networkInterfaces()).flat().some((found) => !found.internal)`,
  ),
]

/** What runs inside: plays every escape and prints one line for each. */
export const escapeScript = (prey: Prey): string => `
const fs = require('node:fs'), net = require('node:net'), os = require('node:os'), path = require('node:path')
const { spawnSync } = require('node:child_process')
const prey = ${JSON.stringify(prey)}
const run = (line) => spawnSync('/bin/sh', ['-c', line], { stdio: 'ignore', timeout: 5000 }).status === 0
const reach = (to) => new Promise((resolve) => {
  const socket = net.connect(to)
  socket.once('connect', () => { socket.destroy(); resolve(true) })
  socket.once('error', () => resolve(false))
  setTimeout(() => { socket.destroy(); resolve(false) }, 2000).unref()
})
const plays = [${escapes.map(({ play }) => `async () => {${play}}`).join(',\n')}]
;(async () => {
  for (const [at, play] of plays.entries()) {
    let through = false
    try { through = (await play()) === true } catch {}
    process.stdout.write(JSON.stringify({ at, through }) + '\\n')
  }
})()
`
