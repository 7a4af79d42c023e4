import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * A bare repository in a folder of its own, and a person who pushes to it. Each git command forks a process that holds
 * a whole server, which costs more than the command: so it takes as few as it can.
 */
export class ABareRepository {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bare-'))
  readonly bare = path.join(this.folder, 'shop.git')

  constructor(format = 'sha1') {
    this.#run(['init', '--quiet', '--bare', '-b', 'main', `--object-format=${format}`, this.bare])
  }

  /** Commits files on a branch; null deletes a file. A new branch begins at `from`. */
  async push(branch: string, files: Record<string, string | null>, from = 'main'): Promise<string> {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
    const before = this.tip(branch) ?? this.tip(from)
    const commands = [
      `commit refs/heads/${branch}\n`,
      `committer Ada <ada@example.com> ${Math.floor(Date.now() / 1000)} +0000\n`,
      data(`Change ${Object.keys(files).join(', ')}\n`),
      before ? `from ${before}\n` : '',
      ...Object.entries(files).map(([name, text]) =>
        text === null ? `D ${name}\n` : `M 100644 inline ${name}\n${data(text)}`,
      ),
    ]
    this.#run([`--git-dir=${this.bare}`, 'fast-import', '--quiet', '--force'], commands.join(''))
    return this.tip(branch)!
  }

  tip(branch: string): string | null {
    const file = path.join(this.bare, 'refs', 'heads', branch)
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
  }

  read(branch: string, file: string): string {
    return this.git('show', `refs/heads/${branch}:${file}`)
  }

  git(...command: string[]): string {
    return this.#run([`--git-dir=${this.bare}`, ...command])
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #run(command: string[], input = ''): string {
    const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', command, { env, input, encoding: 'utf8', stdio: 'pipe' }).trim()
  }
}
