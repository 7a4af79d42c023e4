import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ControlKind, controls } from './controls.ts'
import { type Finding, findingKinds, findingWords, openKinds } from './finding.ts'
import { guard } from './guard.ts'
import { linedManifests } from './manifests.ts'
import type { Change, Objects } from './objects.ts'
import { lockFiles } from './package-sources.ts'

type File = string | Buffer | { mode: string; content: string | Buffer }
type Tree = Record<string, File>

const modeOf = (file: File) => (typeof file === 'object' && 'mode' in file ? file.mode : '100644')
const bytesOf = (file: File) =>
  Buffer.from(typeof file === 'object' && 'mode' in file ? (file.content as Buffer) : (file as Buffer))
const idOf = (file: File) => createHash('sha1').update(bytesOf(file)).digest('hex')
const none = { mode: '000000', blob: '0'.repeat(40) }

/** Two trees as git would report them, without git: thousands of changes cost nothing. */
function objectsOf(base: Tree, head: Tree): Objects {
  const blobs = new Map(
    [...Object.values(base), ...Object.values(head)].map((file) => [idOf(file), bytesOf(file)]),
  )
  const at = (tree: Tree, path: string) => {
    const file = Object.hasOwn(tree, path) ? tree[path] : undefined
    return file === undefined ? none : { mode: modeOf(file), blob: idOf(file) }
  }
  const changes = [...new Set([...Object.keys(base), ...Object.keys(head)])]
    .sort()
    .flatMap((path): Change[] => {
      const [before, after] = [at(base, path), at(head, path)]
      if (before.mode === after.mode && before.blob === after.blob) return []
      const isOfAKind = before.mode.slice(0, 3) === after.mode.slice(0, 3)
      const status = before === none ? 'added' : after === none ? 'deleted' : isOfAKind ? 'modified' : 'type'
      return [
        {
          path,
          status,
          mode: { before: before.mode, after: after.mode },
          blob: { before: before.blob, after: after.blob },
        },
      ]
    })
  const within = (ids: string[], most: number) =>
    ids.flatMap((id) =>
      blobs.has(id) && blobs.get(id)!.length <= most ? [[id, blobs.get(id)!] as const] : [],
    )
  return {
    has: async () => false,
    isAncestor: async () => true,
    changes: async () => changes,
    counts: async () =>
      changes.map(({ path, blob }) => {
        const lines = blobs.get(blob.after)?.includes(0) ? null : 1
        return { path, additions: lines, deletions: lines }
      }),
    entries: async (tree) =>
      Object.entries(tree === 'base' ? base : head).map(([path, file]) => ({
        path,
        mode: modeOf(file),
        blob: idOf(file),
      })),
    sizes: async (ids) => new Map(within(ids, Infinity).map(([id, content]) => [id, content.length])),
    readBlobs: async (ids, most) => new Map(within(ids, most)),
  }
}

async function found(base: Tree, head: Tree): Promise<Finding[]> {
  const guarding = { base: 'base', head: 'head', deniedPaths: [], exceptions: [], pinned: new Map() }
  return (await guard(objectsOf(base, head), guarding)).findings
}

/** What is found when these files are put into a tree that has some. */
const changed = (files: Tree, before: Tree = {}) => found(before, { ...before, ...files })
const kindsOf = (findings: Finding[]) => findings.map(({ kind }) => kind)
const told = (findings: Finding[]) => findings.map(({ kind, says }) => `${kind}: ${says}`)

const controlGlobs = (Object.entries(controls) as [ControlKind, (typeof controls)[ControlKind]][]).flatMap(
  ([kind, { of }]) => Object.values(of).flatMap((globs) => globs.map((glob) => ({ kind, glob }))),
)
const lineGlobs = linedManifests.flatMap(({ kind, globs }) => globs.map((glob) => ({ kind, glob })))

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/)

