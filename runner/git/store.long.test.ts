import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as nextTurn } from 'node:timers/promises'
import type { Box, Limits } from '../box/box.ts'
import { measureBox } from '../box/measure.ts'
import { plainGit, storeOf, write } from '../test/origin.ts'
import { plainBox } from '../test/plain-box.ts'
import { Unreachable } from './reach.ts'
import { GitStore, Stores } from './store.ts'
import { Unacceptable } from './worktree.ts'

const files = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', '.gitignore': 'node_modules\n*.log\n' }

test('a checkout is clean however the one before was left', async (t) => {
  const { store, base } = await storeOf(t, files)
  const first = await store.checkout(base)
  write(first.folder, { 'src/a.ts': 'changed\n', 'new.txt': 'x', 'x.log': 'x', 'node_modules/y/z.js': 'x' })
  rmSync(path.join(first.folder, 'src/b.ts'))
  mkdirSync(path.join(first.folder, 'src/b.ts'))
  plainGit(first.folder, ['init', '--quiet', 'nested'])
  await first.release()
  const again = await store.checkout(base)
  assert.equal(again.folder, first.folder)
  assert.deepEqual(readdirSync(again.folder).sort(), ['.git', '.gitignore', 'src'])
  assert.equal(readFileSync(path.join(again.folder, 'src/a.ts'), 'utf8'), 'a\n')
  assert.equal(readFileSync(path.join(again.folder, 'src/b.ts'), 'utf8'), 'b\n')
  assert.deepEqual(await store.changes(base, await again.tree()), [])
})

test('a worktree that is given back twice is given back once', async (t) => {
  const { store, base } = await storeOf(t, files)
  const first = await store.checkout(base)
  await first.release()
  const second = await store.checkout(base)
  assert.equal(second.folder, first.folder)
  await first.release()
  assert.notEqual((await store.checkout(base)).folder, second.folder)
})

test('a run finds its worktree as it left it, over restarts too; at another commit or let go it is clean', async (t) => {
  const { shared, base, options } = await storeOf(t, files)
  const [one, two] = [await shared.forRun('run-1'), await shared.forRun('run-2')]
  const resumes = { resumes: true }
  const first = await one.checkout(base, resumes)
  write(first.folder, { 'new.txt': 'x', 'node_modules/y/z.js': 'x' })
  const head = await first.commit(base, 'Half')
  await one.hold(head)
  await first.release({ keepsFiles: true })
  const other = await two.checkout(base, resumes)
  assert.notEqual(other.folder, first.folder, 'it is kept for its run')
  await other.release()
  const restarted = await GitStore.open(shared.folder, options)
  const again = await restarted.forRun('run-1')
  const own = await again.checkout(head, resumes)
  assert.equal(own.folder, first.folder)
  assert.ok(existsSync(path.join(own.folder, 'node_modules/y/z.js')))
  assert.deepEqual(await again.changes(head, await own.tree()), [])
  await own.commit(base, 'More')
  await own.release({ keepsFiles: true })
  const moved = await again.checkout(base, resumes)
  assert.ok(moved.folder === first.folder && !existsSync(path.join(moved.folder, 'node_modules')))
  await moved.commit(base, 'Nothing')
  await moved.release({ keepsFiles: true })
  await again.letGo()
  for (const run of ['run-3', 'run-4']) await (await restarted.forRun(run)).checkout(base, resumes)
  assert.equal(readdirSync(path.join(shared.folder, 'worktrees')).length, 2, 'let go, it is anybody’s')
})

test('a run sees the history and what it has made itself, and nothing of another', async (t) => {
  const { shared, store, base, folder } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'src/secret.ts': 'of the first run\n' })
  const head = await worktree.commit(base, 'First')
  await worktree.release()
  const other = await shared.forRun('run-bbb2')
  assert.ok((await store.has(head)) && !(await other.has(head)))
  assert.ok(await other.has(base))
  const mine = await other.checkout(base)
  assert.throws(() => plainGit(mine.folder, ['cat-file', '-e', head]))
  const file = path.join(folder, 'work.bundle')
  await store.bundle(base, head, file)
  await other.unbundle(file, head)
  assert.ok(await other.has(head), 'unless it is handed over')
})

