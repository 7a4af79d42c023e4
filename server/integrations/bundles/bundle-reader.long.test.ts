import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { guard } from '@signalbox/contract/guard/guard.ts'
import fc from 'fast-check'
import { plainGit, storeOf, write } from '../../../runner/test/origin.ts'
import type { ReadChange, Unreadable } from '../../domain/ports/change-reader.ts'
import { BundleReader } from './bundle-reader.ts'

/** What the server finds out of the bytes of a runner's bundle, and of bytes that were made to hurt it. */

const reader = new BundleReader()
const held = { deniedPaths: ['infra/**'], exceptions: [], pinned: new Map<string, Buffer>() }
const look = (base: string, head: string, bytes: Buffer) =>
  reader.read({ ...held, base, head, bytes: async () => bytes })

function readable(read: ReadChange | Unreadable): ReadChange {
  assert.ok(!('unreadable' in read), JSON.stringify(read).slice(0, 500))
  return read
}
const reasonOf = (read: ReadChange | Unreadable) => ('unreadable' in read ? read.unreadable : 'it was read')

const files = {
  'src/a.ts': 'a\nb\nc\n',
  'src/deep/er/b.ts': 'b\n',
  'docs/guide.md': 'Guide\n',
  'infra/main.tf': 'one\n',
}

/** A runner that commits whatever is in its worktree, and bundles it. */
async function aRunner(t: TestContext, before: Record<string, string> = files) {
  const { store, base, folder, origin } = await storeOf(t, before)
  const bundled = async (change: (worktree: string) => void) => {
    const worktree = await store.checkout(base)
    change(worktree.folder)
    const head = await worktree.commit(base, 'Work')
    await worktree.release()
    const file = path.join(folder, 'work.bundle')
    await store.bundle(base, head, file)
    return { head, bytes: readFileSync(file) }
  }
  return { store, base, origin, bundled }
}

test('what a runner bundles can be looked at alone, and comes to what the runner sees in its repository', async (t) => {
  const { store, base, bundled } = await aRunner(t)
  const changes: [string, (worktree: string) => void][] = [
    ['an edit deep down', (at) => write(at, { 'src/deep/er/b.ts': 'B\n' })],
    ['a folder that is copied unchanged', (at) => write(at, { 'copy/er/b.ts': 'b\n' })],
    [
      'a file that moves',
      (at) => {
        rmSync(path.join(at, 'docs/guide.md'))
        write(at, { 'guide.md': 'Guide\n' })
      },
    ],
    [
      'a file in the place of a folder',
      (at) => {
        rmSync(path.join(at, 'docs'), { recursive: true })
        write(at, { docs: 'No more.\n' })
      },
    ],
    ['a denied path', (at) => write(at, { 'infra/main.tf': 'two\n' })],
    ['a link', (at) => symlinkSync('../src/a.ts', path.join(at, 'docs/a'))],
    ['a name that is another’s twin', (at) => write(at, { 'SRC/new.ts': 'x\n' })],
    ['what is measured', (at) => write(at, { '.github/workflows/ci.yml': 'on: push\n' })],
  ]
  for (const [name, change] of changes) {
    const { head, bytes } = await bundled(change)
    const read = readable(await look(base, head, bytes))
    const seen = await guard(store, { ...held, base, head })
    const { change: found, denied, spec, refusals, findings } = read
    const sorted = ({ paths, ...rest }: typeof found) => ({ ...rest, paths: paths.toSorted() })
    assert.deepEqual(sorted(found), sorted(seen.change), name)
    assert.deepEqual(
      { denied, spec, findings },
      { denied: seen.denied, spec: seen.spec, findings: seen.findings },
      name,
    )
    assert.equal(refusals.length, seen.refusals.length, name)
    assert.equal(read.diff.text, await store.diff(base, head), name)
    assert.deepEqual([read.commits, read.outside], [[head], []], name)
  }
})

test('an unchanged rest of the repository is not carried along', async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [
      `lib/${at}.bin`,
      createHash('sha512').update(`${at}`).digest('hex'),
    ]),
  )
  const { bundled } = await aRunner(t, { ...files, ...many })
  const { bytes } = await bundled((at) => write(at, { 'src/a.ts': 'A\n' }))
  assert.ok(bytes.length < 3_000, `${bytes.length} bytes`)
})

