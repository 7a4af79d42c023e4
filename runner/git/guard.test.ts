import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { type Guarded, type Guarding, guard } from '@signalbox/contract/guard/guard.ts'
import fc from 'fast-check'
import { plainGit, storeOf, write } from '../test/origin.ts'
import type { Store } from './git.ts'

const files = {
  'src/a.ts': 'a\n',
  'infra/main.tf': 'main\n',
  '.kanman/acceptance/WEB-1/orders.md': 'spec\n',
  'package.json': '{"name":"x","scripts":{"test":"node --test"}}\n',
  'test/a.test.ts': "test('a', () => {})\n",
}
const deniedPaths = [acceptanceSpec, 'infra/**']

/** What it says of a change, without what each is about. */
const sentences = ({ findings }: Guarded) => findings.map(({ says }) => says)

const look = (
  store: Store,
  guarding: Partial<Guarding> & Pick<Guarding, 'base' | 'head'>,
): Promise<Guarded> => guard(store, { deniedPaths, exceptions: [], pinned: new Map(), ...guarding })

/** Tests leave nothing in it but objects. */
const shared = await storeOf({ after }, files)

/** A worktree of the files above, and what the guard says of it once it was changed. */
async function changed(
  t: TestContext,
  change: (folder: string) => void,
  { before, ...guarding }: Partial<Guarding> & { before?: Record<string, string> } = {},
): Promise<Guarded> {
  const { store, base } = before ? await storeOf(t, { ...files, ...before }) : shared
  const worktree = await store.checkout(base)
  change(worktree.folder)
  const head = await worktree.tree()
  await worktree.release()
  return look(store, { base, head, ...guarding })
}

/** Objects made by hand: what no checkout writes, but a bundle could bring if no one looked. */
async function handMade(entries: [mode: string, name: string | Buffer, content: string][]) {
  const { store, base, gitDir } = shared
  const lines = entries.map(([mode, name, content]) => {
    const blob = mode === '160000' ? base : plainGit(gitDir, ['hash-object', '-w', '--stdin'], content)
    return Buffer.concat([
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from('\0'),
      Buffer.from(blob, 'hex'),
    ])
  })
  const head = plainGit(
    gitDir,
    ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'],
    Buffer.concat(lines),
  )
  return look(store, { base, head })
}

const move = (folder: string, from: string, to: string) => {
  mkdirSync(path.dirname(path.join(folder, to)), { recursive: true })
  renameSync(path.join(folder, from), path.join(folder, to))
}

test('trap: renamed out of a denied folder', async (t) => {
  const found = await changed(t, (folder) => move(folder, 'infra/main.tf', 'src/main.tf'))
  assert.deepEqual(found.denied, ['infra/main.tf'])
  assert.deepEqual(found.change.paths, ['infra/main.tf', 'src/main.tf'])
})

test('trap: the denied folder replaced by a link', async (t) => {
  const found = await changed(t, (folder) => {
    move(folder, '.kanman/acceptance', 'mine')
    symlinkSync('../mine', path.join(folder, '.kanman/acceptance'))
  })
  assert.deepEqual(found.spec.sort(), ['.kanman/acceptance', '.kanman/acceptance/WEB-1/orders.md'])
})

test('trap: a folder above it replaced by a link or a file, though nothing was in it', async (t) => {
  for (const put of [
    (folder: string) => symlinkSync('src', path.join(folder, '.kanman')),
    (folder: string) => writeFileSync(path.join(folder, '.kanman'), 'x'),
  ]) {
    const { store, base } = await storeOf(t, { 'src/a.ts': 'a\n' })
    const worktree = await store.checkout(base)
    put(worktree.folder)
    assert.deepEqual((await look(store, { base, head: await worktree.tree() })).spec, ['.kanman'])
  }
})

test('trap: a link where a star of a denied path would have a folder', async (t) => {
  const found = await changed(t, (folder) => symlinkSync('src', path.join(folder, 'eu')), {
    deniedPaths: ['*/keys/**'],
  })
  assert.deepEqual(found.refusals, ['`eu` is a link where a denied path would have a folder.'])
})