test('the agent has a git folder of its own, which works as it expects', async (t) => {
  const { store, base } = await storeOf(t, files)
  const { folder } = await store.checkout(base)
  assert.equal(plainGit(folder, ['status', '--short']), '')
  assert.equal(plainGit(folder, ['rev-parse', 'HEAD']), base)
  write(folder, { 'src/c.ts': 'c\n' })
  plainGit(folder, ['add', '--all'])
  plainGit(folder, ['commit', '--quiet', '-m', 'Mine'])
  assert.equal(plainGit(folder, ['log', '--oneline']).split('\n').length, 2)
  for (const objects of store.objects)
    assert.ok(!existsSync(path.join(objects, '..', 'refs', 'heads', 'work')))
})

test('a hostile git folder of the agent runs nothing, and says nothing, when the runner looks', async (t) => {
  const {
    folder: outside,
    store,
    base,
  } = await storeOf(t, { ...files, '.gitattributes': '*.ts filter=evil diff=evil\n' })
  const worktree = await store.checkout(base)
  const { folder } = worktree
  const mark = path.join(outside, 'ran')
  const evil = path.join(outside, 'evil.sh')
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`)
  chmodSync(evil, 0o755)
  for (const key of [
    'core.fsmonitor',
    'filter.evil.clean',
    'filter.evil.smudge',
    'diff.evil.textconv',
    'diff.external',
  ])
    plainGit(folder, ['config', key, evil])
  mkdirSync(path.join(folder, '.git/hooks'))
  for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction'])
    writeFileSync(path.join(folder, '.git/hooks', hook), readFileSync(evil), { mode: 0o755 })
  write(folder, { 'src/a.ts': 'other\n' })
  plainGit(folder, ['status'])
  assert.ok(existsSync(mark), 'the trap works')
  rmSync(mark)
  const tree = await worktree.tree()
  const head = await worktree.commit(base, 'Work')
  await store.changes(base, tree)
  assert.match(await store.diff(base, head), /-a\n\+other/)
  await worktree.reset(base)
  await worktree.release()
  await store.checkout(base)
  assert.ok(!existsSync(mark), 'nothing ran')
})

test('flags in the agent’s index hide nothing', async (t) => {
  const { store, base } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  plainGit(worktree.folder, ['update-index', '--assume-unchanged', 'src/a.ts'])
  plainGit(worktree.folder, ['update-index', '--skip-worktree', 'src/b.ts'])
  write(worktree.folder, { 'src/a.ts': 'x\n', 'src/b.ts': 'y\n' })
  assert.equal(plainGit(worktree.folder, ['status', '--short']), '')
  const paths = (await store.changes(base, await worktree.tree())).map(({ path }) => path)
  assert.deepEqual(paths, ['src/a.ts', 'src/b.ts'])
})

test('a file of the same size and time is still seen', async (t) => {
  const { store, base } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  const file = path.join(worktree.folder, 'src/a.ts')
  // Long before the index: git looks closely at what is as young as that.
  const long = new Date('2026-01-01')
  utimesSync(file, long, long)
  await worktree.tree()
  const forge = (content: string) => {
    writeFileSync(file, content)
    utimesSync(file, long, long)
  }
  const seen = async (fresh: boolean) =>
    (await store.changes(base, await worktree.tree({ fresh }))).map(({ path }) => path)
  forge('z\n')
  assert.deepEqual(await seen(true), ['src/a.ts'])
  // The kept index knows by the second when a file was last touched; what is committed goes by a fresh one.
  const second = () => Math.floor(Date.now() / 1000)
  const before = second()
  while (second() === before) await nextTurn(20)
  forge('y\n')
  const tree = await worktree.tree()
  assert.notEqual(tree, await store.checkout(base).then((other) => other.tree()))
  assert.deepEqual(await seen(false), ['src/a.ts'])
})

test('refs/replace changes nothing that is seen', async (t) => {
  const { store, base, gitDir } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'src/a.ts': 'x\n' })
  const head = await worktree.commit(base, 'Work')
  plainGit(gitDir, ['replace', head, base])
  assert.equal(plainGit(gitDir, ['diff', '--name-only', base, head]), '')
  assert.equal((await store.changes(base, head)).length, 1)
})

test('what is tracked and ignored stays, whichever index is used', async (t) => {
  const { store, base } = await storeOf(t, { ...files, 'kept.log': 'x' })
  const worktree = await store.checkout(base)
  for (const fresh of [false, true])
    assert.deepEqual(await store.changes(base, await worktree.tree({ fresh })), [])
})

test('a repository inside the worktree is refused by its name', async (t) => {
  const { store, base } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  mkdirSync(path.join(worktree.folder, 'vendor'))
  plainGit(worktree.folder, ['init', '--quiet', 'vendor/x'])
  await assert.rejects(worktree.tree(), (error) => {
    assert.ok(error instanceof Unacceptable)
    assert.match(error.message, /"vendor\/x\/" is a git repository of its own/)
    return true
  })
})

test('more than a store should hold is refused before any of it is stored', async (t) => {
  const { store, base, gitDir } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'huge.bin': '' })
  truncateSync(path.join(worktree.folder, 'huge.bin'), 200 * 1024 * 1024)
  await assert.rejects(worktree.tree(), /"huge.bin" is larger than 100 MB/)
  assert.deepEqual(readdirSync(path.join(gitDir, 'objects')), ['info'])
})

test('the runner writes commit, author and message itself', async (t) => {
  const { store, base, gitDir } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'src/a.ts': 'x\n' })
  const head = await worktree.commit(base, 'WEB-1: it [skip ci]')
  const shown = plainGit(gitDir, ['show', '-s', '--format=%an|%ae|%cn|%P|%B', head])
  assert.equal(shown.trim(), `Signalbox|noreply@signalbox.invalid|Signalbox|${base}|WEB-1: it (skip ci)`)
  assert.ok(await store.isAncestor(base, head))
  assert.ok(!(await store.isAncestor(head, base)))
})

test('work travels as a bundle from one store to another', async (t) => {
  const one = await storeOf(t, files)
  const worktree = await one.store.checkout(one.base)
  write(worktree.folder, { 'src/a.ts': 'x\n' })
  const middle = await worktree.commit(one.base, 'First')
  write(worktree.folder, { 'src/c.ts': 'x\n' })
  const head = await worktree.commit(middle, 'Second')
  const file = path.join(one.folder, 'work.bundle')
  await one.store.bundle(one.base, head, file)

  const elsewhere = await GitStore.open(path.join(one.folder, 'other'), one.options)
  const other = await elsewhere.forRun('run-aaa1')
  await assert.rejects(other.unbundle(file, head), /which is not here/)
  await other.fetch(one.access, 'main')
  await assert.rejects(other.unbundle(file, one.base), /does not lead to/)
  await other.unbundle(file, head)
  await other.unbundle(file, head)
  assert.deepEqual(await other.changes(one.base, head), await one.store.changes(one.base, head))
  assert.deepEqual(readdirSync(path.dirname(path.dirname(other.objects[1]!))), ['run.git'])
})

test('a bundle with a tree that no checkout should see is refused', async (t) => {
  const { store, base, folder, origin, gitDir } = await storeOf(t, files)
  const blob = plainGit(origin, ['rev-parse', `${base}:src/a.ts`])
  const names = ['..', '.git', 'git~1', 'a/b', '.', '.GIT', '.g\u200cit']
  for (const [at, name] of names.entries()) {
    const raw = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
    const tree = plainGit(origin, ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], raw)
    const head = plainGit(origin, ['commit-tree', tree, '-p', base, '-m', 'x'])
    plainGit(origin, ['update-ref', 'refs/heads/bad', head])
    const file = path.join(folder, `${at}.bundle`)
    plainGit(origin, ['bundle', 'create', file, 'refs/heads/bad', `^${base}`])
    await assert.rejects(store.unbundle(file, head), /index-pack/, name)
    assert.ok(!(await store.has(head)), `${name} is not kept`)
    await assert.rejects(store.fetch({ address: origin, header: null }, 'bad'), /fetch/, name)
  }
  assert.deepEqual(readdirSync(path.join(gitDir, '..')), ['run.git'])
})

test('a bundle that does not bring all of what it leads to is refused', async (t) => {
  const { store, base, folder, origin } = await storeOf(t, files)
  write(origin, { 'src/new.ts': 'new\n' })
  plainGit(origin, ['add', '--all'])
  plainGit(origin, ['commit', '--quiet', '-m', 'Second'])
  const head = plainGit(origin, ['rev-parse', 'HEAD'])
  const pack = execFileSync('git', ['pack-objects', '--stdout', '--quiet'], {
    cwd: origin,
    input: `${head}\n`,
  })
  const file = path.join(folder, 'thin.bundle')
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(`# v2 git bundle\n-${base} \n${head} refs/heads/main\n\n`), pack]),
  )
  await assert.rejects(store.unbundle(file, head))
  assert.ok(!(await store.has(head)))
})

