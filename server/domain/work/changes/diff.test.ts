import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { keepFile } from '../files/keep.ts'
import { parseDiff } from './parse-diff.ts'
import { readDiff } from './read.ts'

const database = await testDatabase()
after(() => database.close())

/** What git says of the second state of a folder against the first. */
function diffOf(
  first: (folder: string) => void,
  second: (folder: string) => void,
  ...options: string[]
): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-diff-'))
  const git = (...command: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...command], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    })
  try {
    git('init', '--quiet')
    first(folder)
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '-m', '1')
    second(folder)
    git('add', '--all')
    return git('diff', '--cached', '-M', ...options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const put = (folder: string, name: string, text: string | Buffer) =>
  writeFileSync(path.join(folder, name), text)
const ten = Array.from({ length: 10 }, (_, n) => `line ${n}`).join('\n')

test('a diff is read into files with what became of them and how many lines', () => {
  const text = diffOf(
    (folder) => {
      put(folder, 'kept.txt', `${ten}\n`)
      put(folder, 'moved.txt', `${ten}\nmoved\n`)
      put(folder, 'gone.txt', 'a\nb\n')
      put(folder, 'run.sh', 'x\n')
      put(folder, 'picture', Buffer.from([0, 1, 2, 0]))
    },
    (folder) => {
      put(folder, 'kept.txt', `${ten.replace('line 3', 'LINE 3')}\nmore`)
      renameSync(path.join(folder, 'moved.txt'), path.join(folder, 'elsewhere.txt'))
      put(folder, 'elsewhere.txt', `${ten}\nmoved\nand changed\n`)
      rmSync(path.join(folder, 'gone.txt'))
      chmodSync(path.join(folder, 'run.sh'), 0o755)
      put(folder, 'picture', Buffer.from([0, 3, 4, 0]))
      put(folder, 'ünï "quoted"\ttab.txt', 'new\n')
      put(folder, 'with space.txt', 'new\n')
      put(folder, 'empty', '')
      symlinkSync('/etc/passwd', path.join(folder, 'link'))
    },
  )
  const shown = parseDiff(text).map(({ hunks: _, ...file }) => file)
  const file = (path: string, rest: object) => ({
    path,
    oldPath: null,
    status: 'modified',
    mode: null,
    additions: 0,
    deletions: 0,
    isBinary: false,
    ...rest,
  })
  assert.deepEqual(
    shown.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    [
      file('elsewhere.txt', { oldPath: 'moved.txt', status: 'renamed', additions: 1 }),
      file('empty', { status: 'added' }),
      file('gone.txt', { status: 'deleted', deletions: 2 }),
      file('kept.txt', { additions: 2, deletions: 1 }),
      file('link', { status: 'added', additions: 1 }),
      file('picture', { isBinary: true }),
      file('run.sh', { mode: { before: '100644', after: '100755' } }),
      file('with space.txt', { status: 'added', additions: 1 }),
      file('ünï "quoted"\ttab.txt', { status: 'added', additions: 1 }),
    ],
  )
})

test('changed lines that look like a diff are lines of their file', () => {
  const hostile = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1 @@',
    '-a',
    '+b',
    '\\ no',
    'rename to y',
  ].join('\n')
  const text = diffOf(
    (folder) => put(folder, 'a.txt', `${hostile}\n`),
    (folder) => put(folder, 'a.txt', `new\n${hostile.replaceAll('x', 'y')}`),
  )
  const [file, ...others] = parseDiff(text)
  assert.deepEqual([file!.path, others], ['a.txt', []])
  const stat = /(\d+)\t(\d+)/.exec(
    diffOf(
      (folder) => put(folder, 'a.txt', `${hostile}\n`),
      (folder) => put(folder, 'a.txt', `new\n${hostile.replaceAll('x', 'y')}`),
      '--numstat',
    ),
  )!
  assert.deepEqual([file!.additions, file!.deletions], [Number(stat[1]), Number(stat[2])])
  assert.ok(text.endsWith(`${file!.hunks}\n`))
})

test('nonsense is no file, and ends', () => {
  for (const text of [
    '',
    'nothing',
    'diff --git a/x b/x',
    'diff --git \n@@ -1,99 +1,99 @@\n-x',
    '@@ -1 +1 @@\n+x',
  ])
    assert.ok(parseDiff(text).length <= 1)
})

/** A run whose change is that diff. */
async function aChange(text: string, findings: string[] = []) {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  const bytes = Buffer.from(text)
  const diff = createHash('sha256').update(bytes).digest('hex')
  await run.tell(goesWell.plan)
  await keepFile(run.owner, { order: run.order, sha256: diff, bytes })
  await run.tell({ ...goesWell.change, pullRequest: null, diff, findings })
  return run
}

test('the diff of a run is kept with its findings, and is there when the branch is gone', async () => {
  const text = diffOf(
    (folder) => put(folder, 'a.txt', 'one\n'),
    (folder) => put(folder, 'a.txt', 'two\n'),
  )
  const run = await aChange(text, ['A test was removed.'])
  const diff = (await readDiff(run.owner, run.key))!
  assert.deepEqual([diff.additions, diff.deletions, diff.findings], [1, 1, ['A test was removed.']])
  assert.equal(diff.files[0]!.hunks, '@@ -1 +1 @@\n-one\n+two')
  await assert.rejects(readDiff(run.owner, 'run-none'), { code: 'run_not_found' })
  const stranger = await new TestEngine(database.db).workspace()
  await assert.rejects(readDiff(stranger, run.key), { code: 'run_not_found' })
})

test('a run without a change has no diff', async () => {
  const run = await OneRun.begin(new TestEngine(database.db))
  assert.equal(await readDiff(run.owner, run.key), null)
})

test('large files are flagged, the largest come only when asked for, and the whole stays bounded', async () => {
  const long = (lines: number, width: number) => `${'x'.repeat(width)}\n`.repeat(lines)
  const text = diffOf(
    () => {},
    (folder) => {
      put(folder, 'small.txt', long(10, 5))
      put(folder, 'large.txt', long(600, 5))
      put(folder, 'huge.txt', long(600, 500))
    },
  )
  const run = await aChange(text)
  const { files } = (await readDiff(run.owner, run.key))!
  assert.deepEqual(
    files.map(({ path, isLarge, hunks }) => [path, isLarge, hunks !== null]),
    [
      ['huge.txt', true, false],
      ['large.txt', true, true],
      ['small.txt', false, true],
    ],
  )
  const alone = (await readDiff(run.owner, run.key, 'huge.txt'))!
  assert.equal(alone.files.length, 1)
  assert.ok(alone.files[0]!.hunks!.length > 300_000)
})