test('trap: a link out of the tree', async (t) => {
  const found = await changed(t, (folder) => {
    const link = (target: string, name: string) => symlinkSync(target, path.join(folder, name))
    link('/etc/passwd', 'absolute')
    link('../../outside', 'src/climbs')
    link('..', 'src/root')
    // Each name on its own stays inside; as a file system walks, it does not.
    link('src/root/../x', 'through')
    link('.git/config', 'git')
    link('C:\\Windows', 'windows')
    link('circle', 'circle')
    link('a.ts', 'src/fine')
    link('../infra/main.tf', 'src/also-fine')
  })
  assert.deepEqual(found.refusals, [
    '`absolute` is a link that leads to an absolute path.',
    '`circle` is a link that leads in a circle.',
    '`git` is a link that leads into the git folder.',
    '`src/climbs` is a link that leads out of the repository.',
    '`through` is a link that leads out of the repository.',
    '`windows` is a link that leads to a path of Windows.',
  ])
})

test('trap: only the mode bit', async (t) => {
  const found = await changed(t, (folder) => {
    chmodSync(path.join(folder, 'infra/main.tf'), 0o755)
    chmodSync(path.join(folder, 'src/a.ts'), 0o755)
  })
  assert.deepEqual(found.denied, ['infra/main.tf'])
  assert.ok(sentences(found).includes('`src/a.ts` can be executed now; its content is the same.'))
})

test('trap: a submodule, and the file that names them', async (t) => {
  const found = await handMade([
    ['100644', '.gitmodules', '[submodule "x"]\n'],
    ['160000', 'vendor', ''],
  ])
  assert.ok(found.refusals.includes('`vendor` is a submodule or a repository of its own.'))
  assert.ok(found.refusals.includes('`.gitmodules` says which submodules there are.'))
  const allowed = await changed(t, (folder) => write(folder, { '.gitmodules': 'x' }), {
    exceptions: ['.gitmodules'],
  })
  assert.deepEqual(allowed.refusals, [])
})

test('trap: another case, and two paths that fold to the same', async (t) => {
  const found = await changed(t, (folder) => {
    write(folder, { '.Kanman/ACCEPTANCE/x.md': 'x', 'SRC/b.ts': 'b', 'src/A.ts': 'A', 'src/ａ.ts': 'wide' })
  })
  assert.deepEqual(found.spec, ['.Kanman/ACCEPTANCE/x.md'])
  assert.ok(
    found.refusals.some((text) => text.includes('`SRC/` and `src/`')),
    found.refusals.join('\n'),
  )
  assert.ok(found.refusals.some((text) => text.includes('`src/A.ts` and `src/a.ts` and `src/ａ.ts`')))
})

test('trap: two paths that folded to the same before the run are not held against it', async (t) => {
  const found = await changed(t, (folder) => write(folder, { 'src/b.ts': 'b', 'README.md': 'other' }), {
    before: { 'README.md': 'x', 'readme.md': 'x' },
  })
  assert.deepEqual(found.refusals, [])
})

test('trap: letters that are not seen, wide ones, streams and short names of Windows', async (t) => {
  const names = [
    '.kan\u200cman/acceptance/a',
    '.kanman/accept\ufeffance/b',
    '.kan\u00adman/acceptance/c',
    '.ｋanman/acceptance/d',
    '.kanman::$INDEX_ALLOCATION/acceptance/e',
    'KANMAN~1/acceptance/f',
  ]
  const found = await changed(t, (folder) =>
    write(folder, Object.fromEntries(names.map((name) => [name, 'x']))),
  )
  assert.deepEqual(found.spec.sort(), names.sort())
  assert.ok(
    found.refusals.includes('`KANMAN~1/acceptance/f` has a name that means another file to some systems.'),
  )
  assert.ok(sentences(found).includes('`.kan\\u{200c}man/acceptance/a` has invisible letters in its name.'))
})

test('trap: letters of another script are shown', async (t) => {
  const found = await changed(t, (folder) =>
    write(folder, { 'infrа/main.tf': 'x', 'src/а.ts': 'x', 'src/pаyment.ts': 'x', 'src/привет.ts': 'x' }),
  )
  assert.deepEqual(sentences(found), [
    '`infrа/main.tf` looks like `infra/main.tf`, but is another path.',
    '`src/pаyment.ts` mixes letters of scripts that look alike.',
    '`src/а.ts` looks like `src/a.ts`, but is another path.',
  ])
})

