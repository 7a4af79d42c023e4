import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statfsSync } from 'node:fs'
import type { RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import { hasKeyctl, setprivArguments } from '../box/launch.ts'
import type { Owner } from '../box/owner.ts'
import {
  detectLimitTools,
  formatBytes,
  type LimitTools,
  type ResourceLimits,
} from '../box/resource-limits.ts'
import { seccompForThisMachine } from '../box/seccomp.ts'
import type { Finding } from './finding.ts'

/** What a program prints and how it ends; null: there is none. */
interface Ran {
  status: number | null
  stdout: string
  stderr: string
}
export type Run = (command: string, args: string[]) => Ran | null

const runHere: Run = (command, args) => {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 })
  return error && (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : { status, stdout, stderr }
}

/** `owner`: whom a runner that is root works as. */
export function findUser(owner: Owner | null, uid = process.getuid?.()): Finding {
  if (uid !== 0) return { what: 'user', state: 'fine', found: 'an ordinary one', remedy: null }
  return {
    what: 'user',
    state: 'weak',
    found: owner ? `root; agents and gates run as user ${owner.uid}` : 'root',
    remedy: 'Start it as an ordinary user, so that no part of the runner is root.',
  }
}

const leastGit = [2, 38] as const

export function findGit(run: Run = runHere): Finding {
  const told = run('git', ['--version'])?.stdout ?? ''
  const [, major, minor] = /(\d+)\.(\d+)/.exec(told) ?? []
  const version = told.replace('git version', '').trim()
  const isRecent =
    Number(major) > leastGit[0] || (Number(major) === leastGit[0] && Number(minor) >= leastGit[1])
  if (isRecent) return { what: 'git', state: 'fine', found: version, remedy: null }
  return {
    what: 'git',
    state: 'lacking',
    found: version || 'none',
    remedy: `Install git ${leastGit.join('.')} or later (apt install git, dnf install git, brew install git).`,
  }
}

/** Is there, and can make what a box is made of: some systems have it and do not let it. */
export function findBubblewrap(
  run: Run = runHere,
  platform = process.platform,
  owner: Owner | null = null,
): Finding {
  const weak = (found: string, remedy: string): Finding => ({
    what: 'bubblewrap',
    state: 'weak',
    found,
    remedy,
  })
  if (platform !== 'linux')
    return weak(`not on ${platform}`, 'Agents run without a box here. Use Linux if a policy requires one.')
  const version = run('bwrap', ['--version'])?.stdout.replace('bubblewrap', '').trim()
  if (version === undefined)
    return weak(
      'none',
      'Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap).',
    )
  const [program, ...before] = owner ? [...setprivArguments(owner), 'bwrap'] : ['bwrap']
  const tried = run(program!, [
    ...before,
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--die-with-parent', '--ro-bind', '/', '/'],
    ...['--proc', '/proc', 'true'],
  ])
  if (tried?.status === 0) return { what: 'bubblewrap', state: 'fine', found: version, remedy: null }
  return weak(`${version}, cannot create a box`, remedyOf(tried?.stderr ?? ''))
}

/** A second box, which is needed only where a policy or the operator asks for it. */
export function findGvisor(isAsked: boolean, run: Run = runHere): Finding[] {
  const told = run('runsc', ['--version'])?.stdout
  const version = /runsc version (\S+)/.exec(told ?? '')?.[1]
  const finding = (state: Finding['state'], found: string, remedy: string | null): Finding[] => [
    { what: 'gvisor', state, found, remedy },
  ]
  if (version === undefined)
    return isAsked
      ? finding(
          'lacking',
          'none',
          'Install runsc (apt install runsc on Debian 13 or later, or from gvisor.dev).',
        )
      : []
  const flags = run('runsc', ['flags'])
  if (!`${flags?.stdout}${flags?.stderr}`.includes('-directfs'))
    return finding(
      isAsked ? 'lacking' : 'weak',
      `${version}, too old`,
      'Install runsc of 2023 or later: this one cannot run the programs of a current system.',
    )
  return finding('fine', isAsked ? version : `${version}, used with --box gvisor`, null)
}

