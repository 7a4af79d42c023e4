import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { GitStore } from '../git/store.ts'

/** A folder that is gone when the test is over. */
export function temporaryFolder(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

/** Git as anybody calls it, agents included: nothing is hardened. */
export const plainGit = (folder: string, args: string[], input?: string | Buffer): string =>
  execFileSync('git', args, { cwd: folder, env: environment, input, stdio: ['pipe', 'pipe', 'pipe'] })
    .toString()
    .trimEnd()

export function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), content)
  }
}

/** A repository of somebody else's with one commit on main, and a store of the runner's that has fetched it. */
export async function storeOf(t: { after(done: () => void): void }, files: Record<string, string | Buffer>) {
  const folder = temporaryFolder(t)
  const origin = path.join(folder, 'origin')
  mkdirSync(origin)
  plainGit(origin, ['init', '--quiet', '--initial-branch=main'])
  write(origin, files)
  plainGit(origin, ['add', '--all', '--force'])
  plainGit(origin, ['commit', '--quiet', '--allow-empty', '-m', 'First'])
  const access = { address: origin, header: null }
  const options = { allow: [folder], now: () => new Date() }
  const store = await GitStore.open(path.join(folder, 'store'), options)
  const base = await store.fetch(access, 'main')
  return { folder, origin, access, store, base, options, gitDir: path.join(folder, 'store', 'store.git') }
}