test('any change comes to the same for the server as for the runner', async (t) => {
  const { store, base, bundled } = await aRunner(t)
  const name = fc.constantFrom('a', 'src/a.ts', 'src/deep/x', 'docs', 'docs/guide.md', 'b/c/d', 'infra/new')
  const edits = fc.uniqueArray(fc.tuple(name, fc.option(fc.constantFrom('x\n', 'a\nb\n', 'b\n'))), {
    maxLength: 4,
    selector: ([at]) => at,
  })
  await fc.assert(
    fc.asyncProperty(edits, async (wanted) => {
      const { head, bytes } = await bundled((at) => {
        for (const [file, content] of wanted) {
          const place = path.join(at, file)
          rmSync(place, { recursive: true, force: true })
          for (let up = path.dirname(file); up !== '.'; up = path.dirname(up)) clearFile(path.join(at, up))
          if (content !== null) write(at, { [file]: content })
        }
      })
      const read = readable(await look(base, head, bytes))
      const seen = await guard(store, { ...held, base, head })
      assert.deepEqual(
        { ...read.change, paths: read.change.paths.toSorted() },
        { ...seen.change, paths: seen.change.paths.toSorted() },
      )
      assert.equal(read.diff.text, await store.diff(base, head))
    }),
    { numRuns: process.env.FAULTS === 'all' ? 100 : 6 },
  )
})

function clearFile(place: string): void {
  try {
    mkdirSync(place, { recursive: true })
  } catch {
    rmSync(place)
  }
}

test('a bundle of an older runner says that the runner is to be upgraded', async (t) => {
  const { origin, base } = await aRunner(t, { 'a.txt': `${'line\n'.repeat(500)}` })
  write(origin, { 'a.txt': `${'line\n'.repeat(500)}more\n` })
  plainGit(origin, ['commit', '--quiet', '--all', '-m', 'More'])
  const head = plainGit(origin, ['rev-parse', 'HEAD'])
  const file = path.join(origin, '..', 'thin.bundle')
  plainGit(origin, ['bundle', 'create', '--quiet', file, 'main', `^${base}`])
  assert.match(reasonOf(await look(base, head, readFileSync(file))), /Upgrade the runner\.$/)
})

