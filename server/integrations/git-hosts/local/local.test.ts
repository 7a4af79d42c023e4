import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import type { MergeRequest, Opened, TeamRepository, Verified } from '../../../domain/ports/git-host.ts'
import { keepPullRequests } from '../../../domain/work/pull-requests/keep.ts'
import { systemClock } from '../../../infra/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { ABareRepository } from '../../../test/engine/bare-repository.ts'
import { aWorkspace } from '../../../test/factories.ts'
import { LocalGitHost } from './local.ts'

const database = await testDatabase()
after(() => database.close())

const kept = keepPullRequests({ db: database.db, clock: systemClock })
const made: ABareRepository[] = []
after(() => {
  for (const one of made) one.remove()
})

/** A repository with something on its main branch, in a workspace of its own. */
async function aShop(format?: string) {
  const repository = new ABareRepository(format)
  made.push(repository)
  await repository.push('main', { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' })
  const { workspaceId, slug } = await aWorkspace(database.db)
  const at: TeamRepository = {
    ...{ name: 'halden/shop', host: 'local', address: repository.bare, branch: 'main' },
    ...{ connectionId: null, remoteId: null },
  }
  const host = (pullRequests = kept) =>
    new LocalGitHost({
      allow: [repository.folder],
      pullRequests,
      clock: systemClock,
      publicUrl: () => 'https://signalbox.example.com',
    })
  const wish = { key: 'k', workspaceId, team: 'web', run: 'run-1', story: 'WEB-1', repository: at }
  /** As the server has read it out of the work, which began where the branch left main. */
  const verified = new Map<number, Verified>()
  const verifiedOf = (head: string): Verified => {
    const base = repository.git('merge-base', 'main', head)
    return {
      ...{ base, head, tree: repository.git('rev-parse', `${head}^{tree}`), outside: [] },
      commits: Number(repository.git('rev-list', '--count', `${base}..${head}`)),
      paths: repository.git('diff-tree', '-r', '--name-only', base, head).split('\n'),
    }
  }
  const open = async (branch: string, head: string, by = host()) => {
    const number = numberOf(
      await by.openPullRequest({ ...wish, title: 'Round down', body: 'b', branch: { name: branch, head } }),
    )
    verified.set(number, verifiedOf(head))
    return number
  }
  const request = (number: number): MergeRequest => ({
    ...{ ...wish, pullRequest: { number, url: '' } },
    ...{ head: verified.get(number)?.head ?? null, verified: verified.get(number) ?? null },
  })
  return { repository, host, wish, open, request, slug, at }
}

function numberOf(opened: Opened): number {
  assert.ok('pullRequest' in opened, JSON.stringify(opened))
  return opened.pullRequest.number
}

test('a pushed branch gets a pull request, and asked again the same one', async () => {
  const { repository, host, wish, open, slug } = await aShop()
  const head = await repository.push('signalbox/run-1/1', { 'c.txt': 'c\n' })
  const request = { ...wish, title: 'Round down', body: '', branch: { name: 'signalbox/run-1/1', head } }
  const opened = await host().openPullRequest(request)
  const url = `https://signalbox.example.com/${slug}/runs/run-1?tab=changes`
  assert.deepEqual(opened, { pullRequest: { number: 1, url } })
  assert.deepEqual(await host().openPullRequest(request), opened)
  const other = await repository.push('signalbox/run-2/1', { 'd.txt': 'd\n' })
  assert.equal(await open('signalbox/run-2/1', other), 2)
  const later = await repository.push('signalbox/run-1/1', { 'c.txt': 'cc\n' })
  assert.equal(await open('signalbox/run-1/1', later), 1, 'it goes on with what was pushed since')
})

test('pull requests that are opened at once have numbers of their own', async () => {
  const { repository, open } = await aShop()
  const heads = []
  for (let n = 0; n < 5; n += 1) heads.push(await repository.push(`t${n}`, { [`${n}.txt`]: 'x' }))
  const numbers = await Promise.all(heads.map((head, n) => open(`t${n}`, head)))
  assert.deepEqual(numbers.toSorted(), [1, 2, 3, 4, 5])
})

test('no pull request is opened for a branch that is not there or stands elsewhere', async () => {
  const { repository, host, wish } = await aShop()
  const head = await repository.push('topic', { 'c.txt': 'c\n' })
  const ask = (name: string, at: string) =>
    host().openPullRequest({ ...wish, title: '', body: '', branch: { name, head: at } })
  assert.match(refusal(await ask('missing', head)), /branch missing is gone/)
  assert.match(refusal(await ask('topic', '0'.repeat(40))), /branch topic moved/)
})

const refusal = (opened: Opened): string => ('refused' in opened ? opened.refused : '')

for (const format of ['sha1', 'sha256'])
  test(`a merge has two parents and moves main, once; asked again it answers the same (${format})`, async () => {
    const { repository, host, open, request } = await aShop(format)
    const head = await repository.push('topic', { 'a.txt': 'ONE\ntwo\nthree\n' })
    const before = await repository.push('main', { 'a.txt': 'one\ntwo\nthree\nfour\n' })
    const number = await open('topic', head)
    const merged = await host().merge(request(number))
    assert.ok(merged.merged)
    assert.equal(repository.tip('main'), merged.commit)
    assert.equal(repository.git('show', '-s', '--format=%P', 'main'), `${before} ${head}`)
    assert.match(repository.git('show', '-s', '--format=%B', 'main'), /^Merge pull request #1: Round down/)
    assert.equal(repository.read('main', 'a.txt'), 'ONE\ntwo\nthree\nfour')
    await repository.push('main', { 'later.txt': 'x' })
    assert.deepEqual(await host().merge(request(number)), merged)
    assert.deepEqual(await host().checkMain(), { state: 'by_runner' })
  })

test('a node that dies between git and the database merges once, and the next one finds it', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'c.txt': 'c\n' }))
  const dying = host({
    ...kept,
    markMerged: async () => {
      throw new Error('The node died.')
    },
  })
  await assert.rejects(dying.merge(request(number)), /died/)
  const commit = repository.tip('main')
  await repository.push('main', { 'later.txt': 'x' })
  const found = await host().merge(request(number))
  assert.deepEqual(found.merged && [found.commit, found.mismatch], [commit, null])
  assert.equal(repository.git('rev-list', '--merges', '--count', 'main'), '1')
})