test('one exact commit is pushed, and only where it is expected', async (t) => {
  const { store, base, folder, origin } = await storeOf(t, files)
  const host = path.join(folder, 'host.git')
  plainGit(folder, ['clone', '--quiet', '--bare', origin, host])
  const access = { address: `file://${host}`, header: null }
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'src/a.ts': 'x\n' })
  const first = await worktree.commit(base, 'First')
  const branch = 'signalbox/run-7k2q/1'
  await store.push(access, first, branch, null)
  assert.equal(plainGit(host, ['rev-parse', branch]), first)
  await assert.rejects(store.push(access, base, branch, null), /stale info/)
  const second = await worktree.commit(first, 'Second')
  await assert.rejects(store.push(access, second, branch, base), /stale info/)
  await store.push(access, second, branch, first)
  assert.equal(plainGit(host, ['rev-parse', branch]), second)
  assert.equal(plainGit(host, ['rev-parse', 'main']), base)
  await assert.rejects(store.push(access, second, 'main', base), /never to main/)
  await assert.rejects(store.push(access, second, 'signalbox/../../x', null), /is not a branch name/)
})

test('folders that the operator has not allowed are not fetched from', async (t) => {
  const { folder, origin, options } = await storeOf(t, files)
  mkdirSync(path.join(folder, 'open'))
  symlinkSync(origin, path.join(folder, 'open/door'))
  const strict = { ...options, allow: [path.join(folder, 'open')] }
  const store = await (await GitStore.open(path.join(folder, 'strict'), strict)).forRun('run-aaa1')
  for (const address of [
    origin,
    `file://${origin}`,
    path.join(folder, 'open/door'),
    path.join(folder, 'open/../origin'),
  ])
    await assert.rejects(store.fetch({ address, header: null }, 'main'), Unreachable)
  for (const address of [
    'https://ada:secret@example.com/x.git',
    'ext::sh -c x',
    '--upload-pack=x',
    'ssh://host/x',
  ])
    await assert.rejects(store.fetch({ address, header: null }, 'main'), Unreachable)
})

