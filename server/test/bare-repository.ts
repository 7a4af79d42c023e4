import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A bare repository in a folder of its own, and a person who pushes to it. */
export class ABareRepository {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bare-'))
  readonly bare = path.join(this.folder, 'shop.git')
  readonly #work = path.join(this.folder, 'work')

  constructor(format = 'sha1') {
    this.#run('git', 'init', '--quiet', '--bare', '-b', 'main', `--object-format=${format}`, this.bare)
    this.#run('git', 'init', '--quiet', '-b', 'main', `--object-format=${format}`, this.#work)
    this.#in('remote', 'add', 'origin', this.bare)
  }

  /** Commits files on a branch and pushes it; null deletes a file. A new branch begins at `from`. */
  async push(branch: string, files: Record<string, string | null>, from = 'main'): Promise<string> {
    if (this.tip('main')) {
      this.#in('fetch', '--quiet', 'origin')
      this.#in('checkout', '--quiet', '-B', branch, this.tip(branch) ?? this.tip(from)!)
    }
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.#work, name)
      await mkdir(path.dirname(file), { recursive: true })
      await (text === null ? rm(file) : writeFile(file, text))
    }
    this.#in('add', '--all')
    this.#in('commit', '--quiet', '--allow-empty', '-m', `Change ${Object.keys(files).join(', ')}`)
    this.#in('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`)
    return this.tip(branch)!
  }

  tip(branch: string): string | null {
    try {
      return this.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
    } catch {
      return null
    }
  }

  read(branch: string, file: string): string {
    return this.git('show', `refs/heads/${branch}:${file}`)
  }

  git(...command: string[]): string {
    return this.#run('git', `--git-dir=${this.bare}`, ...command)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #in(...command: string[]): string {
    return this.#run('git', '-C', this.#work, ...command)
  }

  #run(program: string, ...command: string[]): string {
    const env = {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    }
    return execFileSync(program, command, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  }
}