/** A path that a glob covers, with any folders and letters where it has stars. */
const pathOf = (glob: string): fc.Arbitrary<string> =>
  fc.record({ folders: fc.array(name, { maxLength: 2 }), word: name }).map(({ folders, word }) =>
    glob
      .replace(/^\*\*\//, folders.map((folder) => `${folder}/`).join(''))
      .replace(/\/\*\*$/, `/${[...folders, word].join('/')}`)
      .replaceAll('/**/', `/${folders.map((folder) => `${folder}/`).join('')}`)
      .replaceAll('*', glob.includes('y*ml') ? 'a' : word)
      .replaceAll('?', 'x'),
  )

/** The same path for a system that is not particular about it. */
const disguised = (path: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('', 'upper', 'wide', 'unseen'), { minLength: path.length, maxLength: path.length })
    .chain((ways) =>
      fc.constantFrom('', '.', ' ', '::$DATA').map((end) => {
        const letters = [...path].map((letter, at) => {
          if (letter === '/') return letter
          if (ways[at] === 'upper') return letter.toUpperCase()
          if (ways[at] === 'unseen') return `${letter}\u200b`
          return ways[at] === 'wide' && /[a-z]/.test(letter)
            ? String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)
            : letter
        })
        return `${letters.join('')}${end}`
      }),
    )

test('whatever is in the table of what runs and controls is found, however its path is spelled', async () => {
  for (const { kind, glob } of [...controlGlobs, ...lineGlobs]) {
    const paths = pathOf(glob).chain((path) => fc.oneof(fc.constant(path), disguised(path)))
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const findings = await changed({ [path]: 'x\n' })
        assert.ok(kindsOf(findings).includes(kind), `${glob}: ${path} is no ${kind}`)
      }),
      { numRuns: 8 },
    )
  }
})

test('changed and deleted files of the table are found like new ones', async () => {
  for (const { kind, glob } of controlGlobs) {
    const path = fc.sample(pathOf(glob), 1)[0]!
    assert.ok(kindsOf(await found({ [path]: 'a\n' }, { [path]: 'b\n' })).includes(kind), path)
    assert.ok(kindsOf(await found({ [path]: 'a\n' }, {})).includes(kind), path)
  }
})

test('a file or a link in the place of a folder of the table is found', async () => {
  const link = { mode: '120000', content: 'elsewhere' }
  assert.ok(kindsOf(await changed({ '.vscode': link })).includes('editor'))
  assert.ok(kindsOf(await changed({ 'web/.claude': link })).includes('agents'))
  assert.ok(kindsOf(await changed({ '.github': link })).includes('ci'))
})

test('what a link of the table leads to is found under its own name', async () => {
  const before = {
    '.claude/skills': { mode: '120000', content: '../docs/skills' },
    'docs/skills/a.md': 'a\n',
  }
  assert.deepEqual(told(await changed({ 'docs/skills/a.md': 'b\n' }, before)), [
    'agents: `docs/skills/a.md` is `.claude/skills/a.md` through a link, and changes what coding agents are told or may do: Claude Code.',
  ])
})

