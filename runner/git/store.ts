import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Box } from '../box/box.ts'
import { cleanIn } from '../box/clean.ts'
import { Trash } from '../disk/trash.ts'
import type { Access } from './git.ts'
import { Lock } from './lock.ts'
import { checkedBranch, checkedId, nameOf, workRef } from './names.ts'
import { Pool } from './pool.ts'
import { reachOf } from './reach.ts'
import { type GitOptions, git, gitLine } from './run.ts'
import { fetching, RunRepository } from './run-repository.ts'

export interface StoreOptions {
  /** Folders that the operator of the runner lets git read from and write to. */
  allow: readonly string[]
  now: () => Date
  /** Where git looks at worktrees, and where they are removed. */
  box: Box
  /** A file with the authorities that this process believes, where they are not those of the machine. */
  authorities?: string | null
  /** In the environment of every git, so that one which outlives its runner is found. */
  mark?: Record<string, string>
}

const minute = 60_000
const mostLoose = 5_000
const mostPacks = 40

/**
 * One repository on this machine: the history that everyone begins from, a folder for each run with what it alone has
 * made, and the worktrees. Looks go on beside each other; what changes refs or worktrees goes one after the other,
 * since git would trip over its own locks.
 */
export class GitStore {
  readonly folder: string
  readonly trash: Trash
  readonly pool: Pool
  readonly #gitDir: string
  readonly #options: StoreOptions
  readonly #lock = new Lock()
  readonly #runs = new Map<string, RunRepository>()

