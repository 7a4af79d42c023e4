import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Change, Counts, Entry } from '@signalbox/contract/guard/objects.ts'
import { isThisMachine } from '../config.ts'
import { readBundle } from './bundle.ts'
import type { Access, Store } from './git.ts'
import { Lock } from './lock.ts'
import { GitError, type GitOptions, git, gitLine, type Reach } from './run.ts'
import { Trash } from './trash.ts'
import { GitWorktree, newWorktree } from './worktree.ts'

export interface StoreOptions {
  /** Folders that the operator of the runner lets git read from and write to. */
  allow: readonly string[]
  now: () => Date
  /** A file with the authorities that this process believes, where they are not those of the machine. */
  authorities?: string | null
  /** In the environment of every git, so that one which outlives its runner is found. */
  mark?: Record<string, string>
}

/** What cannot be fetched or pushed, said so that whoever runs the runner can help. */
export class Unreachable extends Error {}

const minute = 60_000
const mostOfADiff = 16 * 1024 * 1024
const mostOfABundle = 256 * 1024 * 1024
/** Ready for the next ones; more than that is room on the disk that somebody else needs. */
const mostWarm = 4
const mostLoose = 5_000
const mostPacks = 40

/**
 * One bare repository and its worktrees. Looks go on beside each other; what changes refs or worktrees goes one after the
 * other, since git would trip over its own locks.
 */
export class GitStore implements Store {
  readonly folder: string
  readonly objects: string
  readonly trash: Trash
  readonly #gitDir: string
  readonly #options: StoreOptions
  readonly #lock = new Lock()
  /** The one that was used last is at the end. */
  readonly #free: GitWorktree[] = []
  #inUse = 0

