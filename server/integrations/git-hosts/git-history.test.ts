import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { patienceMs } from '../../test/patience.ts'
import { GitHistory } from './git-history.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-history-'))
after(() => rm(folder, { recursive: true, force: true }))

let repositories = 0
let copies = 0
const history = (options?: { timeoutMs: number }) => {
  copies += 1
  return new GitHistory(path.join(folder, `copies-${copies}`), { allow: [folder, '127.0.0.1'], ...options })
}
const at = (hour: number) => new Date(Date.UTC(2026, 2, 31, hour))

/** A repository of a person's, with a clock of its own. */
class Repository {
  readonly folder: string
  readonly url: string

  constructor() {
    repositories += 1
    this.folder = path.join(folder, `repository-${repositories}`)
    this.url = pathToFileURL(this.folder).href
    execFileSync('git', ['init', '--quiet', '-b', 'main', this.folder])
  }

  git(when: Date, ...command: string[]): void {
    const date = when.toISOString()
    const who = { GIT_AUTHOR_NAME: 'Åse Berg', GIT_COMMITTER_NAME: 'Åse Berg' }
    const mail = { GIT_AUTHOR_EMAIL: 'ase@example.com', GIT_COMMITTER_EMAIL: 'ase@example.com' }
    execFileSync('git', ['-C', this.folder, ...command], {
      env: { PATH: process.env.PATH, ...who, ...mail, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    })
  }

  async commit(when: Date, title: string, files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.folder, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    this.git(when, 'add', '--all')
    this.git(when, 'commit', '--quiet', '--allow-empty', '-m', title)
  }
}

/** One of each: a first commit, a squashed pull request, a merged one, and a commit that changes nothing. */
async function aRepository(): Promise<Repository> {
  const repository = new Repository()
  await repository.commit(at(1), 'Begin', { 'src/a.ts': '1', 'docs/readme.md': '1' })
  await repository.commit(at(2), 'Round rates down (#12)', { 'src/rates.ts': '1', 'docs/a b\nc.md': '1' })
  repository.git(at(3), 'checkout', '--quiet', '-b', 'topic')
  await repository.commit(at(3), 'Half of it', { 'src/a.ts': '2' })
  await repository.commit(at(3), 'Other half', { 'src/b.ts': '2' })
  repository.git(at(4), 'checkout', '--quiet', 'main')
  repository.git(at(4), 'merge', '--quiet', '--no-ff', 'topic', '-m', 'Merge pull request #13 from topic')
  await repository.commit(at(5), 'Nothing at all', {})
  return repository
}

test('merges of the default branch are read, newest first, with author, time, pull request and paths', async () => {
  const { url } = await aRepository()
  const merges = await history().recentMerges({ url, path: '' }, at(0))
  assert.ok(merges.every(({ commit }) => /^[0-9a-f]{40}$/.test(commit)))
  assert.deepEqual(
    merges.map(({ commit: _, ...merge }) => merge),
    [
      { mergedAt: at(5), author: 'Åse Berg', title: 'Nothing at all', paths: [], pullRequest: null },
      {
        mergedAt: at(4),
        author: 'Åse Berg',
        title: 'Merge pull request #13 from topic',
        paths: ['src/a.ts', 'src/b.ts'],
        pullRequest: 13,
      },
      {
        mergedAt: at(2),
        author: 'Åse Berg',
        title: 'Round rates down (#12)',
        paths: ['docs/a b\nc.md', 'src/rates.ts'],
        pullRequest: 12,
      },
      {
        mergedAt: at(1),
        author: 'Åse Berg',
        title: 'Begin',
        paths: ['docs/readme.md', 'src/a.ts'],
        pullRequest: null,
      },
    ],
  )
})

test('what a merge changed is read in all folders, also where contents were left out, and is cut where it is long', async () => {
  const repository = await aRepository()
  // As hosts do: file contents are left out of the copy, and come when they are asked for.
  repository.git(at(5), 'config', 'uploadpack.allowFilter', 'true')
  repository.git(at(5), 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  await repository.commit(at(6), 'Very long', { 'long.txt': 'a line of it\n'.repeat(30_000) })
  const looking = history()
  const { url } = repository
  const merges = await looking.recentMerges({ url, path: 'src' }, at(0))
  const diffOf = (title: string) =>
    looking.diffOf({ url }, merges.find((merge) => merge.title.startsWith(title))!.commit)
  const merged = await diffOf('Merge pull request #13')
  assert.match(merged.text, /^diff --git a\/src\/a\.ts .*\n-1\n.*\n\+2\n.*diff --git a\/src\/b\.ts /s)
  assert.equal(merged.isCut, false)
  assert.match((await diffOf('Round rates down')).text, /^diff --git "a\/docs\/a b\\nc\.md"/)
  const [long] = await looking.recentMerges({ url, path: '' }, at(6))
  const cut = await looking.diffOf({ url }, long!.commit)
  assert.deepEqual([cut.isCut, cut.text.endsWith('+a line of it\n')], [true, true])
  assert.ok(cut.text.length <= 200_000)
  await assert.rejects(looking.diffOf({ url }, '--output=x'), /is not a commit/)
  await assert.rejects(looking.diffOf({ url }, 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00'))
})

test('only merges since the time, in the folder of the service, are read', async () => {
  const { url } = await aRepository()
  const titles = async (since: Date, within: string) =>
    (await history().recentMerges({ url, path: within }, since)).map(({ title, paths }) => [title, ...paths])
  assert.deepEqual(await titles(at(2), 'docs'), [['Round rates down (#12)', 'docs/a b\nc.md']])
  assert.deepEqual(await titles(at(6), ''), [])
  assert.deepEqual(await titles(at(0), 'sr*'), [], 'a folder is no pattern')
  assert.deepEqual(await titles(at(0), '--all'), [])
})

test('each look sees what was merged since the last one, also after the branch was rewritten', async () => {
  const repository = await aRepository()
  const looking = history()
  const newest = async () => (await looking.recentMerges({ ...repository, path: '' }, at(0)))[0]!.title
  assert.equal(await newest(), 'Nothing at all')
  await repository.commit(at(6), 'Later', { 'src/a.ts': '3' })
  assert.equal(await newest(), 'Later')
  repository.git(at(7), 'reset', '--quiet', '--hard', 'HEAD~2')
  assert.equal(await newest(), 'Merge pull request #13 from topic')
})

test('two looks at once do not disturb each other', async () => {
  const { url } = await aRepository()
  const looking = history()
  const looks = await Promise.all([1, 2, 3].map(() => looking.recentMerges({ url, path: '' }, at(0))))
  assert.deepEqual(
    looks.map((merges) => merges.length),
    [4, 4, 4],
  )
})

test('at most 200 merges with 500 paths each are read, and the end of the copy is no merge', async () => {
  const repository = new Repository()
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`many/${n}.txt`, String(n)]))
  await repository.commit(at(0), 'Many files', many)
  const stream = Array.from({ length: 450 }, (_, n) => {
    const seconds = at(1).getTime() / 1000 + n
    const name = n % 3 === 0 ? 'often.txt' : 'seldom.txt'
    return `commit refs/heads/main\ncommitter A <a@example.com> ${seconds} +0000\ndata 1\nx\n${n === 0 ? 'from refs/heads/main^0\n' : ''}M 100644 inline ${name}\ndata ${String(n).length}\n${n}\n`
  }).join('')
  execFileSync('git', ['-C', repository.folder, 'fast-import', '--quiet'], { input: stream })
  const merges = await history().recentMerges({ url: repository.url, path: '' }, at(-1))
  assert.equal(merges.length, 200)
  const often = await history().recentMerges({ url: repository.url, path: 'often.txt' }, at(-1))
  assert.ok(often.length > 100 && often.length < 150, `${often.length}`)
  assert.deepEqual(
    await history().recentMerges({ url: repository.url, path: 'many' }, at(-1)),
    [],
    'the oldest commit of the copy did not add these files',
  )
  const few = new Repository()
  await few.commit(at(0), 'Many files', many)
  assert.equal((await history().recentMerges({ ...few, path: '' }, at(-1)))[0]!.paths.length, 500)
})

test('a repository that cannot be read is an error that says so, and nothing is left behind', async () => {
  const looking = history()
  const missing = pathToFileURL(path.join(folder, 'missing')).href
  for (const url of [missing, '--upload-pack=touch x', '', 'a\nb', 'ext::sh -c "touch /tmp/owned"'])
    await assert.rejects(looking.recentMerges({ url, path: '' }, at(0)), Error, url)
  const left = await readdir(path.join(folder, `copies-${copies}`)).catch(() => [])
  assert.deepEqual(left, [])
})

test('a server that never answers is given up', { timeout: patienceMs }, async () => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  await assert.rejects(
    history({ timeoutMs: 500 }).recentMerges({ url: `http://127.0.0.1:${port}/x.git`, path: '' }, at(0)),
  )
  // A connection that is still in use would keep the server open.
  await new Promise((resolve) => silent.close(resolve))
})

test('no hook of anybody is run', async () => {
  const repository = await aRepository()
  const witness = path.join(folder, 'witness')
  const looking = history()
  await looking.recentMerges({ ...repository, path: '' }, at(0))
  const [copy] = await readdir(path.join(folder, `copies-${copies}`))
  const hooks = path.join(folder, `copies-${copies}`, copy!, 'hooks')
  await mkdir(hooks, { recursive: true })
  for (const hook of ['reference-transaction', 'post-merge', 'update']) {
    await writeFile(path.join(hooks, hook), `#!/bin/sh\ntouch ${witness}\n`)
    await chmod(path.join(hooks, hook), 0o755)
  }
  await repository.commit(at(8), 'Later', { 'src/a.ts': '9' })
  assert.equal((await looking.recentMerges({ ...repository, path: '' }, at(0))).length, 5)
  await assert.rejects(stat(witness))
})