  private constructor(folder: string, options: StoreOptions) {
    this.folder = folder
    this.#gitDir = path.join(folder, 'store.git')
    this.trash = new Trash(path.join(folder, 'trash'), cleanIn(options.box))
    this.#options = options
    const { box, now, mark = {} } = options
    const emptyGit = path.join(folder, 'empty.git')
    this.pool = new Pool({ folder, emptyGit, box, now, mark, trash: this.trash, lock: this.#lock })
  }

  /** The folder is this process's alone: locks that lie in it are left over from one that was killed. */
  static async open(folder: string, options: StoreOptions): Promise<GitStore> {
    const store = new GitStore(folder, options)
    await mkdir(path.join(folder, 'runs'), { recursive: true })
    if (!existsSync(path.join(store.#gitDir, 'complete'))) await store.#create()
    await bareGit(path.join(folder, 'empty.git'), [])
    await store.#tidyUp()
    return store
  }

  async #create(): Promise<void> {
    await this.trash.put(this.#gitDir)
    const fresh = `${this.#gitDir}-${randomBytes(4).toString('hex')}`
    await mkdir(path.join(fresh, 'complete'), { recursive: true })
    await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=none'], { gitDir: fresh })
    for (const [key, value] of [
      ['gc.auto', '0'],
      ['core.logAllRefUpdates', 'false'],
    ] as const)
      await git(['config', key, value], { gitDir: fresh })
    await rename(fresh, this.#gitDir)
  }

  async #tidyUp(): Promise<void> {
    // A store of before kept its worktrees in git's own way, and what runs made beside the history.
    await this.trash.put(path.join(this.#gitDir, 'worktrees'))
    const runs = (await readdir(path.join(this.folder, 'runs'))).map((name) => this.#runGit(name))
    for (const gitDir of [this.#gitDir, ...runs])
      for (const [folder, recursive] of [
        [gitDir, false],
        [path.join(gitDir, 'refs'), true],
      ] as const)
        for (const file of await readdir(folder, { recursive }).catch((): string[] => []))
          if (file.endsWith('.lock')) await rm(path.join(folder, file), { force: true })
    await this.pool.open()
  }

  #at(options: Partial<GitOptions> = {}, gitDir = this.#gitDir): GitOptions {
    const environment = { ...this.#options.mark, ...options.environment }
    return { gitDir, ...options, environment }
  }

  #runGit = (name: string) => path.join(this.folder, 'runs', name, 'run.git')

  /** The repository as a run sees it. */
  async forRun(run: string): Promise<RunRepository> {
    const name = nameOf(run)
    const gitDir = this.#runGit(name)
    await bareGit(gitDir, [path.join(this.#gitDir, 'objects')])
    const now = this.#options.now()
    await utimes(path.dirname(gitDir), now, now)
    const known = this.#runs.get(run) ?? this.#openRun(run, gitDir)
    this.#runs.set(run, known)
    return known
  }

  #openRun(run: string, gitDir: string): RunRepository {
    const shared = {
      objects: path.join(this.#gitDir, 'objects'),
      pool: this.pool,
      now: this.#options.now,
      fetch: (access: Access, from: { branch: string } | { commit: string }) =>
        this.#fetch(run, access, from),
      reach: (access: Access) => reachOf(access, this.#options),
      forget: (which: string) => this.#forgetRun(which),
    }
    return new RunRepository(run, path.dirname(gitDir), shared, (options) => this.#at(options, gitDir))
  }

  /** What a run begins from is kept for as long as the run is, wherever the branch has gone since. */
  async #fetch(run: string, access: Access, from: { branch: string } | { commit: string }): Promise<string> {
    const { address, reach } = await reachOf(access, this.#options)
    const now = this.#options.now()
    await utimes(path.join(this.#gitDir, 'complete'), now, now)
    const [what, ref] =
      'branch' in from
        ? [`refs/heads/${checkedBranch(from.branch)}`, `refs/signalbox/branches/${nameOf(from.branch)}`]
        : [checkedId(from.commit), workRef(from.commit)]
    return this.#lock.hold(async () => {
      await git(fetching(address, what, ref), this.#at({ reach, timeoutMs: 30 * minute }))
      const tip = await gitLine(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`], this.#at())
      await git(['update-ref', `${basesOf(run)}/${tip}`, tip], this.#at())
      return tip
    })
  }

  async #forgetRun(run: string): Promise<void> {
    this.#runs.delete(run)
    await this.trash.put(path.dirname(this.#runGit(nameOf(run))))
    await this.#lock.hold(() => this.#dropRefs(basesOf(run)))
  }

  async #dropRefs(below: string): Promise<void> {
    const refs = await gitLine(['for-each-ref', '--format=delete %(refname)', below], this.#at())
    if (refs) await git(['update-ref', '--stdin'], this.#at({ input: `${refs}\n` }))
  }

  /** Runs that were not resumed since then are forgotten, with what they made. */
  async forgetRuns(before: Date): Promise<void> {
    const root = path.join(this.folder, 'runs')
    for (const name of await readdir(root)) {
      const used = await stat(path.join(root, name)).catch(() => null)
      if (!used || used.mtimeMs >= before.getTime()) continue
      const run = this.#runs.keys().find((each) => nameOf(each) === name)
      if (run) this.#runs.delete(run)
      await this.trash.put(path.join(root, name))
      await this.#lock.hold(() => this.#dropRefs(`refs/signalbox/bases/${name}`))
    }
  }

  /** When something was last fetched for it; in milliseconds. */
  async usedAt(): Promise<number> {
    return (await stat(path.join(this.#gitDir, 'complete'))).mtimeMs
  }

  /** So much lies about in small pieces that git becomes slow. */
  async isLoose(): Promise<boolean> {
    const printed = await gitLine(['count-objects', '-v'], this.#at())
    const count = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(printed)?.[1] ?? 0)
    return count('count') > mostLoose || count('packs') > mostPacks
  }

  /**
   * Packs what is loose, and forgets what nothing has led to since `before`. Other processes go on: git keeps what is
   * younger than that, so it has to be older than anything that is being written.
   */
  async pack(before: Date): Promise<void> {
    const format = '--format=%(committerdate:unix) %(refname)'
    const refs = await gitLine(['for-each-ref', format, 'refs/signalbox/work/'], this.#at())
    const old = refs.split('\n').flatMap((line) => {
      const [seconds, ref] = line.split(' ')
      return ref && Number(seconds) * 1_000 < before.getTime() ? [`delete ${ref}\n`] : []
    })
    await this.#lock.hold(() => git(['update-ref', '--stdin'], this.#at({ input: old.join('') })))
    const prune = `--prune=${before.toISOString()}`
    await git(['gc', '--quiet', '--force', prune], this.#at({ isPatient: true, timeoutMs: 60 * minute }))
  }
}

const basesOf = (run: string) => `refs/signalbox/bases/${nameOf(run)}`

/** A git folder as `git init` makes it, without a process: it borrows what it has from elsewhere. */
async function bareGit(folder: string, borrows: readonly string[]): Promise<void> {
  if (existsSync(path.join(folder, 'HEAD'))) return
  for (const part of ['objects/info', 'refs/heads']) await mkdir(path.join(folder, part), { recursive: true })
  const config =
    '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogallrefupdates = false\n[gc]\n\tauto = 0\n'
  await writeFile(path.join(folder, 'config'), config)
  if (borrows.length > 0)
    await writeFile(
      path.join(folder, 'objects', 'info', 'alternates'),
      borrows.map((each) => `${each}\n`).join(''),
    )
  // Last: with it the folder is a repository.
  await writeFile(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n')
}

/** All stores of a runner, one for each repository. */
export class Stores {
  readonly trash: Trash
  readonly #folder: string
  readonly #options: StoreOptions
  readonly #opened = new Map<string, Promise<GitStore>>()

  constructor(folder: string, options: StoreOptions) {
    this.trash = new Trash(path.join(folder, 'trash'), cleanIn(options.box))
    this.#folder = folder
    this.#options = options
  }

  open(address: string): Promise<GitStore> {
    return this.#named(nameOf(address))
  }

  #named(name: string): Promise<GitStore> {
    const store = this.#opened.get(name) ?? GitStore.open(path.join(this.#folder, name), this.#options)
    this.#opened.set(name, store)
    // One that could not be opened is tried again.
    store.catch(() => this.#opened.delete(name))
    return store
  }

  /** Every store on the disk. */
  async all(): Promise<GitStore[]> {
    const names = await readdir(this.#folder).catch((): string[] => [])
    return Promise.all(names.filter((name) => /^[0-9a-f]{32}$/.test(name)).map((name) => this.#named(name)))
  }

  /** A repository that is not in use; it is fetched again when it is needed. */
  async forget(store: GitStore): Promise<void> {
    this.#opened.delete(path.basename(store.folder))
    await this.trash.put(store.folder)
  }
}