const ordinary: Record<string, [before: Tree, after: Tree]> = {
  'source, tests and documents': [
    { 'src/a.ts': 'export const a = 1\n', 'test/a.test.ts': "test('a', () => {})\n", 'README.md': '# A\n' },
    {
      'src/a.ts': 'export const a = 2\n',
      'src/Authorization/settings.ts': 'export const b = 1\n',
      'src/agents/claude.ts': 'export {}\n',
      'src/hooks/use-thing.ts': 'export {}\n',
      'test/a.test.ts': "test('a', () => {})\ntest('b', () => {})\n",
      'README.md': '# A 👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ☑︎ 🕵🏻‍♂️ ™️ 🇩🇪\n',
      'docs/claude.md.txt': 'x\n',
      '.github/ISSUE_TEMPLATE/bug.md': 'x\n',
      '.github/pull_request_template.md': 'x\n',
      '.gitignore': 'dist\n',
      'locales/auth.json': '{}\n',
      'db/migrations/0001.sql': 'select 1;\n',
      'app/tasks.py': 'x = 1\n',
    },
  ],
  'text of the world': [
    {},
    {
      'locales/ar.json': '{"hello": "مرحبا بالعالم"}\n',
      'locales/he.json': '{"hello": "שלום עולם"}\n',
      'locales/fa.json': '{"week": "می\u200cخواهم", "plural": "کتاب\u200cها"}\n',
      'locales/hi.json': '{"hello": "नमस्ते", "half": "क्\u200dष"}\n',
      'locales/ml.json': '{"chillu": "ന്\u200dറെ"}\n',
      'locales/si.json': '{"sri": "ශ්\u200dරී"}\n',
      'locales/ja.json': '{"name": "葛\u{e0100}城　東京"}\n',
      'locales/ru.json': '{"hello": "Привет, API-интерфейс и JSON"}\n',
      'locales/el.json': '{"hello": "Γειά σου Κόσμε"}\n',
      'locales/th.json': '{"hello": "สวัสดี\u200bชาวโลก"}\n',
      'locales/vi.json': '{"hello": "Xin chào thế giới"}\n',
      'docs/de.md': 'Donau\u00addampf\u00adschiff\n',
      'src/math.py': 'Δx = λ * σx + μs\nθ_max = π / 2\n',
      'src/windows.cs': '\ufeffclass A\r\n{\r\n}\r\n',
      'src/gnu.c': 'int a;\n\f\nint b;\n',
      'src/latin1.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
    },
  ],
  'a dependency from the same registry': [
    {
      'package.json': JSON.stringify({ name: 'a', scripts: { test: 'node --test' }, dependencies: {} }),
      'package-lock.json': npmLock({}),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'yarn.lock': '# yarn lockfile v1\n',
      'Cargo.lock': cargoLock(['serde']),
      'Cargo.toml': '[package]\nname = "a"\n[dependencies]\nserde = "1"\n',
      'poetry.lock': '',
      'pyproject.toml': '[project]\nname = "a"\ndependencies = []\n\n[tool.ruff]\nline-length = 100\n',
      'go.sum': 'github.com/a/b v1.0.0 h1:x=\n',
      'go.mod': 'module a\n\nrequire github.com/a/b v1.0.0\n',
      'composer.lock': composerLock([]),
      'Gemfile.lock': 'GEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13.0)\n',
      Gemfile: "source 'https://rubygems.org'\ngem 'rake'\n",
      'pom.xml': '<project>\n  <dependencies>\n  </dependencies>\n</project>\n',
      'build.gradle': 'dependencies {\n}\n',
      'App.csproj': '<Project>\n  <ItemGroup>\n  </ItemGroup>\n</Project>\n',
    },
    {
      'package.json': JSON.stringify({
        name: 'a',
        scripts: { test: 'node --test' },
        dependencies: { 'left-pad': '^1.3.0' },
      }),
      'package-lock.json': npmLock({
        'node_modules/left-pad': {
          version: '1.3.0',
          resolved: 'https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz',
          deprecated: 'use https://elsewhere.example instead',
          funding: [{ url: 'https://money.example/left-pad' }],
        },
      }),
      'pnpm-lock.yaml':
        "lockfileVersion: '9.0'\npackages:\n  left-pad@1.3.0:\n    resolution: {integrity: sha512-x}\n    deprecated: see https://elsewhere.example\n",
      'yarn.lock':
        '# yarn lockfile v1\nleft-pad@^1.3.0:\n  version "1.3.0"\n  resolved "https://registry.yarnpkg.com/left-pad/-/left-pad-1.3.0.tgz#x"\n',
      'Cargo.lock': cargoLock(['serde', 'rand']),
      'Cargo.toml': '[package]\nname = "a"\n[dependencies]\nserde = "1"\nrand = "0.9"\n',
      'poetry.lock':
        '[[package]]\nname = "attrs"\ndescription = "See https://www.attrs.example"\nfiles = []\n',
      'pyproject.toml':
        '[project]\nname = "a"\ndependencies = [\n  "attrs>=23",\n]\n[project.urls]\nHome = "https://a.example"\n\n[tool.ruff]\nline-length = 100\n',
      'go.sum': 'github.com/a/b v1.0.0 h1:x=\ngithub.com/c/d v1.0.0 h1:y=\n',
      'go.mod': 'module a\n\nrequire github.com/a/b v1.0.0\nrequire github.com/c/d v1.0.0\n',
      'composer.lock': composerLock(['monolog/monolog']),
      'Gemfile.lock': 'GEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13.0)\n    rack (3.0)\n',
      Gemfile: "source 'https://rubygems.org'\ngem 'rake'\ngem 'rack', '~> 3.0'\n",
      'pom.xml':
        '<project>\n  <dependencies>\n    <dependency>\n      <groupId>org.a</groupId>\n      <artifactId>b</artifactId>\n      <version>1.0</version>\n    </dependency>\n  </dependencies>\n</project>\n',
      'build.gradle': "dependencies {\n    implementation 'org.a:b:1.0'\n}\n",
      'App.csproj':
        '<Project>\n  <ItemGroup>\n    <PackageReference Include="A.B" Version="1.0.0" />\n  </ItemGroup>\n</Project>\n',
    },
  ],
  'files that moved': [
    {
      'a/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]),
      'a/x.test.ts': 'x\n',
      'a/package-lock.json': npmLock({}),
    },
    {
      'b/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]),
      'b/x.test.ts': 'x\n',
      'b/package-lock.json': npmLock({}),
    },
  ],
}

