import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { GitBehind } from './git-server.ts'

/** Keeps the settings of the person running the tests out of the commits. */
const environment = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Signalbox demo',
  GIT_AUTHOR_EMAIL: 'demo@example.com',
  GIT_COMMITTER_NAME: 'Signalbox demo',
  GIT_COMMITTER_EMAIL: 'demo@example.com',
}

/** Makes a bare repository with one commit of these files, once, and returns where it is. */
export async function makeRepository(
  folder: string,
  name: string,
  { files, message }: { files: string; message: string },
): Promise<string> {
  const bare = path.join(folder, `${name}.git`)
  if (existsSync(bare)) return bare
  await mkdir(folder, { recursive: true })
  const worktree = await mkdtemp(path.join(folder, 'new-'))
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: worktree, env: environment })
  try {
    await cp(files, worktree, { recursive: true })
    await git('init', '--quiet', '--initial-branch=main')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', message)
    const unfinished = path.join(worktree, `${name}.git`)
    await git('clone', '--quiet', '--bare', '--no-local', worktree, unfinished)
    await rename(unfinished, bare)
  } finally {
    await rm(worktree, { recursive: true, force: true })
  }
  return bare
}

/** What a git host has of a bare repository. */
export function gitIn(bare: string): GitBehind {
  const git = (...command: string[]) =>
    execFileSync('git', [`--git-dir=${bare}`, ...command], {
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  return {
    bare,
    git,
    tip(branch) {
      try {
        return git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
      } catch {
        return null
      }
    },
  }
}