test('several orders at once on one store do not trip over each other', async (t) => {
  const { store, base, access, origin } = await storeOf(t, files)
  plainGit(origin, ['branch', 'next'])
  const work = async (number: number) => {
    await store.fetch(access, number % 2 ? 'main' : 'next')
    const worktree = await store.checkout(base)
    write(worktree.folder, { [`src/${number}.ts`]: `${number}\n` })
    const head = await worktree.commit(base, `Number ${number}`)
    assert.deepEqual(
      (await store.changes(base, head)).map(({ path }) => path),
      [`src/${number}.ts`],
    )
    await worktree.release()
    return worktree.folder
  }
  const folders = await Promise.all([1, 2, 3, 4, 5, 6].map(work))
  assert.ok(new Set(folders).size > 1)
  await Promise.all([7, 8].map(work))
})

test('a store that was left by a killed process is used again, locks and all', async (t) => {
  const { shared, store, base, options, access, gitDir } = await storeOf(t, files)
  const { folder } = await store.checkout(base)
  const admin = path.join(shared.folder, 'admin', path.basename(folder))
  const locks = [path.join(admin, 'index/index.lock'), path.join(gitDir, 'packed-refs.lock')]
  for (const lock of [...locks, path.join(shared.folder, 'store.git/packed-refs.lock')])
    writeFileSync(lock, '')
  mkdirSync(path.join(shared.folder, 'worktrees/wabandoned'))
  const again = await (await GitStore.open(shared.folder, options)).forRun('run-aaa1')
  assert.equal(await again.fetch(access, 'main'), base)
  assert.equal((await again.checkout(base)).folder, folder)
  assert.deepEqual(readdirSync(path.join(shared.folder, 'worktrees')), [path.basename(folder)])
})