function npmLock(packages: object): string {
  return JSON.stringify({ name: 'a', lockfileVersion: 3, packages: { '': { name: 'a' }, ...packages } })
}
function cargoLock(names: string[]): string {
  const source = 'registry+https://github.com/rust-lang/crates.io-index'
  return names.map((one) => `[[package]]\nname = "${one}"\nsource = "${source}"\n`).join('\n')
}
function composerLock(names: string[]): string {
  return JSON.stringify({
    packages: names.map((one) => ({
      name: one,
      source: { type: 'git', url: `https://github.com/${one}.git`, reference: 'x' },
      dist: { type: 'zip', url: `https://api.github.com/repos/${one}/zipball/x`, reference: 'x' },
      homepage: 'https://home.example',
      support: { issues: 'https://issues.example', source: 'https://source.example' },
      funding: [{ type: 'github', url: 'https://money.example' }],
      authors: [{ name: 'A', homepage: 'https://a.example' }],
    })),
  })
}

for (const [what, [before, after]] of Object.entries(ordinary))
  test(`an ordinary change has no finding: ${what}`, async () => {
    assert.deepEqual(told(await found(before, after)), [])
  })

test('a plain change of source is never a finding', async () => {
  const file = fc
    .tuple(
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('ts', 'py', 'go', 'rs', 'java', 'css', 'md', 'sql'),
    )
    .map(([names, ending]) => `lib/${names.join('/')}1.${ending}`)
  const text = fc.stringMatching(/^[ -~\n\t]{0,60}$/)
  await fc.assert(
    fc.asyncProperty(fc.dictionary(file, text), fc.dictionary(file, text), async (before, after) => {
      const findings = (await found(before, after)).filter(({ kind }) => !kind.startsWith('tests_'))
      assert.deepEqual(told(findings), [])
    }),
  )
})

test('a lock file that names another host, account or package says which', async () => {
  const entry = (name: string, resolved: string, more = {}) => ({
    [`node_modules/${name}`]: { version: '1.0.0', resolved, ...more },
  })
  const good = entry('a', 'https://registry.npmjs.org/a/-/a-1.0.0.tgz')
  const lock = async (packages: object) =>
    told(
      await changed(
        { 'package-lock.json': npmLock({ ...good, ...packages }) },
        { 'package-lock.json': npmLock(good) },
      ),
    )
  const from = (source: string) => [
    `sources: \`package-lock.json\` takes packages from new sources: \`${source}\`.`,
  ]
  assert.deepEqual(await lock(entry('b', 'https://evil.example/b/-/b-1.0.0.tgz')), from('evil.example'))
  assert.deepEqual(
    await lock(entry('b', 'http://registry.npmjs.org/b/-/b-1.0.0.tgz')),
    from('http://registry.npmjs.org'),
  )
  assert.deepEqual(
    await lock(entry('b', 'git+ssh://git@github.com/mallory/b.git#1')),
    from('github.com/mallory'),
  )
  assert.deepEqual(await lock(entry('b', 'https://registry.npmjs.org@evil.example/b')), from('evil.example'))
  assert.deepEqual(await lock(entry('b', 'https:\\\\evil.example/b')), from('evil.example'))
  assert.deepEqual(await lock(entry('b', 'https:/evil.example/b')), from('evil.example'))
  assert.deepEqual(
    await lock({ funding: { version: '1', resolved: 'https://evil.example/f' } }),
    from('evil.example'),
  )
  assert.deepEqual(await lock(entry('b', 'https://registry.npmjs.org/mallory/-/b-1.0.0.tgz')), [
    'sources: `package-lock.json` takes packages from addresses of other owners: `b (from mallory)`.',
  ])
  assert.deepEqual(
    await lock(entry('b', 'https://registry.npmjs.org/b/-/b-1.0.0.tgz', { hasInstallScript: true })),
    ['install: `package-lock.json` brings in packages that run scripts when installed: `b`.'],
  )
})