test('a commit that names a parent where git does not look does not build on it', async (t) => {
  const { origin, base } = await aRunner(t)
  const tree = plainGit(origin, ['rev-parse', `${base}^{tree}`])
  const who = 'Ada <ada@example.com> 1700000000 +0000'
  const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\nparent ${base}\n\nMine\n`
  const head = plainGit(origin, ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], text)
  const bytes = packed(origin, base, head)
  assert.match(reasonOf(await look(base, head, bytes)), /history was rewritten|can’t be unpacked/)
})

/** A bundle of everything that leads to the two. */
function packed(origin: string, base: string, head: string): Buffer {
  const ids = plainGit(origin, ['rev-list', '--objects', head, base])
    .split('\n')
    .map((line) => line.split(' ')[0])
  const file = path.join(origin, '..', 'x')
  const name = plainGit(origin, ['pack-objects', '--quiet', file], `${ids.join('\n')}\n`)
  return bundleOf(base, head, readFileSync(`${file}-${name}.pack`))
}

const bundleOf = (base: string, head: string, pack: Buffer) =>
  Buffer.concat([Buffer.from(`# v2 git bundle\n-${base} \n${head} refs/heads/x\n\n`), pack])

// Packs that are made by hand.

type Kind = 'commit' | 'tree' | 'blob'
const types = { commit: 1, tree: 2, blob: 3, refDelta: 7 }

function entry(type: keyof typeof types, size: number, body: Buffer): Buffer {
  const bytes = [(types[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.concat([Buffer.from(bytes), body])
}

const idOf = (kind: Kind, content: Buffer) =>
  createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest('hex')

class Pack {
  readonly #entries: Buffer[] = []

  add(kind: Kind, content: Buffer): string {
    this.#entries.push(entry(kind, content.length, deflateSync(content)))
    return idOf(kind, content)
  }

  /** An object of so many bytes, which is told in a few. */
  addDelta(base: string, baseSize: number, copies: number): void {
    const copy = Buffer.from([0b11110000, baseSize & 255, (baseSize >> 8) & 255, (baseSize >> 16) & 255])
    const delta = Buffer.concat([
      varint(baseSize),
      varint(baseSize * copies),
      ...Array<Buffer>(copies).fill(copy),
    ])
    this.#entries.push(
      entry('refDelta', delta.length, Buffer.concat([Buffer.from(base, 'hex'), deflateSync(delta)])),
    )
  }

  /** A tree of one level, each of whose entries is the same. */
  tree(mode: string, id: string, names: string[]): string {
    const content = Buffer.concat(
      names.map((name) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])),
    )
    return this.add('tree', content)
  }

  commit(tree: string, parents: string[]): string {
    const who = 'Ada <ada@example.com> 1700000000 +0000'
    const lines = [
      `tree ${tree}`,
      ...parents.map((one) => `parent ${one}`),
      `author ${who}`,
      `committer ${who}`,
    ]
    return this.add('commit', Buffer.from(`${lines.join('\n')}\n\nx\n`))
  }

  get bytes(): Buffer {
    const head = Buffer.concat([Buffer.from('PACK'), uint32(2), uint32(this.#entries.length)])
    const body = Buffer.concat([head, ...this.#entries])
    return Buffer.concat([body, createHash('sha1').update(body).digest()])
  }
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
function varint(value: number): Buffer {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes)
}

const names = Array.from({ length: 20 }, (_, at) => `n${String(at).padStart(2, '0')}`)
const empty = Buffer.alloc(0)

const bombs: Record<string, (pack: Pack, file: string) => string> = {
  'a file that inflates to hundreds of megabytes': (pack) =>
    pack.tree('100644', pack.add('blob', Buffer.alloc(600_000_000)), ['zeros']),
  'a delta that grows to gigabytes': (pack, file) => {
    const base = Buffer.alloc(16_000_000)
    pack.addDelta(pack.add('blob', base), base.length, 400)
    return pack.tree('100644', file, ['x'])
  },
  'many deltas that come to much': (pack, file) => {
    const base = Buffer.alloc(10_000_000)
    const id = pack.add('blob', base)
    for (let copies = 2; copies < 14; copies += 1) pack.addDelta(id, base.length, copies)
    return pack.tree('100644', file, ['x'])
  },
  'small trees that hold each other many times over': (pack, file) => {
    let tree = pack.tree('100644', file, names)
    for (let level = 0; level < 10; level += 1) tree = pack.tree('40000', tree, names)
    return tree
  },
  'folders that nest without an end': (pack, file) => {
    let tree = pack.tree('100644', file, ['x'])
    for (let level = 0; level < 3_000; level += 1) tree = pack.tree('40000', tree, ['d'])
    return tree
  },
}

for (const [name, make] of Object.entries(bombs))
  test(`a bomb is refused, and the server goes on: ${name}`, async () => {
    const pack = new Pack()
    const file = pack.add('blob', Buffer.from('x\n'))
    const base = pack.commit(pack.tree('100644', file, ['old']), [])
    const head = pack.commit(make(pack, file), [base])
    const bytes = bundleOf(base, head, pack.bytes)
    assert.ok(bytes.length < 32_000_000)
    // What this thread computes, not how long it takes: others may be using the machine.
    const before = process.threadCpuUsage()
    assert.match(reasonOf(await look(base, head, bytes)), /larger than the server can unpack/)
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(user + system < 1_000_000, `the server was busy with it for ${user + system} µs`)
  })

test('a pack that says it has millions of objects is refused unread', async () => {
  const pack = new Pack()
  const base = pack.commit(pack.tree('100644', pack.add('blob', empty), ['x']), [])
  const { bytes } = pack
  bytes.writeUInt32BE(5_000_000, 8)
  assert.match(
    reasonOf(await look(base, 'a'.repeat(40), bundleOf(base, 'a'.repeat(40), bytes))),
    /larger than the server can unpack/,
  )
})

test('what is cut off, mixed up or empty is unreadable, and never an error of the server', async (t) => {
  const { base, bundled } = await aRunner(t)
  const { head, bytes } = await bundled((at) => write(at, { 'src/a.ts': 'A\n' }))
  for (const broken of [
    empty,
    bytes.subarray(0, 60),
    bytes.subarray(0, bytes.length - 30),
    Buffer.from('PACK'),
  ])
    assert.match(reasonOf(await look(base, head, broken)), /Upgrade|can’t be unpacked/)
  const flipped = Buffer.from(bytes)
  flipped[flipped.length - 40]! ^= 255
  assert.match(reasonOf(await look(base, head, flipped)), /can’t be unpacked/)
  assert.match(reasonOf(await look(head, base, bytes)), /does not lead from/)
})
