import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { rootWarning } from '../process.ts'
import { giveTree } from './hand-over.ts'
import { launchCommand, stageSources } from './launch.ts'
import { measureBox } from './measure.ts'
import { type AskUsers, chooseOwner, isReachable } from './owner.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-owner-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const { box } = await measureBox()
const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? false : 'only root can'

const users =
  (known: Record<string, number>): AskUsers =>
  (program, ...args) => {
    const asked = args.at(-1)!
    if (program === 'id') return asked in known ? String(known[asked]) : null
    return Object.values(known).includes(Number(asked)) ? 'somebody' : null
  }

test('an ordinary user stays who they are, and cannot be told to be another', () => {
  assert.equal(chooseOwner(null, 1000, users({})), null)
  assert.throws(() => chooseOwner('ada', 1000, users({ ada: 1001 })), /--user only works if root/)
})

test('root works as whom it is told, as signalbox, or as a number that no one has', () => {
  assert.deepEqual(chooseOwner('ada', 0, users({ ada: 1001 })), { uid: 1001, gid: 1001 })
  assert.deepEqual(chooseOwner(null, 0, users({ signalbox: 990 })), { uid: 990, gid: 990 })
  assert.deepEqual(chooseOwner(null, 0, users({ other: 61_184 })), { uid: 61_185, gid: 61_185 })
  assert.throws(() => chooseOwner('root', 0, users({ root: 0 })), /is root/)
  assert.throws(() => chooseOwner('bob', 0, users({})), /useradd --system bob/)
})

test('a path below a folder that lets no one pass is out of reach', { skip: asRoot }, () => {
  const shut = path.join(folder, 'shut')
  mkdirSync(path.join(shut, 'in'), { recursive: true, mode: 0o755 })
  chmodSync(shut, 0o700)
  chmodSync(folder, 0o755)
  const owner = { uid: 61_184, gid: 61_184 }
  assert.equal(isReachable(owner, path.join(shut, 'in')), false)
  assert.equal(isReachable(owner, shut), true)
  chownSync(shut, owner.uid, owner.gid)
  assert.equal(isReachable(owner, path.join(shut, 'in')), true)
})

test('what cannot be reached is put elsewhere, once with all that is in it, and no value is taken for an option', {
  skip: asRoot,
}, () => {
  const shut = path.join(folder, 'staged')
  mkdirSync(path.join(shut, 'tree', 'deep'), { recursive: true })
  chmodSync(shut, 0o700)
  const tree = path.join(shut, 'tree')
  const args = [
    '--setenv',
    'NAME',
    '--bind',
    '--bind',
    tree,
    tree,
    '--ro-bind',
    `${tree}/deep`,
    `${tree}/deep`,
  ]
  const { sources, staged } = stageSources({ uid: 61_184, gid: 61_184 }, [
    ...args,
    '--ro-bind',
    '/usr',
    '/usr',
  ])
  assert.deepEqual(sources, [tree])
  assert.match(staged[4]!, /-stage\/0$/)
  assert.match(staged[7]!, /-stage\/0\/deep$/)
  assert.deepEqual(staged.slice(0, 3), args.slice(0, 3))
  assert.deepEqual(staged.slice(-3), ['--ro-bind', '/usr', '/usr'])
})

test('where nothing is to be done before the box, nothing stands before it', () => {
  assert.deepEqual(launchCommand(['bwrap'], { keyctl: false, owner: null, cgroups: [], sources: [] }), [
    'bwrap',
  ])
})

test('a tree is handed over with what is in it, and nothing that a link leads to', { skip: asRoot }, () => {
  const [tree, outside] = [path.join(folder, 'tree'), path.join(folder, 'outside')]
  mkdirSync(path.join(tree, 'a', 'b'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(path.join(outside, 'kept'), '')
  writeFileSync(path.join(tree, 'a', 'b', 'file'), '')
  symlinkSync(outside, path.join(tree, 'a', 'way-out'))
  symlinkSync(path.join(outside, 'kept'), path.join(tree, 'name'))
  linkSync(path.join(outside, 'kept'), path.join(tree, 'twin'))
  const owner = { uid: 61_184, gid: 61_184 }
  giveTree(owner, tree)
  const uidOf = (file: string) => lstatSync(file).uid
  for (const file of ['', 'a', 'a/b', 'a/b/file', 'a/way-out', 'name'])
    assert.equal(uidOf(path.join(tree, file)), owner.uid, file)
  assert.deepEqual([uidOf(outside), uidOf(path.join(outside, 'kept'))], [0, 0])
  giveTree(owner, path.join(tree, 'a', 'way-out'))
  assert.equal(uidOf(outside), 0)
})

test('started by root, what is in the box is not root, and still has all that it is given', {
  skip: asRoot || (box.isolation.backend ? false : 'bubblewrap is not there'),
}, async () => {
  const place = mkdtempSync(path.join(folder, 'shut-'))
  const [worktree, home, out] = ['worktree', 'home', 'out'].map((name) => path.join(place, name))
  for (const made of [worktree!, home!, out!]) mkdirSync(made)
  writeFileSync(path.join(home!, 'configuration'), 'for its eyes', { mode: 0o600 })
  writeFileSync(path.join(worktree!, 'file'), 'before', { mode: 0o644 })
  const boxed = box.start(
    ['/bin/sh', '-c', 'id -u; id -un; cat "$HOME/configuration"; echo after > file; echo done > /out/result'],
    {
      ...{ worktree: worktree!, home: home!, out: out!, readable: [path.dirname(process.execPath)] },
      ...{ denied: [], environment: {}, gateway: null, network: 'none' },
    },
  )
  boxed.stdin.end()
  const [printed, complained] = await Promise.all([text(boxed.stdout), text(boxed.stderr), boxed.ended])
  const [uid, name, configuration] = printed.split('\n')
  assert.equal(complained, '')
  assert.equal(Number(uid), box.owner!.uid)
  assert.notEqual(name, '')
  assert.equal(configuration, 'for its eyes')
  for (const file of [path.join(worktree!, 'file'), path.join(out!, 'result')])
    assert.equal(lstatSync(file).uid, box.owner!.uid)
  assert.equal(box.isolation.user, 'dropped')
})

test('a runner that root has started says whom agents run as', () => {
  assert.match(rootWarning({ user: 'dropped' }), /run as another user/)
  assert.match(rootWarning({ user: 'root' }), /agents run as root too/)
})