test('every kind of lock file is read for its hosts', async () => {
  const cases: Record<string, [before: string, after: string]> = {
    'yarn.lock': ['resolved "https://registry.yarnpkg.com/a"\n', 'resolved "https://evil.example/a"\n'],
    'web/yarn.lock': [
      'resolution: "a@npm:1"\n',
      'resolution: "a@npm:1::__archiveUrl=https%3A%2F%2Fevil.example%2Fa"\n',
    ],
    'pnpm-lock.yaml': ['a:\n', 'a:\n  resolution: {tarball: https://evil.example/a.tgz}\n'],
    'bun.lock': ['"a": ["a@1", "", {}]\n', '"a": ["a@1", "https://evil.example/a.tgz", {}]\n'],
    'poetry.lock': ['name = "a"\n', 'name = "a"\n[package.source]\nurl = "https://evil.example/simple"\n'],
    'uv.lock': [
      'source = { registry = "https://pypi.org/simple" }\n',
      'source = { registry = "https://evil.example" }\n',
    ],
    'Pipfile.lock': [
      '{"_meta":{"sources":[]}}',
      '{"_meta":{"sources":[{"url":"https://evil.example/simple"}]}}',
    ],
    'Cargo.lock': [
      cargoLock(['a']),
      cargoLock(['a']).replace('https://github.com/rust-lang', 'https://evil.example'),
    ],
    'go.sum': ['github.com/a/b v1 h1:x=\n', 'github.com/a/b v1 h1:x=\nevil.example/b v1 h1:x=\n'],
    'go.mod': ['module a\n', 'module a\nreplace github.com/a/b => evil.example/b v1.0.0\n'],
    'composer.lock': [
      composerLock(['a/b']),
      composerLock(['a/b']).replaceAll('https://github.com', 'https://evil.example'),
    ],
    'Gemfile.lock': [
      'remote: https://rubygems.org/\n',
      'remote: https://rubygems.org/\n  remote: https://evil.example/\n',
    ],
    'deno.lock': ['{"remote":{}}', '{"remote":{"https://evil.example/mod.ts":"x"}}'],
    'requirements.txt': ['a==1\n', 'a==1\n--extra-index-url https://evil.example/simple\n'],
    'package.json': ['{"dependencies":{}}', '{"dependencies":{"a":"https://evil.example/a.tgz"}}'],
    'pyproject.toml': [
      '[project]\nname = "a"\n',
      '[project]\nname = "a"\n[[tool.uv.index]]\nurl = "https://evil.example"\n',
    ],
  }
  for (const [path, [before, after]] of Object.entries(cases)) {
    const findings = (await changed({ [path]: after }, { [path]: before })).filter(
      ({ kind }) => kind === 'sources',
    )
    assert.equal(findings.length, 1, path)
    assert.match(findings[0]!.says, /`evil\.example(\/simple)?`/, path)
    assert.deepEqual(
      kindsOf(await changed({ [path]: `${before}\n` }, { [path]: before })),
      [],
      `${path}, unchanged`,
    )
  }
})

test('a lock file from a private registry to the public one is another source', async () => {
  const lock = (host: string) =>
    npmLock({ 'node_modules/a': { resolved: `https://${host}/a/-/a-1.0.0.tgz` } })
  const findings = await changed(
    { 'package-lock.json': lock('registry.npmjs.org') },
    { 'package-lock.json': lock('npm.halden.example') },
  )
  assert.match(findings[0]!.says, /`registry\.npmjs\.org`/)
  assert.deepEqual(told(await changed({ 'new/package-lock.json': lock('registry.npmjs.org') })), [])
})

