import assert from 'node:assert/strict'
import type { GitHost, Opened } from '../../../domain/ports/git-host.ts'
import type { TestClock } from '../../clock.ts'
import type { ABareRepository } from '../../engine/bare-repository.ts'

interface Over {
  git: ABareRepository
  kind: 'github' | 'gitlab'
  url: string
  clock: TestClock
  hostAs(credentials: Record<string, string>): GitHost
  /** Who we are, one way after the other. */
  credentials: Record<string, string>[]
  /** What people and other tools do over there before it is merged. */
  before(head: string, number: number): void | Promise<void>
  /** From now on the host merges by a queue; returns how that ends. */
  queued(number: number): () => void
}

/** Every verb of a git host, from a branch to a revert. */
export async function playGitHost(over: Over): Promise<void> {
  const { git, kind, url, clock, hostAs, credentials, before, queued } = over
  await git.push('main', { 'a.txt': 'one\ntwo\nthree\n', 'src/b.txt': 'b\n' })
  const repository = {
    ...{ name: 'halden/shop', host: kind, address: `${url}/halden/shop.git`, branch: 'main' },
    ...{ connectionId: 'c', remoteId: '1' },
  }
  for (const [time, each] of credentials.entries()) {
    const host = hostAs(each)
    const wish = { key: 'k', workspaceId: 'w', team: 'web', run: 'run-1', story: 'WEB-1', repository }
    assert.equal(await host.troubleWith('w', repository), null)
    await host.troubleWith('w', { ...repository, branch: 'trunk' })
    await host.credential('w', repository, 'read')
    const early = `signalbox/run-${time}/1`
    await open(host, { ...wish, title: 'Early', body: 'b' }, early, await git.push(early, { 'd.txt': 'd\n' }))
    const branch = `signalbox/run-${time}/2`
    const base = git.tip('main')!
    const head = await git.push(branch, { 'c.txt': `${time}\n` })
    const number = await open(host, { ...wish, title: 'Round down', body: 'b' }, branch, head)
    const again = { ...wish, title: 'Round down', body: 'In other words', redescribes: true as const }
    assert.equal(await open(host, again, branch, head), number)
    const said = {
      passed: true,
      title: '3 gates passed',
      summary: '| Gate |',
      url: 'https://box.example.com/x',
    }
    const request = { ...wish, pullRequest: { number, url: '' }, head }
    for (let twice = 0; twice < 2; twice += 1) await host.postVerdict({ ...request, ...said })
    await before(head, number)
    await host.readReviews({ ...request, verified: null })
    await git.push('main', { 'later.txt': `${time}\n` })
    const tree = git.git('rev-parse', `${head}^{tree}`)
    const verified = { base, head, tree, outside: [], commits: 1, paths: ['c.txt'] }
    const unqueued = queued(number)
    for (let twice = 0; twice < 2; twice += 1) assert.ok(!(await host.merge({ ...request, verified })).merged)
    unqueued()
    const merged = await host.merge({ ...request, verified })
    assert.ok(merged.merged, JSON.stringify(merged))
    await host.readPullRequest({ ...request, verified })
    await host.readMain({ workspaceId: 'w', team: 'web', repository })
    await before(merged.commit, number)
    await host.checkMain({ ...request, verified })
    const revert = await host.openRevert({ ...request, verified })
    assert.ok('pullRequest' in revert, JSON.stringify(revert))
    await host.openRevert({ ...request, verified })
    const undo = {
      ...{ workspaceId: 'w', team: 'web', repository: 'halden/shop', teamRepository: repository, key: 'r' },
      ...{ title: 'Round down', pullRequest: null },
    }
    await host.revertCommit({ ...undo, commit: merged.commit })
    const buried = await git.push('main', { 'z.txt': `${time}\n` })
    await git.push('main', { 'z.txt': 'Otherwise\n' })
    assert.ok('refused' in (await host.revertCommit({ ...undo, commit: buried })), 'it conflicts')
    clock.forward(60_000)
  }
}

async function open(
  host: GitHost,
  wish: Omit<Parameters<GitHost['openPullRequest']>[0], 'branch'>,
  name: string,
  head: string,
): Promise<number> {
  const opened: Opened = await host.openPullRequest({ ...wish, branch: { name, head } })
  assert.ok('pullRequest' in opened, JSON.stringify(opened))
  return opened.pullRequest.number
}
