import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { PracticeObstacle } from '@signalbox/contract/app/practice.ts'
import type { PracticeGround } from '../../domain/ports/practice-ground.ts'
import { findObstacle } from './find-obstacle.ts'

const files = path.join(import.meta.dirname, 'repository')

/** What the scripted agent does: data, played in place of a language model. */
export const practiceScript = path.join(import.meta.dirname, 'script.json')

/** Nothing of the person who runs the server goes into the commits. */
const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Signalbox practice',
  GIT_AUTHOR_EMAIL: 'practice@example.com',
  GIT_COMMITTER_NAME: 'Signalbox practice',
  GIT_COMMITTER_EMAIL: 'practice@example.com',
})

export class PracticeFolders implements PracticeGround {
  /** Repositories in it may be used; it is there before anyone is asked for one. */
  readonly root: string
  #canBox = false

  constructor(dataDir: string) {
    this.root = path.join(dataDir, 'practice')
    mkdirSync(this.root, { recursive: true })
  }

  readonly isFolder = (name: string): boolean => /^[0-9a-f]{32}$/.test(name)

  readonly pathOf = (folder: string): string => {
    if (!this.isFolder(folder)) throw new Error(`${folder} is not the folder of a practice project.`)
    return path.join(this.root, folder)
  }

  /** Checked each time someone looks, so that what was installed since is seen; what works is not asked again. */
  async obstacle(): Promise<PracticeObstacle | null> {
    if (this.#canBox) return null
    const obstacle = await findObstacle()
    this.#canBox = obstacle === null
    return obstacle
  }

  async prepare() {
    const folder = randomBytes(16).toString('hex')
    const address = path.join(this.pathOf(folder), 'repositories', 'practice-shop.git')
    await mkdir(path.dirname(address), { recursive: true })
    const worktree = await mkdtemp(path.join(this.pathOf(folder), 'new-'))
    const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: worktree, env: environment() })
    try {
      await cp(files, worktree, { recursive: true })
      await git('init', '--quiet', '--initial-branch=main')
      await git('add', '--all')
      await git('commit', '--quiet', '--message', 'Receipts as plain text')
      await git('clone', '--quiet', '--bare', '--no-local', worktree, address)
    } finally {
      await rm(worktree, { recursive: true, force: true })
    }
    return { folder, address, branch: 'main' }
  }

  async clear(folder: string): Promise<void> {
    await rm(this.pathOf(folder), { recursive: true, force: true, maxRetries: 5 })
  }
}