test('a lock file that is deleted, too large or cannot be read is a finding', async () => {
  for (const glob of lockFiles) {
    const path = fc.sample(pathOf(glob), 1)[0]!
    assert.ok(kindsOf(await found({ [path]: 'x\n' }, {})).includes('sources'), `${path} deleted`)
    assert.ok(kindsOf(await changed({ [path]: Buffer.from([0, 1]) })).includes('sources'), `${path} binary`)
  }
  const big = await changed({ 'package-lock.json': Buffer.alloc(10_000_001, ' ') })
  assert.ok(
    told(big).includes(
      'sources: `package-lock.json` cannot be read, so no one knows where packages come from.',
    ),
  )
  assert.ok(kindsOf(await changed({ 'package-lock.json': '{"packages":' })).includes('sources'))
  const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
  await changed({ 'package-lock.json': deep })
})

test('what of a package runs is told by what it is for', async () => {
  const kinds = async (before: object, after: object) =>
    kindsOf(
      await changed({ 'package.json': JSON.stringify(after) }, { 'package.json': JSON.stringify(before) }),
    )
  const scripts = { test: 'node --test' }
  assert.deepEqual(await kinds({ scripts }, { scripts: { ...scripts, postinstall: 'node x.js' } }), [
    'install',
  ])
  assert.deepEqual(await kinds({ scripts }, { scripts: { test: 'true' } }), ['build'])
  assert.deepEqual(await kinds({ scripts }, { scripts, jest: { testPathIgnorePatterns: ['a'] } }), ['checks'])
  assert.deepEqual(await kinds({ scripts }, { scripts, 'simple-git-hooks': { 'pre-commit': 'x' } }), [
    'hooks',
  ])
  assert.deepEqual(await kinds({ scripts }, { scripts, trustedDependencies: ['a'] }), ['install'])
  assert.deepEqual(await kinds({ scripts }, { version: '2.0.0', scripts, dependencies: { a: '1' } }), [])
  assert.deepEqual(kindsOf(await changed({ 'package.json': '{' })), ['build', 'install'])
})

test('tables of a pyproject.toml are told by what they are for, and none hides in a text', async () => {
  const before =
    '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "--strict"\n\n[dependency-groups]\ndev = []\n'
  const kinds = async (after: string) =>
    kindsOf(await changed({ 'pyproject.toml': after }, { 'pyproject.toml': before }))
  assert.deepEqual(await kinds(before.replace('"a"', '"b"')), [])
  assert.deepEqual(await kinds(before.replace('--strict', '--co')), ['checks'])
  assert.deepEqual(await kinds(`${before}[build-system]\nbackend-path = ["."]\n`), ['install'])
  const opened = before.replace('\n\n', '\ndescription = """\n\n')
  assert.deepEqual(await kinds(opened.replace('dev =', '"""\ndev =')), ['checks'])
})

