import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { plainGit, storeOf, write } from '../test/origin.ts'
import { collectGarbage, type Keeping } from './garbage.ts'
import { Stores } from './store.ts'

const hour = 3_600_000
const lots = 1e12

async function made(t: { after(done: () => void): void }) {
  const { folder, origin, access } = await storeOf(t, {
    'a.txt': 'a',
    'big.bin': Buffer.alloc(3_000_000, 'x'),
  })
  let now = Date.now()
  const root = path.join(folder, 'stores')
  const stores = new Stores(root, { allow: [folder], now: () => new Date(now) })
  const store = await stores.open(origin)
  const base = await store.fetch(access, 'main')
  const collect = (keeping: Partial<Keeping> = {}) =>
    collectGarbage(stores, {
      quotaBytes: lots,
      idleMs: 24 * hour,
      keepMs: 48 * hour,
      now: new Date(now),
      ...keeping,
    })
  const pass = (ms: number) => {
    now += ms
  }
  return {
    store,
    stores,
    root,
    base,
    collect,
    pass,
    access,
    worktrees: () => readdirSync(path.join(store.folder, 'worktrees')),
  }
}

test('a worktree that nobody has used for long goes, one in use stays', async (t) => {
  const { store, base, collect, pass, worktrees } = await made(t)
  const [one, two] = [await store.checkout(base), await store.checkout(base)]
  await one.release()
  pass(hour)
  assert.equal((await collect()).worktrees, 0)
  pass(24 * hour)
  assert.equal((await collect()).worktrees, 1)
  assert.deepEqual(worktrees(), [path.basename(two.folder)])
  assert.deepEqual(readdirSync(path.join(store.folder, 'trash')), [])
  assert.deepEqual(await store.changes(base, await two.tree()), [])
  // The next one is made anew.
  await (await store.checkout(base)).release()
})

test('over the quota what was used longest ago goes first, then stores that nobody uses', async (t) => {
  const { store, stores, root, base, collect, pass, access, worktrees } = await made(t)
  const [one, two] = [await store.checkout(base), await store.checkout(base)]
  await one.release()
  pass(1_000)
  await two.release()
  const { bytes } = await collect()
  const collected = await collect({ quotaBytes: bytes - 1_000_000 })
  assert.deepEqual([collected.worktrees, collected.stores], [1, 0])
  assert.deepEqual(worktrees(), [path.basename(two.folder)])
  // It was fetched a moment ago, so somebody is about to use it.
  assert.equal((await collect({ quotaBytes: 0 })).stores, 0)
  assert.deepEqual(worktrees(), [])
  pass(2 * hour)
  assert.equal((await collect({ quotaBytes: 0 })).stores, 1)
  assert.deepEqual(readdirSync(root), ['trash'])
  const again = await stores.open(access.address)
  assert.equal(await again.fetch(access, 'main'), base)
})

test('old work is forgotten, and what is needed still is not', async (t) => {
  const { store, base, pass } = await made(t)
  const gitDir = path.join(store.folder, 'store.git')
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'a.txt': 'b' })
  const head = await worktree.commit(base, 'Old')
  await store.bundle(base, head, path.join(store.folder, 'x.bundle'))
  await worktree.reset(base)
  await store.pack(new Date(Date.now() - hour))
  assert.ok(await store.has(head))
  pass(72 * hour)
  await store.pack(new Date(Date.now() + hour))
  assert.equal(plainGit(gitDir, ['for-each-ref', 'refs/signalbox/work/']), '')
  assert.ok(await store.has(base))
  assert.deepEqual(await store.changes(base, await worktree.tree()), [])
})

test('the trash is emptied of folders that were made unwritable', async (t) => {
  const { store, base } = await made(t)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'locked/deep/x': 'x' })
  chmodSync(path.join(worktree.folder, 'locked/deep'), 0o000)
  chmodSync(path.join(worktree.folder, 'locked'), 0o500)
  await worktree.release()
  const [idle] = await store.idle()
  await store.drop(idle!.worktree)
  await store.trash.empty()
  assert.ok(!existsSync(worktree.folder))
  assert.deepEqual(readdirSync(path.join(store.folder, 'trash')), [])
})
