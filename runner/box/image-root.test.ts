import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../test/origin.ts'
import { parseLdd } from './host-programs.ts'
import { imageMounts, TooManyNames } from './image-root.ts'

/** Of arguments of bubblewrap, where each puts something. */
const placesIn = (args: string[]) => args.filter((_, at) => at % 3 === 2)

test('an image is shown by its folders, and by what is in them where something of ours stands below', (t) => {
  const root = temporaryFolder(t)
  for (const name of ['usr/bin', 'var/lib/old', 'var/cache', 'home/somebody', 'tmp'])
    mkdirSync(path.join(root, name), { recursive: true })
  symlinkSync('usr/bin', path.join(root, 'bin'))
  symlinkSync('/oldroot/etc', path.join(root, 'srv'))
  writeFileSync(path.join(root, 'init'), '')
  assert.deepEqual(imageMounts(root, ['/tmp', '/var/lib/runner/work', '/srv/runner/home']), [
    ...['--symlink', 'usr/bin', '/bin'],
    ...['--ro-bind', `${root}/home`, '/home'],
    ...['--ro-bind', `${root}/init`, '/init'],
    ...['--ro-bind', `${root}/usr`, '/usr'],
    ...['--ro-bind', `${root}/var/cache`, '/var/cache'],
    ...['--ro-bind', `${root}/var/lib/old`, '/var/lib/old'],
  ])
})

test('nothing of an image is on the way to where something of ours stands, whatever it calls a link', (t) => {
  const name = fc.constantFrom('a', 'b', 'c')
  const names = fc.array(name, { minLength: 1, maxLength: 4 })
  const entry = fc.record({ at: names, kind: fc.constantFrom('folder', 'link', 'file') })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.array(names, { maxLength: 4 }), (entries, points) => {
      const root = temporaryFolder(t)
      for (const { at, kind } of entries) make(path.join(root, ...at), kind)
      const ours = points.map((point) => `/${point.join('/')}`)
      for (const shown of placesIn(imageMounts(root, ours)))
        for (const point of ours) assert.equal(`${point}/`.startsWith(`${shown}/`), false)
    }),
    { numRuns: 60 },
  )
})

/** As far as it can be had below what is there already. */
function make(file: string, kind: string): void {
  try {
    if (kind === 'folder') mkdirSync(file, { recursive: true })
    else mkdirSync(path.dirname(file), { recursive: true })
    if (kind === 'link') symlinkSync('/oldroot/etc', file)
    if (kind === 'file') writeFileSync(file, '', { flag: 'wx' })
  } catch {
    // Something else stands there, or on the way.
  }
}

test('an image with more names at one level than a box can be told of is refused', (t) => {
  const root = temporaryFolder(t)
  for (let at = 0; at <= 500; at += 1) writeFileSync(path.join(root, `file-${at}`), '')
  assert.throws(() => imageMounts(root, []), TooManyNames)
})

test('what a program of the machine needs is read from what its loader says', () => {
  const told = `\tlinux-vdso.so.1 (0x00007ffd)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n`
  assert.deepEqual(parseLdd(told), {
    loader: '/lib64/ld-linux-x86-64.so.2',
    libraries: ['/lib/x86_64-linux-gnu/libm.so.6', '/lib/x86_64-linux-gnu/libc.so.6'],
  })
  const musl = `\t/lib/ld-musl-x86_64.so.1 (0x7f)
\tlibstdc++.so.6 => /usr/lib/libstdc++.so.6 (0x7f)
\tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f)\n`
  assert.deepEqual(parseLdd(musl), {
    loader: '/lib/ld-musl-x86_64.so.1',
    libraries: ['/usr/lib/libstdc++.so.6'],
  })
  assert.deepEqual(parseLdd('\tstatically linked\n'), { loader: null, libraries: [] })
  assert.equal(parseLdd('\tlibfoo.so => not found\n'), null)
})
