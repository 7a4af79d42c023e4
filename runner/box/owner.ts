import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { ExitError, exitCodes } from '../exit-error.ts'

/** Whose a process is, and whose what it may write to. */
export interface Owner {
  uid: number
  gid: number
}

/** A user of that name is taken where there is one: files then belong to someone with a name. */
const usualName = 'signalbox'

/** Below those that services get for a while, and above people's. No entry in /etc/passwd is needed. */
const firstNameless = 61_184
const lastNameless = 65_519

/** Asks the machine for `id` and `getent`; null: no such user. */
export type AskUsers = (program: 'id' | 'getent', ...args: string[]) => string | null

const askHere: AskUsers = (program, ...args) => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

/**
 * Whom a runner that is root works as wherever it runs something or hands out a tree: root inside a box still owns what
 * root owns outside. Null: the runner is an ordinary user, and stays what it is.
 */
export function chooseOwner(
  given: string | null,
  uid: number | undefined = process.getuid?.(),
  ask: AskUsers = askHere,
): Owner | null {
  if (uid !== 0) {
    if (given !== null)
      throw new ExitError(
        '--user only works if root starts the runner. Leave it out: this runner runs as the user who started it.',
        exitCodes.usage,
      )
    return null
  }
  const named = userCalled(given ?? usualName, ask)
  if (named?.uid === 0)
    throw new ExitError(`--user ${given} is root. Name an ordinary user.`, exitCodes.usage)
  if (named) return named
  if (given !== null)
    throw new ExitError(
      `--user ${given} is not a user on this machine. Create it: useradd --system ${given}`,
      exitCodes.usage,
    )
  for (let free = firstNameless; free <= lastNameless; free++)
    if (ask('getent', 'passwd', String(free)) === null) return { uid: free, gid: free }
  throw new ExitError(
    `No unused user ID was found. Create a user for the runner: useradd --system ${usualName}`,
  )
}

function userCalled(name: string, ask: AskUsers): Owner | null {
  const [uid, gid] = [ask('id', '-u', name), ask('id', '-g', name)]
  return uid === null || gid === null ? null : { uid: Number(uid), gid: Number(gid) }
}

/** Whether a user gets to a path: every folder above it lets it pass. */
export function isReachable({ uid, gid }: Owner, file: string): boolean {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (!stat) return false
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001
    if ((stat.mode & bit) === 0) return false
    if (folder === path.dirname(folder)) return true
  }
}
