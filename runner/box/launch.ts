import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { isReachable, type Owner } from './owner.ts'

/** What stands before the program that makes the box. */
export interface Launch {
  /** Joins a session keyring of its own, where a program for that is there. */
  keyctl: boolean
  /** Null: the runner's own user. */
  owner: Owner | null
  /** Files of cgroups to join. */
  cgroups: readonly string[]
  /** What the owner could not reach by its own path. */
  sources: readonly string[]
}

/** Where sources are put that the owner could not reach by their own path. Only root can write above it. */
const stage = existsSync('/run') ? '/run/signalbox-stage' : '/tmp/signalbox-stage'

/**
 * One shell that becomes the box: it joins the order's cgroups, a keyring of its own, and, when the runner is root, a
 * view of the disk in which the sources stand where an ordinary user gets to them; then it becomes that user. Root's
 * own folders let no one pass, so that without the view none of what is bound could be found.
 */
const script = `
set -e
while [ "$1" != -- ]; do echo 0 > "$1"; shift; done; shift
if [ "$1" = stage ]; then
  shift; mount -t tmpfs -o size=1m,mode=755 signalbox ${stage}; n=0
  while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir ${stage}/$n; else : > ${stage}/$n; fi
    mount --rbind "$1" ${stage}/$n; n=$((n+1)); shift
  done; shift
fi
if [ "$1" = keyring ]; then shift; exec keyctl session - /bin/sh -c 'exec "$@" 2>&9 9>&-' sh "$@" 9>&2 2>/dev/null; fi
exec "$@"
`

/** The whole command. */
export function launchCommand(command: string[], { keyctl, owner, cgroups, sources }: Launch): string[] {
  if (!owner && !keyctl && cgroups.length === 0) return command
  if (sources.length > 0) mkdirSync(stage, { recursive: true, mode: 0o755 })
  return [
    ...(sources.length > 0 ? ['unshare', '--mount', '--propagation', 'private', '--'] : []),
    ...['/bin/sh', '-c', script, 'sh', ...cgroups, '--'],
    ...(sources.length > 0 ? ['stage', ...sources, '--'] : []),
    ...(keyctl ? ['keyring'] : []),
    ...(owner ? setprivArguments(owner) : []),
    ...command,
  ]
}

/** Nothing of root's stays: with the user its capabilities go, and its groups. */
export const setprivArguments = ({ uid, gid }: Owner): string[] => [
  ...['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--inh-caps=-all', '--'],
]

/** Whether a keyring can be joined here. Without it the one of the runner stays, and the box's filter keeps it shut. */
export const hasKeyctl = (): boolean =>
  spawnSync('keyctl', ['session', '-', 'true'], { stdio: 'ignore', timeout: 10_000 }).status === 0

/** How many words follow each option that we use: a value may look like an option. */
const words: Record<string, number> = dictionary({
  ...{ '--bind': 2, '--ro-bind': 2, '--ro-bind-try': 2, '--ro-bind-data': 2, '--symlink': 2, '--setenv': 2 },
  ...{ '--proc': 1, '--dev': 1, '--tmpfs': 1, '--size': 1, '--perms': 1, '--remount-ro': 1, '--chdir': 1 },
  ...{ '--cap-drop': 1, '--cap-add': 1, '--info-fd': 1, '--seccomp': 1, '--dir': 1, '--uid': 1, '--gid': 1 },
})
export const argumentCount = (option: string): number => words[option] ?? 0

const binds = ['--bind', '--ro-bind', '--ro-bind-try']

/** Which sources have to be put elsewhere, and the arguments with their new places. */
export function stageSources(owner: Owner, args: string[]): { sources: string[]; staged: string[] } {
  const sources: string[] = []
  const staged = [...args]
  for (let at = 0; at < args.length && args[at] !== '--'; at += 1 + argumentCount(args[at]!)) {
    const source = args[at + 1]!
    if (!binds.includes(args[at]!) || !existsSync(source) || isReachable(owner, source)) continue
    let root = sources.findIndex((each) => source === each || source.startsWith(`${each}/`))
    if (root < 0) root = sources.push(source) - 1
    staged[at + 1] = `${stage}/${root}${source.slice(sources[root]!.length)}`
  }
  return { sources, staged }
}
