import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder, write } from '../test/origin.ts'
import { placeSpec } from './place.ts'
import { readSpec } from './read.ts'
import { packSpec, placedFiles, SpecError, specFolder, unpackSpec } from './spec.ts'

const manifest = (files: unknown, command: unknown = 'node --test') => JSON.stringify({ command, files })

test('a spec is read from the result folder as its manifest names it', async (t) => {
  const folder = temporaryFolder(t)
  write(folder, {
    'acceptance/manifest.json': manifest(['a.test.ts', 'data/b.json'], ' sh run.sh '),
    'acceptance/a.test.ts': 'a',
    'acceptance/data/b.json': 'b',
    'acceptance/other.txt': 'not named',
  })
  const spec = readSpec(folder)
  assert.equal(spec.command, 'sh run.sh')
  assert.deepEqual([...spec.files.keys()], ['a.test.ts', 'data/b.json'])
  assert.deepEqual(
    [...placedFiles(specFolder('WEB-1'), spec).keys()],
    ['.kanman/acceptance/WEB-1/a.test.ts', '.kanman/acceptance/WEB-1/data/b.json'],
  )
})

test('what leads elsewhere, is too large or is not there is refused in words', async (t) => {
  const folder = temporaryFolder(t)
  const cases: [files: unknown, words: RegExp, put?: () => void][] = [
    [['missing.ts'], /no file acceptance\/missing\.ts/],
    [['../plan.json'], /may not have a file with the name/],
    [['/etc/passwd'], /may not have/],
    [['a\\..\\b'], /may not have/],
    [['.git/config'], /may not have/],
    [['GIT~1/config'], /may not have/],
    [['a:b'], /may not have/],
    [['a\u200b'], /may not have/],
    [['a', 'A'], /two files with the name "A"/],
    [['a', 'a/b'], /is inside a path that is itself a file/],
    [['link'], /is a link/, () => symlinkSync('/etc/passwd', path.join(folder, 'acceptance/link'))],
    [
      ['door/passwd'],
      /no file acceptance\/door\/passwd/,
      () => symlinkSync('/etc', path.join(folder, 'acceptance/door')),
    ],
    [['folder'], /is not a file/, () => mkdirSync(path.join(folder, 'acceptance/folder'))],
    [
      ['big'],
      /larger than 1 MB/,
      () => writeFileSync(path.join(folder, 'acceptance/big'), Buffer.alloc(1_000_001)),
    ],
    [[], /files must not have fewer than 1/],
    ['a', /files must be array/],
  ]
  for (const [files, words, put] of cases) {
    rmSync(path.join(folder, 'acceptance'), { recursive: true, force: true })
    write(folder, { 'acceptance/manifest.json': manifest(files) })
    put?.()
    assert.throws(
      () => readSpec(folder),
      (error) => error instanceof SpecError && words.test(error.message),
      `${JSON.stringify(files)} ${words}`,
    )
  }
  write(folder, { 'acceptance/manifest.json': '{' })
  assert.throws(() => readSpec(folder), /is not JSON/)
  write(folder, { 'acceptance/manifest.json': manifest(['a'], '  ') })
  assert.throws(() => readSpec(folder), /has no command/)
})

test('a folder of results that is a link is not followed', async (t) => {
  const folder = temporaryFolder(t)
  write(folder, { 'elsewhere/manifest.json': manifest(['a']), 'elsewhere/a': 'x' })
  symlinkSync('elsewhere', path.join(folder, 'acceptance'))
  assert.throws(() => readSpec(folder), SpecError)
})

test('a pin stands for exactly these files', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,5}\.ts$/), fc.uint8Array(), { minKeys: 1 }),
      (contents) => {
        const files = new Map(Object.entries(contents).map(([name, bytes]) => [name, Buffer.from(bytes)]))
        const { text, pin } = packSpec({ files })
        const turned = packSpec({ files: new Map([...files].reverse()) })
        assert.equal(turned.pin, pin)
        assert.deepEqual(new Map([...unpackSpec(text, pin)].sort()), new Map([...files].sort()))
        assert.throws(() => unpackSpec(`${text} `, pin), /not the one that was pinned/)
      },
    ),
  )
})

test('a pin that leads out of its folder is refused even if its hash is right', () => {
  const { text, pin } = packSpec({ files: new Map([['../../x', Buffer.from('x')]]) })
  assert.throws(() => unpackSpec(text, pin), SpecError)
})

test('a spec is put where it belongs, through no link, and nothing else stays there', async (t) => {
  const folder = temporaryFolder(t)
  const files = new Map([['deep/a.ts', Buffer.from('pinned')]])
  const place = specFolder('WEB-1')
  write(folder, { 'outside/acceptance/WEB-1/keep': 'x', 'tree/.keep': '' })
  symlinkSync('../outside', path.join(folder, 'tree/.kanman'))
  const tree = path.join(folder, 'tree')
  placeSpec(tree, place, { files })
  assert.ok(lstatSync(path.join(tree, '.kanman')).isDirectory())
  assert.deepEqual(readdirSync(path.join(folder, 'outside/acceptance/WEB-1')), ['keep'])
  rmSync(path.join(tree, place, 'deep'), { recursive: true })
  write(tree, { [`${place}/extra`]: 'x', [`${place}/deep`]: 'a file now' })
  placeSpec(tree, place, { files })
  assert.deepEqual(readdirSync(path.join(tree, place)), ['deep'])
  assert.equal(readFileSync(path.join(tree, place, 'deep/a.ts'), 'utf8'), 'pinned')
})
