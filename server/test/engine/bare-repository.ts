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
    const before = this.tip(branch) ?? this.tip(from) ?? (/^[0-9a-f]{40}$/.test(from) ? from : null)
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

  /** A tree of lines as `git ls-tree` prints them. */
  tree(lines: string): string {
    return this.#run([`--git-dir=${this.bare}`, 'mktree', '--missing'], `${lines}\n`)
  }

  /** What leads from one commit to another, with all that came before: more than a runner packs, and as good. */
  bundle(base: string, head: string, without?: string): Buffer {
    const hidden = without ? [`^${without}`] : []
    const whole = this.git('rev-list', '--objects', head, base, ...hidden)
    // What is left out leads to much that the others need.
    const needed = without
      ? [base, head].flatMap((one) => this.git('ls-tree', '-r', '-t', '--format=%(objectname)', one))
      : []
    const roots = [base, head].map((one) => `${one}\n${this.git('rev-parse', `${one}^{tree}`)}`)
    const objects = [whole, ...needed, ...roots].join('\n')
    const ids = new Set(objects.split('\n').map((line) => line.split(' ')[0]))
    const pack = this.#raw(
      [`--git-dir=${this.bare}`, 'pack-objects', '--stdout', '--quiet'],
      `${[...ids].join('\n')}\n`,
    )
    return Buffer.concat([Buffer.from(`# v2 git bundle\n-${base} \n${head} refs/heads/work\n\n`), pack])
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
    return this.#raw(command, input).toString('utf8').trim()
  }

  #raw(command: string[], input: string): Buffer {
    const env = {
      ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      GIT_NO_REPLACE_OBJECTS: '1',
    }
    return execFileSync('git', command, { env, input, stdio: 'pipe', maxBuffer: 256_000_000 })
  }
}