test('a character that is not seen is found in new lines, with its line and what it is', async () => {
  const hidden = async (before: string, after: string, path = 'src/a.ts') =>
    told(await changed({ [path]: after }, { [path]: before }))
  const says = (where: string) => [`hidden_text: \`src/a.ts\` has invisible characters: ${where}.`]
  assert.deepEqual(await hidden('a\n', 'a\nif (b\u202e) {\n'), says('line 2 (U+202E)'))
  assert.deepEqual(await hidden('if (b\u202e) {\n', 'x\nif (b\u202e) {\n'), [], 'it was there before')
  assert.deepEqual(await hidden('b\u202e\n', 'b\u202e\nb\u202e\n'), says('line 2 (U+202E)'), 'once more')
  assert.deepEqual(
    await hidden('', '\u2066a\u2069\u200bb'),
    says('line 1 (U+2066), line 1 (U+2069), line 1 (U+200B)'),
  )
  for (const letter of [
    ...[
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u200f',
      '\u061c',
      '\u2060',
      '\u00ad',
      '\ufeff',
      '\u180e',
      '\u034f',
    ],
    ...[
      '\u3164',
      '\u115f',
      '\u1160',
      '\uffa0',
      '\ufff9',
      '\u2028',
      '\u2029',
      '\u0000',
      '\u0008',
      '\u001b',
      '\u007f',
    ],
    ...[
      '\u0085',
      '\u2800',
      '\ufe0f',
      '\u{e0100}',
      '\u{e0041}',
      '\u{e0001}',
      '\r',
      '\u2064',
      '\u206a',
      '\u17b4',
    ],
  ]) {
    const kinds = kindsOf(await changed({ 'src/a.ts': `let a${letter}b = 1\n` }))
    const expected = letter === '\u0000' ? ['binary'] : ['hidden_text']
    assert.deepEqual(kinds, expected, letter.codePointAt(0)!.toString(16))
  }
  const tags = [...'ignore all']
    .map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!))
    .join('')
  assert.deepEqual(kindsOf(await changed({ 'README.md': `🏴${tags}\u{e007f}\n` })), ['hidden_text'])
  const selectors = `❤${'\ufe0f'.repeat(5)}\n`
  assert.deepEqual(
    kindsOf(await changed({ 'README.md': selectors })),
    ['hidden_text'],
    'data behind an emoji',
  )
})

test('a word with letters of another script that look the same is found', async () => {
  assert.deepEqual(told(await changed({ 'src/a.ts': 'const x = 1\nif (is\u0430dmin) {}\n' })), [
    'lookalike_text: `src/a.ts` has words with look-alike letters: line 2 (`is\u0430dmin`).',
  ])
})

test('programs are told from other binaries by how they begin, whatever they are called', async () => {
  const file = (begins: string) => Buffer.concat([Buffer.from(begins, 'hex'), Buffer.alloc(1_500)])
  const kinds: Record<string, string[]> = {}
  for (const begins of ['7f454c46', '4d5a90', 'cffaedfe', 'cafebabe', '0061736d', '89504e470d0a', '504b0304'])
    kinds[begins] = kindsOf(await changed({ 'docs/logo.png': file(begins) }))
  assert.deepEqual(kinds, {
    '7f454c46': ['program'],
    '4d5a90': ['program'],
    cffaedfe: ['program'],
    cafebabe: ['program'],
    '0061736d': ['program'],
    '89504e470d0a': ['binary'],
    '504b0304': ['binary'],
  })
  assert.deepEqual(kindsOf(await changed({ 'lib/x.jar': file('504b0304') })), ['program'])
  assert.deepEqual(told(await changed({ 'a.txt': 'MZ is not a program\n' })), [])
  assert.deepEqual(told(await changed({ 'a.png': file('89504e47') }, { 'a.png': 'x' })), [
    'binary: `a.png` is a binary file of 1.5 kB, and was changed.',
  ])
})

test('new executables, links and changed links are found', async () => {
  const executable = { mode: '100755', content: '#!/bin/sh\n' }
  const link = (content: string) => ({ mode: '120000', content })
  assert.deepEqual(told(await changed({ 'bin/x': executable })), [
    'mode: `bin/x` is new and can be executed.',
  ])
  assert.deepEqual(told(await changed({ x: link('src') })), ['mode: `x` is a new link to `src`.'])
  assert.deepEqual(told(await changed({ x: link('lib') }, { x: link('src') })), [
    'mode: `x` is a link, and leads to `lib` now.',
  ])
})

test('a submodule is told of even where a person has allowed it', async () => {
  const head = { vendor: { mode: '160000', content: 'x' }, '.gitmodules': '[submodule "vendor"]\n' }
  const guarding = {
    base: 'base',
    head: 'head',
    deniedPaths: [],
    exceptions: Object.keys(head),
    pinned: new Map(),
  }
  const { refusals, findings } = await guard(objectsOf({}, head), guarding)
  assert.deepEqual(refusals, [])
  assert.deepEqual(kindsOf(findings), ['submodules', 'submodules'])
})