test('what conflicts is refused with the paths, and main stays', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'a.txt': 'ours\n', 'b.txt': null }))
  const before = await repository.push('main', { 'a.txt': 'theirs\n', 'b.txt': 'changed\n' })
  const result = await host().merge(request(number))
  assert.deepEqual(result, {
    merged: false,
    reason: 'it conflicts with the branch main in a.txt, b.txt.',
    isOutdated: true,
  })
  assert.equal(repository.tip('main'), before)
})

test('a branch that moved after it was verified, or is gone, is not merged', async () => {
  const { repository, host, open, request } = await aShop()
  const before = repository.tip('main')
  const number = await open('topic', await repository.push('topic', { 'c.txt': 'c\n' }))
  await repository.push('topic', { 'c.txt': 'something else\n' })
  const moved = await host().merge(request(number))
  assert.match(moved.merged ? '' : moved.reason, /branch topic moved from .*, which was verified, to/)
  repository.git('update-ref', '-d', 'refs/heads/topic')
  const gone = await host().merge(request(number))
  assert.match(gone.merged ? '' : gone.reason, /branch topic is gone/)
  assert.equal(repository.tip('main'), before)
})

test('merges of different runs at once are all in, one after the other', async () => {
  const { repository, host, open, request } = await aShop()
  const numbers: number[] = []
  for (let n = 0; n < 4; n += 1)
    numbers.push(await open(`t${n}`, await repository.push(`t${n}`, { [`${n}.txt`]: 'x' })))
  const results = await Promise.all(numbers.map((number) => host().merge(request(number))))
  assert.ok(results.every(({ merged }) => merged))
  assert.equal(repository.git('rev-list', '--merges', '--count', 'main'), '4')
  for (let n = 0; n < 4; n += 1) assert.equal(repository.read('main', `${n}.txt`), 'x')
})

