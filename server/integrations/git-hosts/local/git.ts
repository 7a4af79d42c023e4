import { execFile } from 'node:child_process'

/**
 * Git for the repositories of the operator: nothing of our environment reaches it, it never prompts, runs no hook, and
 * talks to no other machine. Repository settings that could run something are switched off.
 */

const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.ignoreCase=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'submodule.recurse=false',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  // Whose folder it is was looked at: it is one that the operator allows.
  'safe.directory=*',
]

const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_LAZY_FETCH: '1',
}

export interface Said {
  code: number
  out: string
  err: string
}

const timeoutMs = 60_000
const mostBytes = 64 * 1024 * 1024

/** Runs git and returns how it ended; use `gitOutput` if there is only one good outcome. */
export const git = (
  command: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Said> =>
  new Promise((resolve, reject) => {
    const all = [...settings.flatMap((setting) => ['-c', setting]), ...command]
    const child = execFile(
      'git',
      all,
      { env: { ...environment, ...env }, timeout: timeoutMs, maxBuffer: mostBytes },
      (error, out, err) => {
        if (!error) resolve({ code: 0, out, err })
        else if (typeof error.code === 'number') resolve({ code: error.code, out, err })
        else reject(new Error(`git could not be run: ${error.message.slice(0, 500)}`))
      },
    )
    // It may have ended without reading.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/** What git prints; anything but success is an error. */
export async function gitOutput(...given: Parameters<typeof git>): Promise<string> {
  const { code, out, err } = await git(...given)
  if (code !== 0) throw new Error(`git ${nameOf(given[0])} failed: ${err.trim().slice(0, 500)}`)
  return out.trim()
}

const nameOf = (command: readonly string[]) => command.find((word) => /^[a-z][a-z-]+$/.test(word)) ?? ''