test('trap: tab, quote and newline in a name are read as they are', async (t) => {
  const names = ['infra/a\tb', 'infra/"quoted"', 'infra/new\nline', "infra/it's"]
  const found = await changed(t, (folder) =>
    write(folder, Object.fromEntries(names.map((name) => [name, 'x']))),
  )
  assert.deepEqual(found.denied.sort(), names.sort())
})

test('trap: a name that is no UTF-8', async (t) => {
  const found = await changed(t, (folder) =>
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/src/`), Buffer.from([0x61, 0xff])]), 'x'),
  )
  assert.deepEqual(found.refusals, ['`src/a\ufffd` has a name that is not UTF-8.'])
})

test('trap: `..`, `.git` and `git~1` in a tree made by hand', async () => {
  for (const name of ['..', '.', '.git', '.GIT', 'git~1', '.g\u200cit', '.git::$INDEX_ALLOCATION', '.git ']) {
    const { refusals } = await handMade([['100644', name, 'x']])
    assert.ok(
      refusals.some((text) => /not a path that git writes|take for `.git`/.test(text)),
      `${name}: ${refusals}`,
    )
  }
})

test('trap: refs/replace', async (t) => {
  const { store, base, gitDir } = await storeOf(t, files)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'infra/main.tf': 'other\n' })
  const head = await worktree.commit(base, 'Work')
  plainGit(gitDir, ['replace', head, base])
  plainGit(gitDir, ['replace', `${head}^{tree}`, `${base}^{tree}`])
  assert.deepEqual((await look(store, { base, head })).denied, ['infra/main.tf'])
})

test('trap: attributes that hide text are shown, in whichever folder', async (t) => {
  const found = await changed(t, (folder) =>
    write(folder, { '.gitattributes': '*.ts -diff', 'src/.gitattributes': '* linguist-generated' }),
  )
  assert.equal(sentences(found).filter((text) => text.includes('can hide changes')).length, 2)
})

test('trap: what .gitignore hides is not part of the work', async (t) => {
  const found = await changed(t, (folder) =>
    write(folder, { '.gitignore': 'infra/extra.tf\n', 'infra/extra.tf': 'x' }),
  )
  assert.deepEqual(found.change.paths, ['.gitignore'])
})

test('trap: deleted in one turn and added in the next is no change; deleted and changed is', async () => {
  const { store, base } = shared
  const worktree = await store.checkout(base)
  rmSync(path.join(worktree.folder, 'infra'), { recursive: true })
  const first = await worktree.commit(base, 'Delete')
  assert.deepEqual((await look(store, { base, head: first })).denied, ['infra/main.tf'])
  write(worktree.folder, { 'infra/main.tf': 'main\n' })
  const second = await worktree.commit(first, 'Back')
  assert.deepEqual((await look(store, { base, head: second })).denied, [])
  write(worktree.folder, { 'infra/main.tf': 'other\n' })
  const third = await worktree.commit(second, 'Other')
  assert.deepEqual((await look(store, { base, head: third })).denied, ['infra/main.tf'])
})

test('trap: the base was moved or the history rewritten', async () => {
  const { store, base, gitDir } = shared
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'src/a.ts': 'x\n' })
  const head = await worktree.commit(base, 'Work')
  assert.deepEqual((await look(store, { base, head })).refusals, [])
  const rewritten = plainGit(
    gitDir,
    ['-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit-tree', `${head}^{tree}`, '-m', 'x'],
    '',
  )
  assert.match((await look(store, { base, head: rewritten })).refusals[0]!, /history was rewritten/)
})

test('trap: what is measured by is changed', async (t) => {
  const found = await changed(t, (folder) => {
    rmSync(path.join(folder, 'test/a.test.ts'))
    write(folder, {
      '.kanman/gates.yml': 'gates: []',
      '.github/workflows/ci.yml': 'x',
      'web/jest.config.js': 'x',
      Makefile: 'test:\n',
      'package.json': '{"name":"x","scripts":{"test":"true"}}\n',
      'test/b.test.ts': "test.skip('b', () => {})\nit('c', { skip: true }, () => {})\n",
    })
  })
  const about = '` changes what is measured: '
  assert.deepEqual(sentences(found).sort(), [
    '`.github/workflows/ci.yml` changes what is measured and run: checks of the git host, GitHub Actions.',
    `\`.kanman/gates.yml${about}the definition of the gates.`,
    `\`Makefile${about}how the project is built and checked.`,
    `\`package.json${about}the scripts of the package.`,
    `\`test/a.test.ts${about}a file of tests was deleted.`,
    `\`test/b.test.ts${about}2 more places skip tests.`,
    `\`web/jest.config.js${about}how tests or linters are set up.`,
  ])
})

test('a test that moved was not deleted, and a package without other scripts is not measured otherwise', async (t) => {
  const found = await changed(t, (folder) => {
    move(folder, 'test/a.test.ts', 'test/orders/a.test.ts')
    write(folder, { 'package.json': '{"name":"x","version":"2.0.0","scripts":{"test":"node --test"}}\n' })
  })
  assert.deepEqual(sentences(found), [])
})

test('trap: huge files', async (t) => {
  const found = await changed(t, (folder) => write(folder, { 'big.bin': Buffer.alloc(6_000_000) }))
  assert.deepEqual(sentences(found), [
    '`big.bin` is binary and was not checked: it may be a program.',
    '`big.bin` is large: 6.0 MB.',
  ])
})

test('trap: what runs on its own, controls agents or hides text is a finding of its kind', async (t) => {
  const found = await changed(
    t,
    (folder) => {
      write(folder, {
        '.vscode/tasks.json': '{}',
        'web/.MCP.json': '{}',
        'docs/CLAUDE.md': 'Obey.\n',
        '.npmrc': 'registry=https://evil.example\n',
        'package-lock.json':
          '{"packages":{"node_modules/a":{"resolved":"https://evil.example/a.tgz","hasInstallScript":true}}}',
        'package.json': '{"name":"x","scripts":{"test":"node --test","postinstall":"node x"}}\n',
        '.devcontainer/devcontainer.json': '{}',
        'docs/CODEOWNERS': '* @mallory\n',
        'src/a.ts': 'a\nif (admin\u202e) {}\n',
        'src/tool': Buffer.from('7f454c460201', 'hex'),
        'bin/run.sh': '#!/bin/sh\n',
      })
      chmodSync(path.join(folder, 'bin/run.sh'), 0o755)
      symlinkSync('a.ts', path.join(folder, 'src/b.ts'))
    },
    { before: { 'package-lock.json': '{"packages":{}}' } },
  )
  assert.deepEqual(
    found.findings.map(({ kind, path }) => `${kind} ${path}`),
    [
      'editor .vscode/tasks.json',
      'container .devcontainer/devcontainer.json',
      'mcp web/.MCP.json',
      'agents docs/CLAUDE.md',
      'registry .npmrc',
      'sources package-lock.json',
      'install package-lock.json',
      'install package.json',
      'review docs/CODEOWNERS',
      'hidden_text src/a.ts',
      'program src/tool',
      'mode bin/run.sh',
      'mode src/b.ts',
    ],
  )
  assert.ok(sentences(found).includes('`src/a.ts` has invisible characters: line 2 (U+202E).'))
})

test('the pinned spec is no change as it was pinned, and a changed spec as it was not', async (t) => {
  const name = '.kanman/acceptance/WEB-2/a.test.ts'
  const pinned = new Map([[name, Buffer.from('pinned\n')]])
  const put = (content: string | null) => (folder: string) => {
    if (content !== null) write(folder, { [name]: content })
    write(folder, { 'src/a.ts': 'x\n' })
  }
  const asPinned = await changed(t, put('pinned\n'), { pinned })
  assert.deepEqual([asPinned.spec, asPinned.denied], [[], []])
  assert.deepEqual(asPinned.change, { files: 1, additions: 1, deletions: 1, paths: ['src/a.ts'] })
  for (const content of ['other\n', null])
    assert.deepEqual((await changed(t, put(content), { pinned })).spec, [name])
  const executable = await changed(
    t,
    (folder) => {
      put('pinned\n')(folder)
      chmodSync(path.join(folder, name), 0o755)
    },
    { pinned },
  )
  assert.deepEqual(executable.spec, [name])
})

test('what a person has allowed is not denied, and nothing beside it is', async (t) => {
  const found = await changed(t, (folder) => write(folder, { 'infra/main.tf': 'x', 'infra/b.tf': 'x' }), {
    exceptions: ['infra/main.tf'],
  })
  assert.deepEqual(found.denied, ['infra/b.tf'])
})

/** Everything in a folder, by its path, as plainly as it can be said. */
function listed(folder: string, below = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(path.join(folder, below))) {
    const at = path.posix.join(below, name)
    if (at === '.git') continue
    const full = path.join(folder, at)
    const stat = lstatSync(full)
    if (stat.isDirectory()) for (const [key, value] of listed(folder, at)) found.set(key, value)
    else
      found.set(
        at,
        stat.isSymbolicLink() ? `link ${readlinkSync(full)}` : `${stat.mode & 0o100} ${readFileSync(full)}`,
      )
  }
  return found
}