test('merges at once that conflict: one is in, the other is refused, and asked again both answer the same', async () => {
  const { repository, host, open, request } = await aShop()
  const one = await open('one', await repository.push('one', { 'a.txt': 'one\n' }))
  const two = await open('two', await repository.push('two', { 'a.txt': 'two\n' }))
  const ask = () => Promise.all([one, two].map((number) => host().merge(request(number))))
  const results = await ask()
  assert.deepEqual(results.map(({ merged }) => merged).toSorted(), [false, true])
  assert.deepEqual(await ask(), results)
})

test('neither hooks nor settings of the repository run anything', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'a.txt': 'ONE\ntwo\nthree\n' }))
  await repository.push('main', { 'a.txt': 'one\ntwo\nthree\nfour\n' })
  const witness = path.join(repository.folder, 'witness')
  const script = path.join(repository.folder, 'script')
  await writeFile(script, `#!/bin/sh\ntouch ${witness}\n`)
  await chmod(script, 0o755)
  await mkdir(path.join(repository.bare, 'info'), { recursive: true })
  await writeFile(path.join(repository.bare, 'info', 'attributes'), '* merge=evil filter=evil diff=evil\n')
  for (const hook of ['reference-transaction', 'update', 'post-merge', 'pre-merge-commit', 'post-update']) {
    await writeFile(path.join(repository.bare, 'hooks', hook), `#!/bin/sh\ntouch ${witness}\n`)
    await chmod(path.join(repository.bare, 'hooks', hook), 0o755)
  }
  for (const [name, value] of [
    ['merge.evil.driver', script],
    ['filter.evil.clean', script],
    ['diff.evil.textconv', script],
    ['core.fsmonitor', script],
    ['core.hooksPath', path.join(repository.bare, 'hooks')],
    ['gpg.program', script],
    ['commit.gpgSign', 'true'],
  ])
    repository.git('config', name!, value!)
  assert.ok((await host().merge(request(number))).merged)
  assert.ok('pullRequest' in (await host().openRevert(request(number))))
  await assert.rejects(stat(witness))
  assert.deepEqual(await readdir(path.join(repository.bare, 'objects', 'info')), [], 'nothing is left behind')
})

test('what a merge writes may be read by whom the repository is shared with', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'a.txt': 'ONE\ntwo\nthree\n' }))
  await repository.push('main', { 'a.txt': 'one\ntwo\nthree\nfour\n' })
  repository.git('config', 'core.sharedRepository', '0660')
  const merged = await host().merge(request(number))
  assert.ok(merged.merged)
  const object = path.join(repository.bare, 'objects', merged.commit.slice(0, 2), merged.commit.slice(2))
  assert.equal((await stat(object)).mode & 0o777, 0o440)
})

test('a revert takes the merge back and leaves what came after it, on a branch of its own', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'a.txt': 'BAD\n', 'c.txt': 'c\n' }))
  const merged = await host().merge(request(number))
  assert.ok(merged.merged)
  const main = await repository.push('main', { 'later.txt': 'kept' })
  const revert = await host().openRevert(request(number))
  assert.equal(numberOf(revert), 2)
  const branch = `signalbox/revert-${merged.commit.slice(0, 12)}`
  assert.equal(repository.read(branch, 'a.txt'), 'one\ntwo\nthree')
  assert.equal(repository.read(branch, 'later.txt'), 'kept')
  assert.throws(() => repository.read(branch, 'c.txt'))
  assert.equal(repository.git('show', '-s', '--format=%P', branch), main)
  assert.equal(repository.tip('main'), main, 'nothing is merged by it')
  assert.deepEqual(await host().openRevert(request(number)), revert)
  const mergedRevert = await host().merge(request(2))
  assert.ok(mergedRevert.merged)
  assert.equal(repository.read('main', 'a.txt'), 'one\ntwo\nthree')
})

