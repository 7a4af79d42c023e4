import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Box } from '../box/box.ts'
import { GitStore } from '../git/store.ts'
import { plainBox } from './plain-box.ts'

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
  // Worktrees belong to the account in the box, which is another one when the tests run as root.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
}

/** Git as anyone calls it, agents included: nothing is hardened. */
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

const run = 'run-aaa1'

/**
 * A repository of someone else's with one commit on main, and a store of the runner's that has fetched it for a run.
 */
export async function storeOf(
  t: { after(done: () => void): void },
  files: Record<string, string | Buffer>,
  box: Box = plainBox(),
) {
  const folder = temporaryFolder(t)
  const origin = path.join(folder, 'origin')
  mkdirSync(origin)
  plainGit(origin, ['init', '--quiet', '--initial-branch=main'])
  write(origin, files)
  plainGit(origin, ['add', '--all', '--force'])
  plainGit(origin, ['commit', '--quiet', '--allow-empty', '-m', 'First'])
  const access = { address: origin, header: null }
  const options = { allow: [folder], now: () => new Date(), box }
  const shared = await GitStore.open(path.join(folder, 'store'), options)
  const store = await shared.forRun(run)
  const base = await store.fetch(access, 'main')
  const gitDir = path.dirname(store.objects[1]!)
  return { folder, origin, access, shared, store, base, options, gitDir }
}
