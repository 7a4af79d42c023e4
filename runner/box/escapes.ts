import type { IsolationFact } from '@signalbox/contract/isolation.ts'
import { type rawCalls, rawScripts } from './raw-calls.ts'
import type { Arch } from './syscalls.ts'

export type Fact = IsolationFact | 'kernelFiltered'

/** What is there to be reached for, and must not be reached. Made again for each measurement. */
export interface Prey {
  /** The only folder that may be written to, apart from home and results. */
  worktree: string
  /** In the worktree; may be read and not changed. Relative. */
  denied: string
  /** Beside the worktree. */
  outside: string
  /** A file that only the runner may read. */
  secret: string
  /** The runner's own, with its key in the environment. */
  runnerPid: number
  /** When it was started, as the kernel counts: another process may have its number inside. */
  runnerStart: string
  /** The machine's. Where another answers inside, it is not the machine that was asked. */
  kernel: string
  /** The home of the account that runs the runner. */
  people: string
  /** In the worktree: created inside the box, to check which account owns it. */
  mine: string
  /** Where someone listens who is not the gateway. */
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

/** Whether the kernel did it. */
function answered(call: keyof typeof rawCalls): string {
  return `const told = raw('${call}'); return told && told.value >= 0`
}

/** Whether the kernel gave it as much as a thought: what it complains of then is an argument. */
function heard(call: keyof typeof rawCalls): string {
  return `const told = raw('${call}'); return told && !(told.value < 0 && [1, 38].includes(told.errno))`
}

const to = (fact: Fact, name: string, play: string): Escape => ({ fact, name, play })

/**
 * `fs`, `net`, `path`, `run` (a shell line, true when it exits 0), `raw` (how the kernel answered a call by its name:
 * `{ value, errno }`), `isAnother` (whether it is not the machine's kernel that answers) and `prey` are there for each
 * of them. What returns null could not be tried.
 */
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
    'writesOutsideBlocked',
    'have the kernel start a program when another crashes',
    `
    fs.closeSync(fs.openSync('/proc/sys/kernel/core_pattern', 'r+')); return !isAnother`,
  ),
  to(
    'writesOutsideBlocked',
    'have the kernel start a program when a cgroup empties',
    `
    return fs.readdirSync('/sys/fs/cgroup').some((name) => {
      try { fs.accessSync('/sys/fs/cgroup/' + name + '/release_agent', fs.constants.W_OK); return true } catch { return false }
    })`,
  ),
  to(
    'writesOutsideBlocked',
    'press the magic key of the kernel',
    `
    fs.closeSync(fs.openSync('/proc/sysrq-trigger', 'w')); return !isAnother`,
  ),
  to(
    'writesOutsideBlocked',
    'change a setting of a device',
    `
    return ['/sys/power/state', '/sys/kernel/uevent_helper', '/sys/kernel/mm/ksm/run'].some((file) => {
      try { fs.accessSync(file, fs.constants.W_OK); return true } catch { return false }
    })`,
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
    'rename its parent and create it again',
    `
    const parent = path.dirname(path.join(prey.worktree, prey.denied))
    fs.renameSync(parent, path.join(prey.worktree, 'moved-parent'))
    fs.mkdirSync(path.join(prey.worktree, prey.denied), { recursive: true })
    fs.writeFileSync(path.join(prey.worktree, prey.denied, 'spec'), 'changed'); return false`,
  ),
  to(
    'deniedPathsBlocked',
    'unmount what protects it',
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
    'be root, who owns the keys of the machine',
    `
    fs.writeFileSync(prey.mine, 'x'); return false`,
  ),
  to(
    'secretsUnreadable',
    'list the private keys of the machine',
    `
    return ['/etc/ssl/private', '/etc/pki/tls/private', '/etc/letsencrypt/live'].some((folder) => {
      try { return fs.readdirSync(folder).length > 0 } catch { return false }
    })`,
  ),
  to(
    'secretsUnreadable',
    'read what people keep in their home',
    `
    return ['.ssh', '.aws', '.gnupg', '.netrc', '.npmrc', '.git-credentials', '.bash_history'].some((name) => {
      try { fs.accessSync(path.join(prey.people, name), fs.constants.R_OK); return true } catch { return false }
    })`,
  ),
  to(
    'secretsUnreadable',
    'read the environment of the first process',
    `
    return fs.readFileSync('/proc/1/environ', 'utf8').includes('SERVICE_API_KEY')`,
  ),
  to(
    'secretsUnreadable',
    'see the runner among the processes',
    `
    return fs.readFileSync('/proc/' + prey.runnerPid + '/stat', 'utf8').split(') ')[1].split(' ')[19] === prey.runnerStart`,
  ),
  to(
    'secretsUnreadable',
    'trace the runner',
    `
    const seized = raw('ptrace')
    return seized && seized.value === 0
      && fs.readFileSync('/proc/' + prey.runnerPid + '/stat', 'utf8').split(') ')[1].split(' ')[19] === prey.runnerStart`,
  ),
  to('secretsUnreadable', "read the runner's keyring", answered('keyctl')),
  to('secretsUnreadable', 'read the log of the kernel', answered('syslog')),
  to(
    'secretsUnreadable',
    'read the log of the kernel through its device',
    `
    fs.closeSync(fs.openSync('/dev/kmsg', 'r')); return true`,
  ),
  to(
    'secretsUnreadable',
    'make a device that leads to memory or a disk',
    `
    return run('mknod ' + path.join(prey.worktree, 'device') + ' c 1 1')`,
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
    'find a network other than the loopback',
    `
    return Object.values(os.networkInterfaces()).flat().some((found) => !found.internal)`,
  ),
  to(
    'networkOnlyToGateway',
    'ask a service of the machine through its socket',
    `
    const services = ['/run/docker.sock', '/run/containerd/containerd.sock', '/run/podman/podman.sock',
      '/run/dbus/system_bus_socket', '/run/systemd/private', '/run/snapd.socket', '/run/user/' + process.getuid() + '/bus']
    for (const path of services) if (await reach({ path })) return true
    return false`,
  ),
  to(
    'networkOnlyToGateway',
    'ask the cloud who this machine is',
    `
    // A way there is found without sending anything.
    return new Promise((resolve) => {
      const socket = require('node:dgram').createSocket('udp4').unref()
      socket.connect(80, '169.254.169.254', (error) => resolve(!error))
    })`,
  ),
  to('networkOnlyToGateway', 'reach the host of a virtual machine', answered('vsock')),
  to('networkOnlyToGateway', 'open a socket below the network', answered('packet')),

  to('kernelFiltered', 'use io_uring, past every filter', heard('io_uring_setup')),
  to('kernelFiltered', 'hold the kernel up in the middle of a page', heard('userfaultfd')),
  to('kernelFiltered', 'load a program into the kernel', heard('bpf')),
  to('kernelFiltered', 'watch the processor', heard('perf_event_open')),
  to('kernelFiltered', 'keep a key in the kernel', heard('add_key')),
  to('kernelFiltered', 'use the ciphers of the kernel', answered('alg')),
  to('kernelFiltered', 'ask the firewall of the kernel', answered('netfilter')),
  to('kernelFiltered', 'find a file by its number', heard('name_to_handle_at')),
  to('kernelFiltered', 'type into a terminal', heard('tiocsti')),
  to('kernelFiltered', 'start a process in ways that no filter sees', heard('clone3')),
  to('kernelFiltered', 'mount in the new way', heard('fsopen')),
  to('kernelFiltered', 'enter a namespace', heard('setns')),
  to('kernelFiltered', 'make a namespace of users', answered('unshare')),
]

/** What runs inside: plays every escape and prints one line for each. */
export const escapeScript = (prey: Prey, arch: Arch | null): string => `
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
const told = new Map()
for (const command of ${JSON.stringify(arch === null ? [] : rawScripts(arch, prey.runnerPid))}) {
  const { status, stdout } = spawnSync(command[0], command.slice(1), { encoding: 'utf8', timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] })
  if (status !== 0) continue
  for (const line of stdout.split('\\n')) {
    const [name, value, errno] = line.split(' ')
    told.set(name, { value: Number(value), errno: Number(errno) })
  }
  break
}
const isAnother = os.release() !== prey.kernel
const raw = (name) => isAnother ? { value: -1, errno: 38 } : told.get(name) ?? null
const plays = [${escapes.map(({ play }) => `async () => {${play}}`).join(',\n')}]
;(async () => {
  for (const [at, play] of plays.entries()) {
    let through = false
    try { through = await play() } catch {}
    process.stdout.write(JSON.stringify({ at, through }) + '\\n')
  }
})()
`
