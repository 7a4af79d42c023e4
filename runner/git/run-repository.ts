import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { isLink } from '@signalbox/contract/guard/links.ts'
import { limits } from '@signalbox/contract/runner/messages.ts'
import { readBundle } from './bundle.ts'
import type { Access, Intake, Store } from './git.ts'
import { Lock } from './lock.ts'
import { commitMessage } from './message.ts'
import { checkedBranch, checkedId, nameOf, workRef } from './names.ts'
import { ObjectReader } from './object-reader.ts'
import type { Pool } from './pool.ts'
import { type GitOptions, git, gitLine, type Reach } from './run.ts'
import { type GitWorktree, Unacceptable } from './worktree.ts'

/** What a run shares with the others of its repository. */
export interface Shared {
  objects: string
  pool: Pool
  now: () => Date
  /** Brings a branch, or a commit, of the history that everyone begins from. */
  fetch(access: Access, from: { branch: string } | { commit: string }): Promise<string>
  reach(access: Access): Promise<{ address: string; reach: Reach }>
  /** Forgets the run's own folder. */
  forget(run: string): Promise<void>
}

const minute = 60_000
const mostOfABundle = 256 * 1024 * 1024
const mostOfAPack = 512 * 1024 * 1024

/**
 * The repository as one run sees it: a git folder of its own that borrows the shared history. Its boxes are shown both,
 * and nothing of what other runs have made.
 */
export class RunRepository extends ObjectReader implements Store, Intake {
  readonly objects: readonly string[]
  readonly #run: string
  readonly #folder: string
  readonly #own: string
  readonly #shared: Shared
  readonly #lock = new Lock()

