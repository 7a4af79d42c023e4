import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder, write } from '../test/origin.ts'
import { HeldFolder } from './held-folder.ts'

/** Links are not followed: they may lead round in circles. */
function namesBelow(folder: string, within = ''): string[] {
  return readdirSync(path.join(folder, within), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(within, entry.name)
    return entry.isDirectory() ? [name, ...namesBelow(folder, name)] : [name]
  })
}

/** Everything below a folder with what it is and holds: the same text when nothing was touched. */
function pictureOf(folder: string): string {
  return namesBelow(folder)
    .sort()
    .map((name) => {
      const file = path.join(folder, name)
      const found = lstatSync(file)
      const holds = found.isSymbolicLink()
        ? readlinkSync(file)
        : found.isFile()
          ? readFileSync(file, 'utf8')
          : ''
      return `${name} ${found.mode} ${holds}`
    })
    .join('\n')
}

test('a file is written, read, listed, moved and removed below the folder', (t) => {
  using held = HeldFolder.open(temporaryFolder(t))
  held.write('a/b/c.txt', 'hello')
  assert.equal(String((held.read('a/b/c.txt', 10) as { bytes: Buffer }).bytes), 'hello')
  assert.deepEqual(held.read('a/b/c.txt', 4), { none: 'too large' })
  assert.deepEqual(held.list('a'), [{ name: 'b', kind: 'folder' }])
  held.rename('a/b/c.txt', 'a/b/d.txt')
  assert.deepEqual(
    [...held.walk({ folders: 10 })].map((found) => found.path),
    ['a', 'a/b', 'a/b/d.txt'],
  )
  held.remove('a')
  assert.deepEqual(held.list(), [])
})

test('a link, a pipe and a folder are no file, and a link is nowhere to go', (t) => {
  const folder = temporaryFolder(t)
  write(folder, { 'outside/secret': 'secret', 'in/folder/x': 'x' })
  symlinkSync('../outside/secret', path.join(folder, 'in/link'))
  symlinkSync('../outside', path.join(folder, 'in/door'))
  execFileSync('/bin/sh', ['-c', 'mkfifo pipe'], { cwd: path.join(folder, 'in') })
  using held = HeldFolder.open(path.join(folder, 'in'))
  assert.deepEqual(held.read('link', 100), { none: 'link' })
  assert.deepEqual(held.read('door/secret', 100), { none: 'missing' })
  assert.deepEqual(held.read('pipe', 100), { none: 'not a file' })
  assert.deepEqual(held.read('folder', 100), { none: 'not a file' })
  assert.deepEqual(held.list('door'), [])
  for (const name of ['../outside/secret', '/etc/passwd', 'folder/../../outside/secret', 'a\0b', ''])
    assert.deepEqual(held.read(name, 100), { none: 'missing' }, name)
  for (const name of ['../x', '/tmp/x', ''])
    assert.throws(() => held.write(name, 'x'), /is not the name of a file in a folder/, name)
  assert.throws(() => HeldFolder.open(path.join(folder, 'in/door')))
})

test('folders whose rights were taken are removed all the same', (t) => {
  const folder = temporaryFolder(t)
  write(folder, { 'in/locked/deep/x': 'x', 'in/kept/y': 'y' })
  chmodSync(path.join(folder, 'in/locked/deep'), 0o000)
  chmodSync(path.join(folder, 'in/locked'), 0o000)
  chmodSync(path.join(folder, 'in/kept'), 0o000)
  using held = HeldFolder.open(path.join(folder, 'in'))
  held.remove('locked')
  held.write('kept/z', 'z')
  assert.deepEqual(readdirSync(path.join(folder, 'in')), ['kept'])
  assert.deepEqual(readdirSync(path.join(folder, 'in/kept')).sort(), ['y', 'z'])
})

test('a folder that becomes a link between two looks is not followed', (t) => {
  const folder = temporaryFolder(t)
  write(folder, { 'outside/a': 'a', 'in/x/a': 'ours' })
  using held = HeldFolder.open(path.join(folder, 'in'))
  for (const found of held.walk({ folders: 10 })) {
    if (found.path !== 'x') continue
    held.remove('x')
    symlinkSync('../outside', path.join(folder, 'in/x'))
  }
  held.write('x/b', 'b')
  assert.deepEqual(readdirSync(path.join(folder, 'outside')), ['a'])
  assert.ok(!lstatSync(path.join(folder, 'in/x')).isSymbolicLink())
})

test('whatever lies in the folder, nothing outside of it is read, written or removed', (t) => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const target = fc.constantFrom('../outside', '../outside/secret', '/etc', '..', '.', '../../x', 'a', 'b/c')
  const thing = fc.record({ place, what: fc.constantFrom('file', 'folder', 'link'), target })
  const act = fc.record({
    place,
    how: fc.constantFrom('read', 'write', 'makeFolder', 'remove', 'list', 'walk'),
  })
  fc.assert(
    fc.property(fc.array(thing, { maxLength: 12 }), fc.array(act, { maxLength: 8 }), (things, acts) => {
      const folder = temporaryFolder(t)
      write(folder, { 'outside/secret': 'secret', 'outside/deep/x': 'x' })
      mkdirSync(path.join(folder, 'in'))
      for (const { place, what, target } of things) {
        const file = path.join(folder, 'in', place)
        try {
          mkdirSync(path.dirname(file), { recursive: true })
          if (what === 'file') writeFileSync(file, 'of the agent', { flag: 'wx' })
          else if (what === 'folder') mkdirSync(file)
          else symlinkSync(target, file)
        } catch {
          // Something stands there already, or a link leads out: that is for the next to make of it what it can.
        }
      }
      const before = pictureOf(path.join(folder, 'outside'))
      using held = HeldFolder.open(path.join(folder, 'in'))
      for (const { place, how } of acts) {
        if (how === 'write') held.write(place, 'ours')
        else if (how === 'read') {
          const found = held.read(place, 100)
          if ('bytes' in found) assert.match(String(found.bytes), /^(ours|of the agent)$/)
        } else if (how === 'walk') assert.ok([...held.walk({ folders: 50 })].length < 200)
        else held[how](place)
      }
      assert.equal(pictureOf(path.join(folder, 'outside')), before)
      assert.ok(!existsSync(path.join(folder, 'x')))
    }),
    { numRuns: 200 },
  )
})
