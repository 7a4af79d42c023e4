import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import type { Order } from '@signalbox/contract/runner/messages.ts'

/** A file of a commit: its text, one that can be executed, a link, or the commit of a submodule. */
export type RepositoryFile = string | Buffer | { program: string } | { link: string } | { submodule: string }
export type RepositoryFiles = Record<string, RepositoryFile>

const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

const git = (folder: string, args: string[], input?: string | Buffer): Buffer =>
  execFileSync('git', ['-c', 'core.hooksPath=/dev/null', ...args], {
    ...{ cwd: folder, env: environment, stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 1e9 },
    ...(input === undefined ? {} : { input }),
  })

/** An entry of a tree. */
export interface Entry {
  mode: string
  blob: string
}

/** A bare repository that grows commit by commit, written without any worktree: trees may hold what no disk would take. */
export class Repository {
  readonly folder: string
  #hasCommits = false

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    git(folder, ['init', '--quiet', '--bare', '--initial-branch=main'])
  }

  /** The next commit of main. What is in a folder of `replaced` and not among the files goes. */
  commit(files: RepositoryFiles, replaced: string[] = []): string {
    const parts: (string | Buffer)[] = [
      'commit refs/heads/main\ncommitter Kit <kit@example.com> 1700000000 +0000\ndata 6\nA base\n',
      ...(this.#hasCommits
        ? ['from refs/heads/main^0\n', ...replaced.map((name) => `D ${quoted(name)}\n`)]
        : []),
      ...Object.entries(files).flatMap(([name, file]) => entryOf(name, file)),
      '\n',
    ]
    git(this.folder, ['fast-import', '--quiet'], Buffer.concat(parts.map((part) => Buffer.from(part))))
    this.#hasCommits = true
    return this.ref('refs/heads/main')
  }

  ref(name: string): string {
    return git(this.folder, ['rev-parse', name]).toString().trim()
  }

  /** Every ref with what it points to. */
  refs(): Record<string, string> {
    const lines = git(this.folder, ['for-each-ref', '--format=%(refname) %(objectname)'])
      .toString()
      .split('\n')
    return Object.fromEntries(lines.filter(Boolean).map((line) => line.split(' ') as [string, string]))
  }
}

function entryOf(name: string, file: RepositoryFile): (string | Buffer)[] {
  if (typeof file === 'object' && 'submodule' in file) return [`M 160000 ${file.submodule} ${quoted(name)}\n`]
  const isLink = typeof file === 'object' && 'link' in file
  const isProgram = typeof file === 'object' && 'program' in file
  const bytes = Buffer.from(isLink ? file.link : isProgram ? file.program : file)
  const mode = isLink ? '120000' : isProgram ? '100755' : '100644'
  return [`M ${mode} inline ${quoted(name)}\ndata ${bytes.length}\n`, bytes, '\n']
}

const quoted = (name: string) =>
  `"${name.replace(/[\\"]/g, (letter) => `\\${letter}`).replaceAll('\n', '\\n')}"`

/** What a run has made, looked at by the kit itself: objects alone, no worktree, no word of the runner's. */
export class Look {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    git(folder, ['init', '--quiet', '--bare'])
  }

  /** Takes in what a bundle holds on top of what the repository has. Throws where it is none. */
  take(repository: Repository, bundleFile: string | null): void {
    git(this.#folder, ['fetch', '--quiet', repository.folder, '+refs/heads/main:refs/heads/main'])
    if (bundleFile) git(this.#folder, ['bundle', 'unbundle', bundleFile])
  }

  tree(commit: string): Map<string, Entry> {
    const listed = git(this.#folder, ['ls-tree', '-r', '-z', '--full-tree', commit]).toString()
    return new Map(
      listed
        .split('\0')
        .filter(Boolean)
        .map((line) => {
          const [facts, name] = line.split(/\t(.*)/s) as [string, string]
          const [mode, , blob] = facts.split(' ') as [string, string, string]
          return [name, { mode, blob }]
        }),
    )
  }

  /** Names of everything that differs. A rename is one gone and one new. */
  changed({ base, head }: NonNullable<Order['work']>): string[] {
    const listed = git(this.#folder, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', base, head])
    return listed.toString().split('\0').filter(Boolean)
  }

  content(blob: string): Buffer {
    return git(this.#folder, ['cat-file', 'blob', blob])
  }

  message(commit: string): string {
    return git(this.#folder, ['log', '-1', '--format=%B', commit]).toString()
  }

  isOnTop({ base, head }: NonNullable<Order['work']>): boolean {
    try {
      git(this.#folder, ['merge-base', '--is-ancestor', base, head])
      return true
    } catch {
      return false
    }
  }
}