/** Needed only by repositories whose work runs in an image. */
export function findImages(box: string | null, run: Run = runHere, platform = process.platform): Finding[] {
  const found = (state: Finding['state'], what: string, remedy: string | null): Finding[] => [
    { what: 'images', state, found: what, remedy },
  ]
  if (platform !== 'linux') return []
  const version = run('podman', ['--version'])?.stdout.replace('podman version', '').trim()
  if (version === undefined)
    return found(
      'fine',
      'none: no podman',
      'For repositories whose work runs in an image, install podman (apt install podman, dnf install podman).',
    )
  if (box === 'gvisor' || box === 'none')
    return found('weak', `none with --box ${box}`, 'Work runs in an image only in a box of bubblewrap.')
  if (run('bwrap', ['--version']) === null)
    return found('weak', 'none: no bubblewrap', 'Work runs in an image only in a box of bubblewrap.')
  return found('fine', `podman ${version}`, null)
}

/** What a box has in addition to its isolation. */
export function findFilter(
  arch: string = process.arch,
  keyctl: boolean = hasKeyctl(),
  platform = process.platform,
): Finding[] {
  if (platform !== 'linux') return []
  const filter = seccompForThisMachine(arch) !== null
  const found = [
    filter ? 'kernel calls filtered' : `no filter for ${arch}`,
    keyctl ? 'its own keyring' : "the runner's keyring, out of reach",
  ].join(', ')
  if (filter && keyctl) return [{ what: 'kernel', state: 'fine', found, remedy: null }]
  const remedy = filter
    ? 'Install keyutils (apt install keyutils) to give each box its own keyring.'
    : 'Use x86_64 or arm64 to have kernel calls filtered.'
  return [{ what: 'kernel', state: 'weak', found, remedy }]
}

const appArmor = [
  "Ubuntu's AppArmor doesn't let it create namespaces. As root:",
  'apt install apparmor-profiles',
  'cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/',
  'apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict',
].join('\n')

function remedyOf(complaint: string): string {
  if (/uid map: Permission denied|RTM_NEWADDR/i.test(complaint) || isRestricted()) return appArmor
  if (existsSync('/.dockerenv') || /No permissions to create|Operation not permitted/i.test(complaint))
    return 'The container does not allow namespaces, so the container itself is the box: start a fresh one for each work order, or run the runner outside of it.'
  return `It says: ${complaint.trim().split('\n')[0] || 'nothing'}`
}

function isRestricted(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', 'utf8').trim() === '1'
  } catch {
    return false
  }
}

/** What one order may take of the machine, and what of it the kernel holds. */
export function findLimits(
  { memoryBytes, processes, fileBytes }: ResourceLimits,
  { nice, prlimit, cgroups }: LimitTools = detectLimitTools(),
  platform = process.platform,
): Finding {
  if (platform !== 'linux')
    return {
      what: 'limits',
      state: 'weak',
      found: `none on ${platform}`,
      remedy: 'Agents can use all of the memory here. Use Linux where that matters.',
    }
  const found = [
    `${formatBytes(memoryBytes)} of memory (${cgroups ? 'cgroup' : 'watched'})`,
    `${processes} processes (${cgroups ? 'cgroup' : prlimit ? 'enforced by the kernel in a box, otherwise watched' : 'watched'})`,
    ...(prlimit ? [`files up to ${formatBytes(fileBytes)}`] : []),
    ...(nice ? ['low priority'] : []),
  ].join(', ')
  if (prlimit && nice)
    return {
      ...{ what: 'limits', state: 'fine', found },
      remedy: cgroups
        ? null
        : 'To have the kernel enforce the memory limit, give the runner a cgroup: Delegate=yes in its systemd unit.',
    }
  return {
    what: 'limits',
    state: 'weak',
    found,
    remedy:
      'Install prlimit and nice (apt install util-linux coreutils): without them only memory and processes are limited.',
  }
}

export function findAgents(executors: RunnerExecutor[]): Finding {
  if (executors.length === 0)
    return {
      what: 'agents',
      state: 'weak',
      found: 'none',
      remedy:
        'Install a coding agent, such as npm install -g @anthropic-ai/claude-code, @openai/codex or @google/gemini-cli.',
    }
  const found = executors.map(({ name, via, version }) =>
    `${name} ${version ?? ''} (${via})`.replace('  ', ' '),
  )
  return { what: 'agents', state: 'fine', found: found.join(', '), remedy: null }
}

const neededGb = 1

export function findDisk(folder: string): Finding {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = statfsSync(folder)
  const free = (bavail * bsize) / 1_000_000_000
  const found = `${free.toFixed(1)} GB free at ${folder}`
  if (free >= neededGb) return { what: 'disk', state: 'fine', found, remedy: null }
  return {
    what: 'disk',
    state: 'lacking',
    found,
    remedy: `The runner takes no work below ${neededGb} GB. Free up space, or choose another disk with --data.`,
  }
}