  private constructor(folder: string, options: StoreOptions) {
    this.folder = folder
    this.#gitDir = path.join(folder, 'store.git')
    this.objects = path.join(this.#gitDir, 'objects')
    this.trash = new Trash(path.join(folder, 'trash'))
    this.#options = options
  }

  /** The folder is this process's alone: locks that lie in it are left over from one that was killed. */
  static async open(folder: string, options: StoreOptions): Promise<GitStore> {
    const store = new GitStore(folder, options)
    await mkdir(path.join(folder, 'worktrees'), { recursive: true })
    if (!existsSync(path.join(store.#gitDir, 'complete'))) await store.#create()
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
    const admin = path.join(this.#gitDir, 'worktrees')
    for (const [folder, recursive] of [
      [this.#gitDir, false],
      [path.join(this.#gitDir, 'refs'), true],
      [admin, true],
    ] as const)
      for (const file of await readdir(folder, { recursive }).catch((): string[] => []))
        if (file.endsWith('.lock')) await rm(path.join(folder, file), { force: true })
    for (const name of await readdir(this.folder))
      if (name.startsWith('incoming-')) await this.trash.put(path.join(this.folder, name))
    const known = await readdir(admin).catch((): string[] => [])
    const folders = await readdir(path.join(this.folder, 'worktrees'))
    for (const id of known) {
      if (folders.includes(id)) this.#free.push(this.#worktree(id))
      else await rm(path.join(admin, id), { recursive: true })
    }
    for (const id of folders)
      if (!known.includes(id)) await this.trash.put(path.join(this.folder, 'worktrees', id))
    const used = new Map(await Promise.all(this.#free.map(async (one) => [one, await one.usedAt()] as const)))
    this.#free.sort((a, b) => used.get(a)! - used.get(b)!)
  }

  #worktree(id: string): GitWorktree {
    return new GitWorktree({
      folder: path.join(this.folder, 'worktrees', id),
      gitDir: path.join(this.#gitDir, 'worktrees', id),
      objects: this.objects,
      trash: this.trash,
      mark: this.#options.mark ?? {},
      now: this.#options.now,
      giveBack: (worktree) => this.#takeBack(worktree),
    })
  }

  #at(options: Partial<GitOptions> = {}): GitOptions {
    const environment = { ...this.#options.mark, ...options.environment }
    return { gitDir: this.#gitDir, ...options, environment }
  }

  async fetch(access: Access, branch: string): Promise<string> {
    const ref = `refs/signalbox/branches/${nameOf(branch)}`
    await this.#fetch(access, `refs/heads/${checkedBranch(branch)}`, ref)
    return gitLine(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`], this.#at())
  }

  async tip(access: Access, branch: string): Promise<string | null> {
    const { address, reach } = await this.#reach(access)
    const ref = `refs/heads/${checkedBranch(branch)}`
    const printed = await gitLine(['ls-remote', '--quiet', '--refs', '--', address, ref], this.#at({ reach }))
    const line = printed.split('\n').find((one) => one.endsWith(`\t${ref}`))
    return line ? checkedId(line.split('\t')[0]!) : null
  }

  async fetchCommit(access: Access, commit: string): Promise<void> {
    if (!(await this.has(commit))) await this.#fetch(access, checkedId(commit), workRef(commit))
  }

  async #fetch(access: Access, from: string, to: string): Promise<void> {
    const { address, reach } = await this.#reach(access)
    const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-gc']
    const now = this.#options.now()
    await utimes(path.join(this.#gitDir, 'complete'), now, now)
    await this.#lock.hold(() =>
      git(['fetch', ...flags, '--', address, `+${from}:${to}`], this.#at({ reach, timeoutMs: 30 * minute })),
    )
  }

  async #reach({ address, header, isRelayed }: Access): Promise<{ address: string; reach: Reach }> {
    if (/^https?:\/\//i.test(address)) {
      const url = new URL(address)
      const isPlain = url.protocol === 'http:'
      if (isPlain && !isThisMachine(url.hostname))
        throw new Unreachable(
          `${url.origin} would be sent the credential in the clear. Use https; http only leads to this machine.`,
        )
      if (url.username || url.password)
        throw new Unreachable(
          'The address of the repository has a user name in it; a credential is given apart.',
        )
      const authorities = isRelayed ? (this.#options.authorities ?? null) : null
      return { address: url.href, reach: { protocol: isPlain ? 'http' : 'https', header, authorities } }
    }
    const folder = address.startsWith('file://') ? fileURLToPath(address) : address
    if (!path.isAbsolute(folder))
      throw new Unreachable(`${address} is neither an https address nor a folder of this machine.`)
    const real = await realpath(folder).catch(() => null)
    if (real === null) throw new Unreachable(`There is no folder ${folder} on this machine.`)
    for (const open of this.#options.allow) {
      const inside = path.relative(await realpath(open).catch(() => open), real)
      if (inside === '' || !/^\.\.(\/|$)/.test(inside))
        return { address: real, reach: { protocol: 'file', header: null } }
    }
    throw new Unreachable(
      `${folder} is a folder of this machine which the runner may not use; its operator can allow it.`,
    )
  }

  async has(commit: string): Promise<boolean> {
    return gitLine(['cat-file', '-t', checkedId(commit)], this.#at()).then(
      (kind) => kind === 'commit',
      () => false,
    )
  }

  /**
   * Not by `git fetch`: older ones look at what a bundle brings less carefully than at what a server sends. The objects
   * stay in a folder of their own until all of them are known to be sound and complete.
   */
  async unbundle(file: string, head: string): Promise<void> {
    checkedId(head)
    if ((await stat(file)).size > mostOfABundle) throw new Error('The bundle is too large.')
    const bundle = await readBundle(file)
    if (!bundle.heads.includes(head)) throw new Error(`The bundle does not lead to ${head}.`)
    for (const needed of bundle.needs)
      if (!(await this.has(needed))) throw new Error(`The bundle builds on ${needed}, which is not here.`)
    const quarantine = path.join(this.folder, `incoming-${randomBytes(6).toString('hex')}`)
    await mkdir(path.join(quarantine, 'pack'), { recursive: true })
    try {
      const environment = { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: this.objects }
      await git(['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${mostOfABundle}`], {
        ...this.#at({ environment, input: bundle.pack }),
      })
      const walk = ['rev-list', '--objects', '--quiet', head, '--not', ...bundle.needs, '--']
      await git(walk, this.#at({ environment }))
      await this.#lock.hold(async () => {
        // The index last: git takes a pack for there when it sees its index.
        const names = (await readdir(path.join(quarantine, 'pack'))).sort((a, b) => orderOf(a) - orderOf(b))
        for (const name of names)
          await rename(path.join(quarantine, 'pack', name), path.join(this.objects, 'pack', name))
        await this.#keep(head)
      })
    } finally {
      await rm(quarantine, { recursive: true, force: true })
    }
  }

  async bundle(base: string, head: string, file: string): Promise<void> {
    checkedId(base)
    await this.#lock.hold(() => this.#keep(checkedId(head)))
    await git(['bundle', 'create', '--quiet', '--version=2', file, workRef(head), `^${base}`], this.#at())
  }

  async hold(commit: string): Promise<void> {
    await this.#lock.hold(() => this.#keep(checkedId(commit)))
  }

  /** What garbage collection leaves alone, for as long as somebody may ask for it. */
  async #keep(head: string): Promise<void> {
    await git(['update-ref', workRef(head), head], this.#at())
  }

  async checkout(commit: string, run?: string): Promise<GitWorktree> {
    if (!(await this.has(commit))) throw new Error(`There is no commit ${commit} here.`)
    this.#inUse += 1
    try {
      const warm = await this.#lock.hold(() => this.#takeWarm(commit, run))
      if (warm) {
        try {
          await (warm.isOwn ? warm.worktree.resume(commit) : warm.worktree.reset(commit))
          return warm.worktree
        } catch {
          // Whatever was done to it, a new one has not been through it.
          await this.#lock.hold(() => warm.worktree.discard())
        }
      }
      const fresh = await this.#lock.hold(async () => {
        const id = await newWorktree(this.#at(), path.join(this.folder, 'worktrees'), commit)
        return this.#worktree(id)
      })
      await fresh.reset(commit)
      return fresh
    } catch (error) {
      this.#inUse -= 1
      throw error
    }
  }

  /** The run's own as it left it, else the one used last that no run may come back to, else the oldest of too many. */
  async #takeWarm(
    commit: string,
    run: string | undefined,
  ): Promise<{ worktree: GitWorktree; isOwn: boolean } | null> {
    const lefts = await Promise.all(this.#free.map((worktree) => worktree.left()))
    const take = (at: number, isOwn: boolean) => {
      const [worktree] = this.#free.splice(at, 1)
      return worktree ? { worktree, isOwn } : null
    }
    const own = lefts.findIndex((left) => left !== null && left.run === run)
    if (own >= 0) return take(own, lefts[own]!.head === commit)
    const anybodys = lefts.lastIndexOf(null)
    if (anybodys >= 0) return take(anybodys, false)
    return lefts.length < mostWarm ? null : take(0, false)
  }

  async letGo(run: string): Promise<void> {
    await this.#lock.hold(async () => {
      for (const worktree of this.#free) if ((await worktree.left())?.run === run) await worktree.letGo()
    })
  }

  async #takeBack(worktree: GitWorktree): Promise<void> {
    this.#inUse -= 1
    await this.#lock.hold(async () => {
      // As another: whoever gave this one back can do nothing more to it.
      this.#free.push(this.#worktree(path.basename(worktree.folder)))
      if (this.#free.length > mostWarm) await this.#free.shift()!.discard()
    })
  }

  async readFile(commit: string, file: string): Promise<Buffer | null> {
    const listed = await git(['ls-tree', '-z', '--full-tree', checkedId(commit), '--', file], this.#at())
    const entry = entriesIn(listed)[0]
    if (!entry?.mode.startsWith('100') || entry.path !== file) return null
    return git(['cat-file', 'blob', checkedId(entry.blob)], this.#at())
  }

  async changes(base: string, tree: string): Promise<Change[]> {
    const raw = ['diff-tree', '-r', '-z', '--no-renames', '--raw', '--no-ext-diff', '--no-textconv']
    return changesIn(await git([...raw, checkedId(base), checkedId(tree), '--'], this.#at()))
  }

  async counts(base: string, tree: string): Promise<Counts[]> {
    const flags = ['-r', '-z', '--no-renames', '--numstat', '--no-ext-diff', '--no-textconv']
    const printed = await git(['diff-tree', ...flags, checkedId(base), checkedId(tree), '--'], this.#at())
    return fieldsOf(printed).map((line) => {
      const [additions, deletions, ...rest] = line.split('\t')
      return { path: rest.join('\t'), additions: numberOf(additions!), deletions: numberOf(deletions!) }
    })
  }

  async entries(tree: string): Promise<Entry[]> {
    return entriesIn(await git(['ls-tree', '-r', '-z', '--full-tree', checkedId(tree)], this.#at()))
  }

  async sizes(blobs: string[]): Promise<Map<string, number>> {
    if (blobs.length === 0) return new Map()
    const input = blobs.map((blob) => `${checkedId(blob)}\n`).join('')
    const printed = await gitLine(
      ['cat-file', '--batch-check=%(objectname) %(objectsize)'],
      this.#at({ input }),
    )
    const lines = printed.split('\n').map((line) => line.split(' '))
    return new Map(
      lines.flatMap(([id, size]) => (/^\d+$/.test(size ?? '') ? [[id!, Number(size)] as const] : [])),
    )
  }

  async readBlobs(blobs: string[], maxBytes: number): Promise<Map<string, Buffer>> {
    const sizes = await this.sizes(blobs)
    const small = [...sizes.keys()].filter((blob) => sizes.get(blob)! <= maxBytes)
    const input = small.map((blob) => `${blob}\n`).join('')
    const maxAll = small.reduce((sum, blob) => sum + sizes.get(blob)! + 200, 0)
    const printed = await git(['cat-file', '--batch'], this.#at({ input, maxBytes: maxAll }))
    const found = new Map<string, Buffer>()
    let at = 0
    for (const blob of small) {
      const start = printed.indexOf('\n', at) + 1
      at = start + sizes.get(blob)!
      found.set(blob, printed.subarray(start, at))
      at += 1
    }
    return found
  }

  async diff(base: string, head: string): Promise<string> {
    const flags = [
      '-r',
      '-p',
      '-M',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--src-prefix=a/',
      '--dst-prefix=b/',
    ]
    const printed = await git(
      ['diff-tree', ...flags, checkedId(base), checkedId(head), '--'],
      this.#at({ maxBytes: mostOfADiff, cuts: true }),
    )
    const text = printed.toString()
    return printed.length < mostOfADiff ? text : `${text}\n… cut here: the diff is longer than this\n`
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    return git(['merge-base', '--is-ancestor', checkedId(ancestor), checkedId(commit)], this.#at()).then(
      () => true,
      (error) => {
        if (error instanceof GitError) return false
        throw error
      },
    )
  }

  async mergeBase(one: string, other: string): Promise<string | null> {
    return gitLine(['merge-base', checkedId(one), checkedId(other)], this.#at()).catch((error) => {
      if (error instanceof GitError) return null
      throw error
    })
  }

  /** Only to a branch of the runner's own: whatever goes wrong, nobody else's is touched. */
  async push(access: Access, commit: string, branch: string, expected: string | null): Promise<void> {
    if (!branch.startsWith('signalbox/'))
      throw new Error(`The runner pushes to signalbox/…, never to ${branch}.`)
    const { address, reach } = await this.#reach(access)
    const ref = `refs/heads/${checkedBranch(branch)}`
    const lease = `--force-with-lease=${ref}:${expected === null ? '' : checkedId(expected)}`
    const flags = ['--quiet', '--no-verify', '--no-follow-tags', '--no-signed', lease]
    await git(
      ['push', ...flags, '--', address, `${checkedId(commit)}:${ref}`],
      this.#at({ reach, timeoutMs: 30 * minute }),
    )
  }

  get isInUse(): boolean {
    return this.#inUse > 0
  }

  /** Worktrees that nobody uses, the oldest first, with the time of their last use. */
  async idle(): Promise<{ worktree: GitWorktree; usedAt: number }[]> {
    return Promise.all(this.#free.map(async (worktree) => ({ worktree, usedAt: await worktree.usedAt() })))
  }

  /** Into the trash, unless somebody has taken it by now. */
  async drop(worktree: GitWorktree): Promise<boolean> {
    return this.#lock.hold(async () => {
      const at = this.#free.indexOf(worktree)
      if (at < 0) return false
      this.#free.splice(at, 1)
      await worktree.discard()
      return true
    })
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
   * Packs what is loose, and forgets what nothing has led to since `before`. Others go on meanwhile: git keeps what is
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

/** All stores of a runner, one for each repository. */
export class Stores {
  readonly trash: Trash
  readonly #folder: string
  readonly #options: StoreOptions
  readonly #opened = new Map<string, Promise<GitStore>>()

  constructor(folder: string, options: StoreOptions) {
    this.trash = new Trash(path.join(folder, 'trash'))
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

  /** Every store that lies on the disk, whoever asked for it. */
  async all(): Promise<GitStore[]> {
    const names = await readdir(this.#folder).catch((): string[] => [])
    return Promise.all(names.filter((name) => /^[0-9a-f]{32}$/.test(name)).map((name) => this.#named(name)))
  }

  /** A repository that nobody works on; it is fetched again when somebody does. */
  async forget(store: GitStore): Promise<void> {
    this.#opened.delete(path.basename(store.folder))
    await this.trash.put(store.folder)
  }
}

/** Names from outside never become names of files or refs here. */
const nameOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const workRef = (head: string) => `refs/signalbox/work/${head}`

function checkedId(id: string): string {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id)) throw new Error(`${id} is no id of a git object.`)
  return id
}

/** What `git check-ref-format` takes, and a little less. */
function checkedBranch(branch: string): string {
  const isSound =
    /^[^\s~^:?*[\\\p{Cc}]+$/u.test(branch) && !/\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(\/|$)|^@$/.test(branch)
  if (!isSound) throw new Error(`${JSON.stringify(branch)} is no name of a branch.`)
  return branch
}

const fieldsOf = (printed: Buffer): string[] => printed.toString().split('\0').slice(0, -1)

const numberOf = (text: string) => (text === '-' ? null : Number(text))

const entriesIn = (printed: Buffer): Entry[] =>
  fieldsOf(printed).map((line) => {
    const tab = line.indexOf('\t')
    const [mode, , blob] = line.slice(0, tab).split(' ')
    return { path: line.slice(tab + 1), mode: mode!, blob: blob! }
  })

const statuses = { A: 'added', D: 'deleted', M: 'modified', T: 'type' } as const

function changesIn(printed: Buffer): Change[] {
  const fields = fieldsOf(printed)
  return fields.flatMap((field, at) => {
    if (at % 2 === 1) return []
    const [before, after, blobBefore, blobAfter, letter] = field.slice(1).split(' ')
    const status = statuses[letter as keyof typeof statuses]
    if (!status) throw new Error(`Git says ${JSON.stringify(field)} of a change, which is not understood.`)
    return [
      {
        path: fields[at + 1]!,
        status,
        mode: { before: before!, after: after! },
        blob: { before: blobBefore!, after: blobAfter! },
      },
    ]
  })
}

const orderOf = (name: string) => (name.endsWith('.idx') ? 1 : 0)