  /** `folder` holds the git folder, and what is being looked at before it counts. */
  constructor(
    run: string,
    folder: string,
    shared: Shared,
    at: (options?: Partial<GitOptions>) => GitOptions,
  ) {
    super(at)
    this.#run = run
    this.#folder = folder
    this.#own = path.join(folder, 'run.git', 'objects')
    this.#shared = shared
    this.objects = [shared.objects, this.#own]
  }

  fetch(access: Access, branch: string): Promise<string> {
    return this.#shared.fetch(access, { branch })
  }

  async fetchCommit(access: Access, commit: string): Promise<void> {
    if (!(await this.has(commit))) await this.#shared.fetch(access, { commit })
  }

  async fetchOwn(access: Access, branch: string): Promise<string> {
    const { address, reach } = await this.#shared.reach(access)
    const ref = `refs/signalbox/branches/${nameOf(branch)}`
    const from = `refs/heads/${checkedBranch(branch)}`
    await this.#lock.hold(() => git(fetching(address, from, ref), this.at({ reach, timeoutMs: 30 * minute })))
    return gitLine(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`], this.at())
  }

  async tip(access: Access, branch: string): Promise<string | null> {
    const { address, reach } = await this.#shared.reach(access)
    const ref = `refs/heads/${checkedBranch(branch)}`
    const printed = await gitLine(['ls-remote', '--quiet', '--refs', '--', address, ref], this.at({ reach }))
    const line = printed.split('\n').find((one) => one.endsWith(`\t${ref}`))
    return line ? checkedId(line.split('\t')[0]!) : null
  }

  /** Not by `git fetch`: older ones look at what a bundle brings less carefully than at what a server sends. */
  async unbundle(file: string, head: string): Promise<void> {
    checkedId(head)
    if ((await stat(file)).size > mostOfABundle) throw new Error('The bundle is too large.')
    const bundle = await readBundle(file)
    if (!bundle.heads.includes(head)) throw new Error(`The bundle does not lead to ${head}.`)
    for (const needed of bundle.needs)
      if (!(await this.has(needed))) throw new Error(`The bundle builds on ${needed}, which is not here.`)
    await this.#takePack(bundle.pack, mostOfABundle, [head, '--not', ...bundle.needs])
    await this.hold(head)
  }

  /**
   * Not by `git bundle`: that leaves out whatever the other side has. The server has no repository, and looks all the
   * same: so the base comes along as far as the change is measured against it, and no delta leads out of the pack.
   */
  async bundle(base: string, head: string, file: string): Promise<void> {
    checkedId(base)
    await this.hold(head)
    const input = [...new Set(await this.#bundled(base, head))].map((line) => `${line}\n`).join('')
    const flags = ['--stdout', '--quiet', '--delta-base-offset']
    const pack = await git(
      ['pack-objects', ...flags],
      this.at({ input, maxBytes: limits.fileBytes, cuts: true }),
    )
    const header = Buffer.from(`# v2 git bundle\n-${base} \n${head} ${workRef(head)}\n\n`)
    if (header.length + pack.length >= limits.fileBytes)
      throw new Unacceptable(
        `The changed files, before and after, are larger than ${limits.fileBytes / 1_000_000} MB compressed, the most the server accepts. Keep large files out of the repository, or split the story.`,
      )
    await writeFile(file, Buffer.concat([header, pack]))
  }

  /** What a bundle holds: all that is new, and both sides of everything that differs. */
  async #bundled(base: string, head: string): Promise<string[]> {
    const linesOf = async (args: string[]) =>
      (await git(args, this.at())).toString().split('\n').filter(Boolean)
    const fresh = await linesOf(['rev-list', '--objects', head, `^${base}`, '--'])
    const roots = await linesOf(['rev-parse', '--verify', '--end-of-options', `${base}^{tree}`])
    const changes = await this.changes(base, head, { withFolders: true })
    const sides = changes.flatMap(({ mode, blob }) => [
      ...(isObject(mode.before) ? [blob.before] : []),
      ...(isObject(mode.after) ? [blob.after] : []),
    ])
    // Where a link leads depends on the others, wherever they are.
    const hasLink = changes.some(({ mode }) => isLink({ mode: mode.after }))
    const links = hasLink
      ? (await this.entries(head, { withFolders: true })).flatMap((entry) =>
          isLink(entry) || entry.mode === '040000' ? [entry.blob] : [],
        )
      : []
    return [base, ...roots, ...fresh.map((line) => line.split(' ')[0]!), ...sides, ...links]
  }

  importPack(pack: Readable, tree: string): Promise<void> {
    return this.#takePack(pack, mostOfAPack, [checkedId(tree)])
  }

  /**
   * The objects stay in a folder of their own until all of them are known to be sound, and complete for what they lead
   * to.
   */
  async #takePack(pack: Readable | Buffer, maxBytes: number, leadsTo: string[]): Promise<void> {
    const quarantine = path.join(this.#folder, `incoming-${randomBytes(6).toString('hex')}`)
    await mkdir(path.join(quarantine, 'pack'), { recursive: true })
    try {
      const environment = {
        GIT_OBJECT_DIRECTORY: quarantine,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: this.objects.join(':'),
      }
      const flags = ['--stdin', '--fix-thin', '--strict', `--max-input-size=${maxBytes}`]
      await git(['index-pack', ...flags], this.at({ environment, input: pack }))
      await git(['rev-list', '--objects', '--quiet', ...leadsTo, '--'], this.at({ environment }))
      await mkdir(path.join(this.#own, 'pack'), { recursive: true })
      // The index last: git takes a pack for there when it sees its index.
      const names = (await readdir(path.join(quarantine, 'pack'))).sort((a, b) => orderOf(a) - orderOf(b))
      for (const name of names)
        await rename(path.join(quarantine, 'pack', name), path.join(this.#own, 'pack', name))
    } finally {
      await rm(quarantine, { recursive: true, force: true })
    }
  }

  async commitTree(tree: string, parent: string, message: string): Promise<string> {
    const seconds = Math.floor(this.#shared.now().getTime() / 1_000)
    const who = { NAME: 'Signalbox', EMAIL: 'noreply@signalbox.invalid', DATE: `@${seconds} +0000` }
    const environment = Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    )
    const input = commitMessage(message)
    return gitLine(['commit-tree', checkedId(tree), '-p', checkedId(parent)], this.at({ environment, input }))
  }

  /** What the run's own refs lead to is kept for as long as the run is. */
  async hold(commit: string): Promise<void> {
    await this.#lock.hold(() => git(['update-ref', workRef(checkedId(commit)), commit], this.at()))
  }

  async checkout(commit: string, { resumes = false }: { resumes?: boolean } = {}): Promise<GitWorktree> {
    if (!(await this.has(commit))) throw new Error(`There is no commit ${commit} here.`)
    return this.#shared.pool.checkout(commit, { run: this.#run, intake: this, resumes })
  }

  async letGo(): Promise<void> {
    await this.#shared.pool.letGo(this.#run)
    await this.#shared.forget(this.#run)
  }

  /** Only to a branch of the runner's own: whatever goes wrong, no other branch is touched. */
  async push(access: Access, commit: string, branch: string, expected: string | null): Promise<void> {
    if (!branch.startsWith('signalbox/'))
      throw new Error(`The runner pushes to signalbox/…, never to ${branch}.`)
    const { address, reach } = await this.#shared.reach(access)
    const ref = `refs/heads/${checkedBranch(branch)}`
    const lease = `--force-with-lease=${ref}:${expected === null ? '' : checkedId(expected)}`
    const flags = ['--quiet', '--no-verify', '--no-follow-tags', '--no-signed', lease]
    await git(
      ['push', ...flags, '--', address, `${checkedId(commit)}:${ref}`],
      this.at({ reach, timeoutMs: 30 * minute }),
    )
  }
}

/** One ref to one ref, and nothing that would come with it. */
export const fetching = (address: string, from: string, to: string): string[] => [
  ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-gc'],
  ...['--', address, `+${from}:${to}`],
]

/** What is not there on that side has no mode; a submodule has an object elsewhere. */
const isObject = (mode: string) => mode !== '000000' && mode !== '160000'

const orderOf = (name: string) => (name.endsWith('.idx') ? 1 : 0)
