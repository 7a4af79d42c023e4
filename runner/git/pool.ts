import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Box } from '../box/box.ts'
import type { Trash } from '../disk/trash.ts'
import type { Intake } from './git.ts'
import type { Lock } from './lock.ts'
import { discard, GitWorktree, leftIn, markOf, usedAt } from './worktree.ts'

/** Ready for the next ones; more than that is room on the disk that someone else needs. */
const mostWarm = 4

export interface PoolOptions {
  /** With `worktrees`, and `admin` for what is kept of each out of everyone's reach. */
  folder: string
  emptyGit: string
  box: Box
  trash: Trash
  lock: Lock
  mark: Record<string, string>
  now: () => Date
}

/** For whom a worktree is taken. */
export interface Taker {
  run: string
  intake: Intake
  /** The worktree that the run has left there, if it has, goes on as it is. */
  resumes: boolean
}

/** The worktrees of a repository: made once, cleaned and given to the next. */
export class Pool {
  readonly #options: PoolOptions
  /** By id; the one that was used last is at the end. */
  readonly #free: string[] = []
  #inUse = 0

  constructor(options: PoolOptions) {
    this.#options = options
  }

  get isInUse(): boolean {
    return this.#inUse > 0
  }

  /** What an earlier process has left: all of it is free, and half of one is none. */
  async open(): Promise<void> {
    const { folder, trash } = this.#options
    const [worktrees, admin] = ['worktrees', 'admin'].map((name) => path.join(folder, name))
    for (const made of [worktrees!, admin!]) await mkdir(made, { recursive: true })
    const [known, folders] = [await readdir(admin!), await readdir(worktrees!)]
    for (const id of known)
      if (folders.includes(id)) this.#free.push(id)
      else await trash.put(path.join(admin!, id))
    for (const id of folders) if (!known.includes(id)) await trash.put(path.join(worktrees!, id))
    const used = new Map(
      await Promise.all(this.#free.map(async (id) => [id, await usedAt(this.#admin(id))] as const)),
    )
    this.#free.sort((a, b) => used.get(a)! - used.get(b)!)
  }

  async checkout(commit: string, taker: Taker): Promise<GitWorktree> {
    this.#inUse += 1
    try {
      return (await this.#warm(commit, taker)) ?? (await this.#fresh(commit, taker))
    } catch (error) {
      this.#inUse -= 1
      throw error
    }
  }

  async #warm(commit: string, taker: Taker): Promise<GitWorktree | null> {
    const warm = await this.#options.lock.hold(() => this.#takeWarm(commit, taker))
    if (!warm) return null
    const worktree = this.#worktree(warm.id, taker)
    try {
      await (warm.isOwn ? worktree.resume(commit) : worktree.reset(commit))
      return worktree
    } catch {
      // Whatever was done to it, a new one has not been through it.
      await this.#options.lock.hold(() => this.#discard(warm.id))
      return null
    }
  }

  async #fresh(commit: string, taker: Taker): Promise<GitWorktree> {
    const id = `w${randomBytes(6).toString('hex')}`
    for (const made of [this.#admin(id), this.#folder(id)]) await mkdir(made)
    const worktree = this.#worktree(id, taker)
    await worktree.reset(commit)
    return worktree
  }

  #folder = (id: string) => path.join(this.#options.folder, 'worktrees', id)
  #admin = (id: string) => path.join(this.#options.folder, 'admin', id)

  #worktree(id: string, { run, intake }: Taker): GitWorktree {
    const { emptyGit, box, trash, mark, now } = this.#options
    const room = { folder: this.#folder(id), admin: this.#admin(id), emptyGit, box, trash, mark, now }
    return new GitWorktree({ ...room, giveBack: () => this.#takeBack(id) }, run, intake)
  }

  /** The run's own as it left it, else the one used last that no run may come back to, else the oldest of too many. */
  async #takeWarm(commit: string, { run, resumes }: Taker): Promise<{ id: string; isOwn: boolean } | null> {
    const lefts = await Promise.all(this.#free.map((id) => leftIn(this.#admin(id))))
    const take = (at: number, isOwn: boolean) => {
      const [id] = this.#free.splice(at, 1)
      return id === undefined ? null : { id, isOwn }
    }
    const own = lefts.findIndex((left) => resumes && left !== null && left.run === run)
    if (own >= 0) return take(own, lefts[own]!.head === commit)
    const anybodys = lefts.lastIndexOf(null)
    if (anybodys >= 0) return take(anybodys, false)
    return lefts.length < mostWarm ? null : take(0, false)
  }

  async letGo(run: string): Promise<void> {
    await this.#options.lock.hold(async () => {
      for (const id of this.#free) {
        const admin = this.#admin(id)
        if ((await leftIn(admin))?.run === run) await writeFile(markOf(admin), '')
      }
    })
  }

  async #takeBack(id: string): Promise<void> {
    this.#inUse -= 1
    await this.#options.lock.hold(async () => {
      this.#free.push(id)
      if (this.#free.length > mostWarm) await this.#discard(this.#free.shift()!)
    })
  }

  /** Unused worktrees, the oldest first, with the time of their last use. */
  idle(): Promise<{ id: string; usedAt: number }[]> {
    return Promise.all(this.#free.map(async (id) => ({ id, usedAt: await usedAt(this.#admin(id)) })))
  }

  /** Into the trash, unless someone has taken it by now. */
  drop(id: string): Promise<boolean> {
    return this.#options.lock.hold(async () => {
      const at = this.#free.indexOf(id)
      if (at < 0) return false
      this.#free.splice(at, 1)
      await this.#discard(id)
      return true
    })
  }

  #discard(id: string): Promise<void> {
    return discard({ folder: this.#folder(id), admin: this.#admin(id), trash: this.#options.trash })
  }
}