test('a worktree that cannot be made clean goes to the trash, and another one is made', async (t) => {
  const { store, base } = await storeOf(t, files)
  const first = await store.checkout(base)
  await first.release()
  renameSync(first.folder, `${first.folder}-gone`)
  writeFileSync(first.folder, 'no folder at all')
  const second = await store.checkout(base)
  assert.notEqual(second.folder, first.folder)
  assert.deepEqual(await store.changes(base, await second.tree()), [])
})

test('a link in the place of the agent’s git folder is not followed', async (t) => {
  const { shared, store, base, folder } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(folder, { 'precious/file': 'x' })
  rmSync(path.join(worktree.folder, '.git'), { recursive: true })
  symlinkSync(path.join(folder, 'precious'), path.join(worktree.folder, '.git'))
  rmSync(path.join(worktree.folder, 'src'), { recursive: true })
  symlinkSync(path.join(folder, 'precious'), path.join(worktree.folder, 'src'))
  await worktree.reset(base)
  await shared.trash.empty()
  assert.deepEqual(readdirSync(path.join(folder, 'precious')), ['file'])
  assert.equal(readFileSync(path.join(worktree.folder, 'src/a.ts'), 'utf8'), 'a\n')
})

test('a file is read from a commit, a link or a missing one is none', async (t) => {
  const { store, origin, access } = await storeOf(t, files)
  symlinkSync('/etc/passwd', path.join(origin, 'link'))
  plainGit(origin, ['add', '--all'])
  plainGit(origin, ['commit', '--quiet', '-m', 'Link'])
  const head = await store.fetch(access, 'main')
  assert.equal(String(await store.readFile(head, 'src/a.ts')), 'a\n')
  for (const name of ['link', 'src', 'nothing', 'src/*', '.', '../x'])
    assert.equal(await store.readFile(head, name).catch(() => null), null)
})

test('attributes do not hide text from the reader of the diff', async (t) => {
  const { store, base } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(worktree.folder, { '.gitattributes': '*.ts -diff linguist-generated\n', 'src/a.ts': 'other\n' })
  const head = await worktree.commit(base, 'Hide')
  assert.match(await store.diff(base, head), /-a\n\+other/)
  assert.deepEqual(
    (await store.counts(base, head)).find(({ path }) => path === 'src/a.ts'),
    { path: 'src/a.ts', additions: 1, deletions: 1 },
  )
})

test('stores are one for each repository, and found again', async (t) => {
  const { folder, options, origin } = await storeOf(t, files)
  const stores = new Stores(path.join(folder, 'stores'), options)
  const one = await stores.open(origin)
  assert.equal(await stores.open(origin), one)
  assert.notEqual(await stores.open('https://example.com/x'), one)
  assert.equal((await new Stores(path.join(folder, 'stores'), options).all()).length, 2)
})

/** A repository with a submodule, whose folder an agent can fill as it likes. */
async function withSubmodule(t: TestContext, box?: Box) {
  const made = await storeOf(t, files, box)
  const { origin, access, store, base: inner } = made
  plainGit(origin, ['update-index', '--add', '--cacheinfo', `160000,${inner},vendor/sub`])
  plainGit(origin, ['commit', '--quiet', '-m', 'A submodule'])
  return { ...made, inner, base: await store.fetch(access, 'main') }
}

/** What an agent puts into it: a repository whose settings run a program when anyone looks. */
function plantRepository(folder: string, ran: string): void {
  mkdirSync(folder, { recursive: true })
  plainGit(folder, ['init', '--quiet'])
  write(folder, { 'a.txt': 'a\n', '.gitattributes': '* filter=evil\n' })
  plainGit(folder, ['add', '--all'])
  plainGit(folder, ['commit', '--quiet', '-m', 'Planted'])
  for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'core.fsmonitor'])
    plainGit(folder, ['config', key, `touch ${ran}; cat`])
  write(folder, { 'a.txt': 'b\n' })
}

