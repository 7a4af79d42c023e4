import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const files = path.join(import.meta.dirname, 'halden-parcels', 'labels', 'repository')

/** Nothing of whoever starts the demo goes into its commits. */
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

/** Makes the bare repository that the demo's real run works on, once. */
export async function makeRepository(folder: string): Promise<string> {
  const bare = path.join(folder, 'label-tools.git')
  if (existsSync(bare)) return bare
  await mkdir(folder, { recursive: true })
  const worktree = await mkdtemp(path.join(folder, 'new-'))
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: worktree, env: environment })
  try {
    await cp(files, worktree, { recursive: true })
    await git('init', '--quiet', '--initial-branch=main')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'Labels as plain text')
    const unfinished = path.join(worktree, 'label-tools.git')
    await git('clone', '--quiet', '--bare', '--no-local', worktree, unfinished)
    await rename(unfinished, bare)
  } finally {
    await rm(worktree, { recursive: true, force: true })
  }
  return bare
}
