import { execFile } from 'node:child_process'
import { closedEnvironment, closedSettings } from '../../closed-git.ts'

/** Closed git for the repositories of the operator, also to write in them. */
const settings = [...closedSettings, 'core.ignoreCase=false', 'commit.gpgSign=false']

export interface GitOutput {
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
): Promise<GitOutput> =>
  new Promise((resolve, reject) => {
    const all = [...settings.flatMap((setting) => ['-c', setting]), ...command]
    const child = execFile(
      'git',
      all,
      { env: { ...closedEnvironment, ...env }, timeout: timeoutMs, maxBuffer: mostBytes },
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