test('a node that dies between the branch and the row of a revert opens it once', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'c.txt': 'c\n' }))
  const merged = await host().merge(request(number))
  assert.ok(merged.merged)
  const dying = host({
    ...kept,
    open: async () => {
      throw new Error('The node died.')
    },
  })
  await assert.rejects(dying.openRevert(request(number)), /died/)
  const made = repository.tip(`signalbox/revert-${merged.commit.slice(0, 12)}`)
  assert.equal(numberOf(await host().openRevert(request(number))), 2)
  assert.equal(repository.tip(`signalbox/revert-${merged.commit.slice(0, 12)}`), made)
})

test('what cannot be reverted automatically is refused with the paths', async () => {
  const { repository, host, open, request } = await aShop()
  const number = await open('topic', await repository.push('topic', { 'a.txt': 'two\n' }))
  assert.match(refusal(await host().openRevert(request(number))), /#1 is not merged/)
  await host().merge(request(number))
  await repository.push('main', { 'a.txt': 'three\n' })
  assert.match(refusal(await host().openRevert(request(number))), /conflicts with the branch main in a\.txt/)
})

test('a commit of no run is taken back in the repository of the team alone', async () => {
  const { repository, host, wish, at } = await aShop()
  const { workspaceId } = wish
  const commit = await repository.push('main', { 'a.txt': 'BAD\n' })
  const request = { key: 'k', workspaceId, team: 'web', pullRequest: null, title: 'A', commit }
  const elsewhere = { ...request, repository: 'https://git.example.com/x.git', teamRepository: at }
  assert.match(refusal(await host().revertCommit(elsewhere)), /is not the repository of the team/)
  const own = { ...request, repository: null, teamRepository: at }
  const opened = await host().revertCommit(own)
  assert.deepEqual(await host().revertCommit(own), opened)
  assert.equal(repository.read(`signalbox/revert-${commit.slice(0, 12)}`, 'a.txt'), 'one\ntwo\nthree')
  const first = repository.git('rev-list', '--max-parents=0', 'main')
  assert.match(refusal(await host().revertCommit({ ...own, commit: first })), /nothing came before/)
  const unknown = { ...own, commit: 'c0ffee'.padEnd(40, '0') }
  assert.match(refusal(await host().revertCommit(unknown)), /is not on the branch main/)
})

test('a repository that is not allowed, not bare or not there is refused with what helps', async () => {
  const { repository, host, at } = await aShop()
  const outside = new ABareRepository()
  made.push(outside)
  await symlink(outside.bare, path.join(repository.folder, 'door.git'))
  const trouble = (address: string, branch = 'main') => host().troubleWith('', { ...at, address, branch })
  assert.equal(await trouble(repository.bare), null)
  for (const address of [outside.bare, path.join(repository.folder, 'door.git'), '/etc'])
    assert.match((await trouble(address)) ?? '', /Ask the server operator to allow/, address)
  assert.match((await trouble(path.join(repository.folder, 'none.git'))) ?? '', /no such folder/)
  execFileSync('git', ['init', '--quiet', path.join(repository.folder, 'work')])
  assert.match((await trouble(path.join(repository.folder, 'work'))) ?? '', /git clone --bare/)
  await mkdir(path.join(repository.folder, 'plain'))
  assert.match((await trouble(path.join(repository.folder, 'plain'))) ?? '', /not a bare git repository/)
  assert.match((await trouble(repository.bare, 'trunk')) ?? '', /has no branch trunk/)
  assert.match((await trouble('https://git.example.com/x.git')) ?? '', /not a folder on the server|public/)
})

test('without a repository the run is told so', async () => {
  const { host, wish, request } = await aShop()
  const none = { ...request(1), repository: null }
  const merged = await host().merge(none)
  assert.match(merged.merged ? '' : merged.reason, /the team has no repository.*team’s settings/)
  const branch = { name: 'topic', head: '0'.repeat(40) }
  const opened = await host().openPullRequest({ ...wish, repository: null, title: '', body: '', branch })
  assert.match(refusal(opened), /the team has no repository/)
})
