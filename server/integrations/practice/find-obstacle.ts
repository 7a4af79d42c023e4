import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { PracticeObstacle } from '@signalbox/contract/app/practice.ts'

/** What every box of the runner's is made of. Whether it holds is measured by the runner when it starts. */
const tryBox = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--die-with-parent'],
  ...['--ro-bind', '/', '/', '--proc', '/proc', 'true'],
]

const mostMs = 10_000

export interface Machine {
  searchPath: string
  platform: NodeJS.Platform
  isRoot: boolean
}

const thisMachine = (): Machine => ({
  searchPath: process.env.PATH ?? '',
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
})

/**
 * What keeps the practice runner from boxing its agent here, before anyone is offered it; null: nothing is known to. Its
 * agent is ours and scripted, but gates and stories tell it what to run, so it never works without a box.
 */
export async function findObstacle(machine: Machine = thisMachine()): Promise<PracticeObstacle | null> {
  const { searchPath, platform } = machine
  if (platform !== 'linux')
    return { why: 'The agent works in a sandbox, which needs Linux on the server’s machine.', line: null }
  try {
    await promisify(execFile)('bwrap', tryBox, { env: { PATH: searchPath }, timeout: mostMs })
    return null
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    if (code === 'ENOENT')
      return {
        why: 'The agent works in a sandbox, which needs bubblewrap on the server’s machine.',
        line: await installLine(machine),
      }
    const said = stderr.trim().split('\n').at(-1)
    return {
      why: `bubblewrap is installed on the server’s machine but can’t create a sandbox there${said ? ` (${said})` : ''}.`,
      line: null,
    }
  }
}

const installers = {
  'apt-get': 'apt-get install bubblewrap',
  dnf: 'dnf install bubblewrap',
  apk: 'apk add bubblewrap',
}

async function installLine({ searchPath, isRoot }: Machine): Promise<string | null> {
  for (const [program, line] of Object.entries(installers))
    if (await isThere(program, searchPath)) return isRoot ? line : `sudo ${line}`
  return null
}

const isThere = async (program: string, searchPath: string): Promise<boolean> => {
  const tries = searchPath
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map((folder) => access(path.join(folder, program), constants.X_OK).then(() => true))
  return Promise.any(tries).catch(() => false)
}