test('what cannot be read is asked about as the worst it may be', async () => {
  assert.deepEqual(kindsOf(await changed({ 'a.txt': Buffer.alloc(5_000_001, 'a') })), ['hidden_text', 'size'])
  assert.deepEqual(kindsOf(await changed({ 'a.bin': Buffer.alloc(5_000_001) })), ['program', 'size'])
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`a/${at}.txt`, Buffer.alloc(4_900_000, `${at} `)]),
  )
  const [all, ...others] = await changed(many)
  assert.deepEqual([all?.kind, all?.path, others], ['hidden_text', 'a/', []])
  assert.match(
    all!.says,
    /^`a\/` has \d+ findings in \d+ files about hidden characters\. The first: .* was not checked/,
  )
})

test('thousands of files make a few sentences, each once and always in the same order', async () => {
  const many: Tree = {}
  for (let at = 0; at < 2_000; at++) {
    many[`.github/workflows/${at}.yml`] = 'x\n'
    many[`gen/${at % 20}/f${at}.bin`] = Buffer.from([0, at % 256, at >> 8])
    many[`src/${at}.ts`] = `a\u202e${at}\n`
    many[`d/${at}/.gitattributes`] = '* -diff\n'
  }
  const findings = await changed(many)
  assert.ok(findings.length < 40, `${findings.length}`)
  assert.ok(
    told(findings).some((text) =>
      text.startsWith('ci: `.github/workflows/` has 2000 findings in 2000 files about CI pipelines. '),
    ),
  )
  assert.ok(told(findings).some((text) => text.startsWith('binary: `gen/` has 2000 findings in 2000 files')))
  const shuffled = Object.fromEntries(Object.entries(many).reverse())
  assert.deepEqual(await changed(shuffled), findings)
})

test('no change has more findings than a report takes', async () => {
  const file = fc.record({ folder: fc.array(name, { maxLength: 3 }), glob: fc.constantFrom(...controlGlobs) })
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 200 }), async (files) => {
      const tree = Object.fromEntries(
        files.map(({ folder, glob: { glob } }) => [
          [...folder, ...glob.replaceAll('**', 'x').replaceAll('*', 'y').split('/')].join('/'),
          'a\u202e\n',
        ]),
      )
      const findings = await changed(tree)
      assert.ok(findings.length < 200)
      for (const { says } of findings) assert.ok(says.length <= 1_000)
    }),
    { numRuns: 30 },
  )
})

test('a person is asked about every kind but those that the policy lets pass', () => {
  assert.deepEqual(openKinds(findingKinds), findingKinds)
  assert.deepEqual(openKinds(findingKinds, []), findingKinds)
  assert.deepEqual(openKinds([...findingKinds, 'report'], findingKinds), ['report'])
  fc.assert(
    fc.property(fc.subarray([...findingKinds]), (allowed) => {
      assert.deepEqual(
        openKinds(findingKinds, allowed),
        findingKinds.filter((kind) => !allowed.includes(kind)),
      )
    }),
  )
})

test('hostile text does not keep the guard busy', async () => {
  const long = 1_000_000
  const bad: Tree = {
    'package-lock.json': `"${'a@'.repeat(long / 2)}"`,
    'yarn.lock': 'https:'.repeat(long / 6),
    'pnpm-lock.yaml': ` ${'  deprecated:'.repeat(long / 13)}`,
    'go.mod': '=>'.repeat(long / 2),
    'pyproject.toml': '[\n'.repeat(long / 2),
    'pom.xml': '<version>'.repeat(long / 9),
    'build.gradle': 'implementation ('.repeat(long / 16),
    'Cargo.lock': `${'a+'.repeat(long / 2)}://`,
    'src/a.test.ts': '{ '.repeat(long / 2),
    'src/b.ts': '\u200d'.repeat(long / 3),
    'src/c.ts': 'a\u0430'.repeat(long / 3),
    'go.sum': 'a\n'.repeat(long / 2),
  }
  // What it took of the processor: the clock also counts what others took.
  const begun = process.cpuUsage()
  await changed(bad)
  const { user } = process.cpuUsage(begun)
  assert.ok(user < 20_000_000, `${user / 1_000} ms`)
})

test('every kind has its words', () => {
  assert.deepEqual(Object.keys(findingWords), [...findingKinds])
})
