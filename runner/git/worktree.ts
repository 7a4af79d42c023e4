import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Left, Worktree } from './git.ts'
import { commitMessage } from './message.ts'
import { type GitOptions, git, gitLine } from './run.ts'
import type { Trash } from './trash.ts'

interface Room {
  folder: string
  /** The store's administrative folder of this worktree: the runner's index and HEAD, out of the agent's reach. */
  gitDir: string
  objects: string
  trash: Trash
  /** By which processes of git are found that outlive their runner. */
  mark: Record<string, string>
  now: () => Date
  giveBack: (worktree: GitWorktree) => Promise<void>
}

/** What stands in the worktree cannot be taken in; the message says what it is. */
export class Unacceptable extends Error {}

const mostOfAFile = 100 * 1024 * 1024
const mostOfAll = 500 * 1024 * 1024

/** Makes one that is not filled yet, and says its name. Locked: git would take it for abandoned, whose `.git` is another. */
export async function newWorktree(options: GitOptions, folder: string, commit: string): Promise<string> {
  const id = `w${randomBytes(6).toString('hex')}`
  const flags = ['--quiet', '--detach', '--no-checkout', '--lock']
  await git(['worktree', 'add', ...flags, path.join(folder, id), commit], options)
  return id
}

export class GitWorktree implements Worktree {
  readonly folder: string
  readonly #room: Room
  #isReleased = false
  /** What stands there, until something else is put there. */
  #head: string | null = null

  constructor(room: Room) {
    this.folder = room.folder
    this.#room = room
  }

  #at(options: Partial<GitOptions> = {}): GitOptions {
    const environment = { ...this.#room.mark, ...options.environment }
    return { gitDir: this.#room.gitDir, workTree: this.folder, ...options, environment }
  }

  async reset(commit: string): Promise<void> {
    await this.#put(commit, '-ffdx')
  }

  /** As the run that left it at this commit knows it: with what git ignores, such as what was installed or built. */
  async resume(commit: string): Promise<void> {
    await this.#put(commit, '-ffd')
  }

  async #put(commit: string, clean: string): Promise<void> {
    this.#head = null
    // Killed from here on, it is as nobody has left it.
    await this.letGo()
    await this.#room.trash.put(path.join(this.folder, '.git'))
    await rm(path.join(this.#room.gitDir, 'index.lock'), { force: true })
    await git(['reset', '--quiet', '--hard', commit], this.#at())
    await git(['clean', '--quiet', clean], this.#at())
    await this.#giveAgentItsGit(commit)
  }

  /**
   * A small repository that borrows the store's objects: the agent may commit, configure and break in it what it likes.
   * The runner never looks into it.
   */
  async #giveAgentItsGit(commit: string): Promise<void> {
    const folder = path.join(this.folder, '.git')
    for (const part of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
      await mkdir(path.join(folder, part), { recursive: true })
    const config = [
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
      '[gc]\n\tauto = 0\n',
      '[user]\n\tname = Agent\n\temail = agent@signalbox.invalid\n',
    ]
    await Promise.all([
      writeFile(path.join(folder, 'HEAD'), 'ref: refs/heads/work\n'),
      writeFile(path.join(folder, 'refs/heads/work'), `${commit}\n`),
      writeFile(path.join(folder, 'config'), config.join('')),
      writeFile(path.join(folder, 'objects/info/alternates'), `${this.#room.objects}\n`),
      // It tells git which files are as they were, so that the agent's first look costs little.
      copyFile(path.join(this.#room.gitDir, 'index'), path.join(folder, 'index'), constants.COPYFILE_FICLONE),
    ])
  }

  async tree({ fresh = false }: { fresh?: boolean } = {}): Promise<string> {
    const kept = path.join(this.#room.gitDir, 'index')
    if (!fresh) return this.#write(kept)
    const index = path.join(this.#room.gitDir, 'index.fresh')
    await rm(index, { force: true })
    // Not an empty one: what is tracked and ignored would be missing.
    await git(['read-tree', 'HEAD'], this.#at({ index }))
    const tree = await this.#write(index)
    await rename(index, kept)
    return tree
  }

  async #write(index: string): Promise<string> {
    await this.#weigh(index)
    await git(['add', '--all', '--', '.'], this.#at({ index })).catch((error) => {
      throw new Unacceptable(`What stands in the worktree cannot be taken in. ${error.message}`)
    })
    return gitLine(['write-tree'], this.#at({ index }))
  }

  /** Before anything is stored: an agent can write more than a store should hold. */
  async #weigh(index: string): Promise<void> {
    const look = ['ls-files', '-z', '--others', '--modified', '--exclude-standard']
    const paths = (await git(look, this.#at({ index }))).toString('latin1').split('\0').slice(0, -1)
    let all = 0
    for (const name of paths) {
      if (name.endsWith('/')) throw new Unacceptable(`${shown(name)} is a git repository of its own.`)
      const file = Buffer.concat([Buffer.from(`${this.folder}/`), Buffer.from(name, 'latin1')])
      const size = await lstat(file).then(
        (found) => found.size,
        () => 0,
      )
      if (size > mostOfAFile)
        throw new Unacceptable(`${shown(name)} is larger than ${mostOfAFile / 1024 / 1024} MB.`)
      all += size
    }
    if (all > mostOfAll) throw new Unacceptable(`What changed is larger than ${mostOfAll / 1024 / 1024} MB.`)
  }

  async commit(parent: string, message: string): Promise<string> {
    // Whatever was done to the times of files, each is read once more.
    const tree = await this.tree({ fresh: true })
    const seconds = Math.floor(this.#room.now().getTime() / 1_000)
    const who = { NAME: 'Signalbox', EMAIL: 'noreply@signalbox.invalid', DATE: `@${seconds} +0000` }
    const environment = Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    )
    const input = commitMessage(message)
    const commit = await gitLine(['commit-tree', tree, '-p', parent], this.#at({ environment, input }))
    await git(['update-ref', '--no-deref', 'HEAD', commit], this.#at())
    this.#head = commit
    return commit
  }

  async release(run?: string): Promise<void> {
    if (this.#isReleased) return
    this.#isReleased = true
    const now = this.#room.now()
    const left = run && this.#head ? JSON.stringify({ run, head: this.#head } satisfies Left) : ''
    await writeFile(this.#mark, left)
    await utimes(this.#mark, now, now)
    await this.#room.giveBack(this)
  }

  /** The run that it is kept for, and where that left it. */
  async left(): Promise<Left | null> {
    try {
      return JSON.parse(await readFile(this.#mark, 'utf8'))
    } catch {
      return null
    }
  }

  async letGo(): Promise<void> {
    await writeFile(this.#mark, '')
  }

  get #mark(): string {
    return path.join(this.#room.gitDir, 'signalbox-used')
  }

  /** When it was given back last; in milliseconds. */
  async usedAt(): Promise<number> {
    return stat(this.#mark).then(
      (found) => found.mtimeMs,
      () => 0,
    )
  }

  async discard(): Promise<void> {
    await this.#room.trash.put(this.folder)
    await rm(this.#room.gitDir, { recursive: true, force: true })
  }
}

const shown = (latin1: string) => JSON.stringify(Buffer.from(latin1, 'latin1').toString())
