import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { git, gitOutput } from './git.ts'

/** What two trees come to, or the paths that people have to look at. */
export type Joined = { tree: string } | { conflicts: string[] }

const author = { name: 'Signalbox', mail: 'signalbox@localhost' }

/** A bare repository on this machine, changed without a working tree. */
export class BareRepository {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Null when it can be used; otherwise what is wrong with it, for people. */
  async trouble(): Promise<string | null> {
    const { out } = await this.#git('rev-parse', '--is-bare-repository')
    return out.trim() === 'true'
      ? null
      : 'it is not a bare git repository; create one with `git clone --bare` or `git init --bare`'
  }

  /** The commit a branch points to; null: there is no branch of that name. */
  async tip(branch: string): Promise<string | null> {
    const { code, out } = await this.#git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`)
    return code === 0 ? out.trim() : null
  }

  async has(commit: string): Promise<boolean> {
    return (await this.#git('cat-file', '-e', `${commit}^{commit}`)).code === 0
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    return (await this.#git('merge-base', '--is-ancestor', ancestor, commit)).code === 0
  }

  async parentsOf(commit: string): Promise<string[]> {
    return (await this.#gitOutput('rev-list', '--parents', '--max-count=1', commit)).split(' ').slice(1)
  }

  treeOf(commit: string): Promise<string> {
    return this.#gitOutput('rev-parse', '--verify', `${commit}^{tree}`)
  }

  /** The paths that differ between two commits, or trees. */
  async changed(from: string, to: string): Promise<string[]> {
    const flags = ['-r', '-z', '--no-renames', '--name-only', '--no-ext-diff', '--no-textconv']
    const out = await this.#gitOutput('diff-tree', ...flags, from, to, '--')
    return out.split('\0').filter((path) => path !== '')
  }

  /** The commit by which a branch took that head in. */
  async mergeOf(head: string, tip: string): Promise<string> {
    const lines = await this.#gitOutput(
      'rev-list',
      '--first-parent',
      '--parents',
      '--reverse',
      `${head}..${tip}`,
    )
    for (const line of lines.split('\n')) {
      const [commit, , second] = line.split(' ')
      if (commit && second === head) return commit
    }
    // Taken in without a merge of its own, as by a push of a person's.
    return head
  }

  /** Joins two commits. */
  join(ours: string, theirs: string): Promise<Joined> {
    return this.#apart(async (run) => {
      const { code, out, err } = await run([
        'merge-tree',
        '--write-tree',
        '--name-only',
        '--no-messages',
        '-z',
        ours,
        theirs,
      ])
      const [tree, ...paths] = out.split('\0')
      if (code === 0 && tree) return { tree }
      if (code === 1 && tree) return { conflicts: [...new Set(paths.filter((name) => name !== ''))] }
      if (code === 129)
        throw new Error(`Merging needs git 2.38 or newer; this is ${await gitOutput(['--version'])}.`)
      throw new Error(`git merge-tree failed: ${err.trim().slice(0, 500)}`)
    })
  }

  /** What a branch comes to without what a commit has brought in, measured against its first parent. */
  async without(commit: string, parent: string, tip: string): Promise<Joined> {
    // A commit that undoes this one, as a person would have made it: merged with what came since, it removes the
    // commit.
    const back = await this.commit(await this.treeOf(parent), [commit], 'Back')
    return this.join(tip, back)
  }

  commit(tree: string, parents: string[], message: string, at = new Date()): Promise<string> {
    const date = at.toISOString()
    const env = {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.mail,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.mail,
      GIT_COMMITTER_DATE: date,
    }
    return this.#apart(async (run) => {
      const command = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
      const { code, out, err } = await run(command, { env, input: message })
      if (code !== 0) throw new Error(`git commit-tree failed: ${err.trim().slice(0, 500)}`)
      return out.trim()
    })
  }

  /** Moves a branch if it points to the expected commit; null: it must not exist. False when it does not match. */
  async move(branch: string, to: string, expected: string | null, why: string): Promise<boolean> {
    const ref = `refs/heads/${branch}`
    const none = '0'.repeat(to.length)
    const { code, err } = await this.#git('update-ref', '-m', why, ref, to, expected ?? none)
    if (code === 0) return true
    if ((await this.tip(branch)) !== expected) return false
    throw new Error(`git update-ref failed: ${err.trim().slice(0, 500)}`)
  }

  #git(...command: string[]) {
    return git([`--git-dir=${this.#folder}`, ...command])
  }

  #gitOutput(...command: string[]): Promise<string> {
    return gitOutput([`--git-dir=${this.#folder}`, ...command])
  }

  /**
   * Runs git in an empty repository that shares the objects: a merge driver, a filter or whatever else the settings
   * and attributes of the repository name is not known there.
   */
  async #apart<T>(use: (run: typeof git) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-merge-'))
    try {
      const { out } = await this.#git(
        'config',
        '--get-regexp',
        '^(core.sharedrepository|extensions.objectformat)$',
      )
      const settings = new Map(out.split('\n').map((line) => line.split(' ') as [string, string]))
      const format = settings.get('extensions.objectformat') ?? 'sha1'
      await gitOutput(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, '--', folder])
      const objects = { GIT_OBJECT_DIRECTORY: path.join(this.#folder, 'objects') }
      // Who may read what is written is the one setting that holds here too: runners push to the same folder.
      const shared = settings.get('core.sharedrepository')
      const readers = shared ? ['-c', `core.sharedRepository=${shared}`] : []
      return await use((command, options) =>
        git([...readers, `--git-dir=${folder}`, ...command], {
          ...options,
          env: { ...objects, ...options?.env },
        }),
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