const boxes = [plainBox(), (await measureBox()).box]
for (const box of boxes)
  test(`a repository in the folder of a submodule runs nothing and is gone with the next checkout (${box.isolation.backend ?? 'no box'})`, async (t) => {
    const { folder, shared, store, base, inner } = await withSubmodule(t, box)
    const ran = path.join(folder, 'ran')
    const worktree = await store.checkout(base)
    assert.deepEqual(readdirSync(path.join(worktree.folder, 'vendor/sub')), [])
    plantRepository(path.join(worktree.folder, 'vendor/sub'), ran)
    write(worktree.folder, { 'src/a.ts': 'changed\n' })
    const head = await worktree.commit(base, 'Work')
    assert.ok(!existsSync(ran), 'nothing ran')
    const changes = await store.changes(base, head)
    assert.deepEqual(
      changes.map(({ path }) => path),
      ['src/a.ts'],
    )
    const link = (await store.entries(head)).find(({ path }) => path === 'vendor/sub')
    assert.deepEqual(link, { path: 'vendor/sub', mode: '160000', blob: inner }, 'it is recorded as it was')
    await worktree.release()
    const other = await (await shared.forRun('run-bbb2')).checkout(base)
    assert.equal(other.folder, worktree.folder)
    assert.deepEqual(readdirSync(path.join(other.folder, 'vendor/sub')), [])
    await other.tree({ fresh: true })
    assert.ok(!existsSync(ran), 'nothing ran')
  })

test('a submodule that is replaced, moved to another commit or given files is told of', async (t) => {
  const { store, base } = await withSubmodule(t)
  const worktree = await store.checkout(base)
  const sub = path.join(worktree.folder, 'vendor/sub')
  write(worktree.folder, { 'vendor/sub/file.txt': 'of the agent\n' })
  assert.deepEqual(await store.changes(base, await worktree.tree()), [], 'what lies in it is left alone')
  rmSync(sub, { recursive: true })
  assert.deepEqual(await store.changes(base, await worktree.tree()), [], 'so is that it is gone')
  symlinkSync('/etc', sub)
  const [change] = await store.changes(base, await worktree.tree())
  assert.deepEqual(
    [change?.path, change?.mode.before, change?.mode.after],
    ['vendor/sub', '160000', '120000'],
  )
})

test('with a box, git can write to nothing but the index and the objects it makes', {
  skip: boxes[1]!.isolation.backend === null && 'there is no box on this machine',
}, async (t) => {
  const seen: Limits[] = []
  const [, box] = boxes
  const watched: Box = {
    ...box!,
    isolation: box!.isolation,
    start: (command, limits) => {
      seen.push(limits)
      return box!.start(command, limits)
    },
  }
  const { store, base, shared, gitDir } = await storeOf(t, files, watched)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'src/a.ts': 'changed\n' })
  seen.length = 0
  await worktree.commit(base, 'Work')
  const [limits] = seen
  const admin = path.join(shared.folder, 'admin', path.basename(worktree.folder))
  assert.equal(seen.length, 1)
  assert.deepEqual(
    [limits!.isWorktreeReadOnly, limits!.home, limits!.out, limits!.gateway, limits!.network],
    [true, path.join(admin, 'index'), null, null, 'none'],
  )
  assert.equal(limits!.writable!.length, 1)
  assert.match(path.relative(admin, limits!.writable![0]!), /^new-[0-9a-f]{8}$/)
  assert.ok(!limits!.readable.some((each) => each === gitDir || each === shared.folder))
})

test('objects that a box makes up are not taken in', async (t) => {
  const { store, base, origin } = await storeOf(t, files)
  const blob = plainGit(origin, ['rev-parse', `${base}:src/a.ts`])
  const raw = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')])
  const tree = plainGit(origin, ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], raw)
  const pack = (id: string) =>
    Readable.from([
      execFileSync('git', ['pack-objects', '--stdout', '-q'], { cwd: origin, input: `${id}\n` }),
    ])
  await assert.rejects(store.importPack(pack(tree), tree), /index-pack/)
  const missing = Buffer.concat([Buffer.from('100644 a\0'), Buffer.from('1'.repeat(40), 'hex')])
  const hollow = plainGit(origin, ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], missing)
  await assert.rejects(store.importPack(pack(hollow), hollow), /index-pack|rev-list/)
  await assert.rejects(store.importPack(Readable.from([Buffer.from('no pack at all')]), tree), /index-pack/)
})