test('no denied path changes unseen, whatever is written, moved, linked or deleted', async (t) => {
  const start = {
    'infra/main.tf': '1',
    'infra/eu/keys': '2',
    'src/a.ts': '3',
    'src/deep/b.ts': '4',
    '.kanman/acceptance/WEB-1/a.md': '5',
    '.kanman/gates.yml': '6',
  }
  const { store, base } = await storeOf(t, start)
  const worktree = await store.checkout(base)
  const place = fc.constantFrom(
    ...Object.keys(start),
    ...[
      'infra',
      'infra/eu',
      'src',
      'src/deep',
      '.kanman',
      '.kanman/acceptance',
      'Infra',
      'INFRA/x',
      'x',
      'x/y',
      '.Kanman/acceptance',
    ],
    ...['infra/new\nname', 'ínfra/a', 'in\u200bfra/z', '.kanman/ACCEPTANCE/q'],
  )
  const step = fc.oneof(
    fc.record({ does: fc.constant('write' as const), at: place, text: fc.constantFrom('1', '3', 'new') }),
    fc.record({ does: fc.constant('delete' as const), at: place }),
    fc.record({ does: fc.constant('move' as const), at: place, to: place }),
    fc.record({ does: fc.constant('link' as const), at: place, to: place }),
    fc.record({ does: fc.constant('mode' as const), at: place }),
  )
  /** Steps that the file system refuses are no steps. */
  const take = (one: typeof step extends fc.Arbitrary<infer S> ? S : never) => {
    const at = path.join(worktree.folder, one.at)
    try {
      if (one.does === 'write') write(worktree.folder, { [one.at]: one.text })
      else if (one.does === 'delete') rmSync(at, { recursive: true })
      else if (one.does === 'move') move(worktree.folder, one.at, one.to)
      else if (one.does === 'link') symlinkSync(one.to, at)
      else if (lstatSync(at).isFile()) chmodSync(at, 0o755)
    } catch {}
  }
  /** The rule without any cleverness: below one of the folders, or in the place of one. */
  const isDenied = (name: string) => {
    const seen = name.toLowerCase().replaceAll('\u200b', '')
    const isOrBelow = (folder: string) => seen === folder || seen.startsWith(`${folder}/`)
    return isOrBelow('infra') || isOrBelow('.kanman/acceptance') || seen === '.kanman'
  }
  const before = listed(worktree.folder)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      await worktree.reset(base)
      for (const one of steps) take(one)
      const after = listed(worktree.folder)
      const names = new Set([...before.keys(), ...after.keys()])
      const expected = [...names].filter((name) => isDenied(name) && before.get(name) !== after.get(name))
      const { denied, spec } = await look(store, { base, head: await worktree.tree() })
      assert.deepEqual([...denied, ...spec].sort(), expected.sort())
    }),
    { numRuns: process.env.FAULTS === 'all' ? 300 : 8 },
  )
})
