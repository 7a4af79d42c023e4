import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { plainGit, storeOf, write } from '../test/origin.ts'
import { plainBox } from '../test/plain-box.ts'
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
  const stores = new Stores(root, { allow: [folder], now: () => new Date(now), box: plainBox() })
  const shared = await stores.open(origin)
  const store = await shared.forRun('run-aaa1')
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
    shared,
    store,
    stores,
    root,
    base,
    collect,
    pass,
    access,
    worktrees: () => readdirSync(path.join(shared.folder, 'worktrees')),
  }
}

test('a worktree that no one has used for long goes, one in use stays', async (t) => {
  const { shared, store, base, collect, pass, worktrees } = await made(t)
  const [one, two] = [await store.checkout(base), await store.checkout(base)]
  await one.release()
  pass(hour)
  assert.equal((await collect()).worktrees, 0)
  pass(24 * hour)
  assert.equal((await collect()).worktrees, 1)
  assert.deepEqual(worktrees(), [path.basename(two.folder)])
  assert.deepEqual(readdirSync(path.join(shared.folder, 'trash')), [])
  assert.deepEqual(await store.changes(base, await two.tree()), [])
  // The next one is made again.
  await (await store.checkout(base)).release()
})

test('over the quota what was used longest ago goes first, then stores that no one uses', async (t) => {
  const { store, stores, root, base, collect, pass, access, worktrees } = await made(t)
  const [one, two] = [await store.checkout(base), await store.checkout(base)]
  await one.release()
  pass(1_000)
  await two.release()
  const { bytes } = await collect()
  const collected = await collect({ quotaBytes: bytes - 1_000_000 })
  assert.deepEqual([collected.worktrees, collected.stores], [1, 0])
  assert.deepEqual(worktrees(), [path.basename(two.folder)])
  // It was fetched a moment ago, so someone is about to use it.
  assert.equal((await collect({ quotaBytes: 0 })).stores, 0)
  assert.deepEqual(worktrees(), [])
  pass(2 * hour)
  assert.equal((await collect({ quotaBytes: 0 })).stores, 1)
  assert.deepEqual(readdirSync(root), ['trash'])
  const again = await (await stores.open(access.address)).forRun('run-aaa1')
  assert.equal(await again.fetch(access, 'main'), base)
})

test('a run that no one has come back to is forgotten, and what is needed still is not', async (t) => {
  const { shared, store, base, collect, pass, access } = await made(t)
  const gitDir = path.join(shared.folder, 'store.git')
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'a.txt': 'b' })
  const head = await worktree.commit(base, 'Old')
  await store.hold(head)
  await worktree.release({ keepsFiles: true })
  pass(24 * hour)
  await collect()
  assert.ok(await store.has(head))
  pass(48 * hour)
  const other = await shared.forRun('run-bbb2')
  await other.fetch(access, 'main')
  await collect()
  const again = await shared.forRun('run-aaa1')
  assert.ok(!(await again.has(head)), 'what it made is gone')
  assert.equal(plainGit(gitDir, ['for-each-ref', 'refs/signalbox/bases/']).split('\n').length, 1)
  await shared.pack(new Date(Date.now() + hour))
  assert.ok(await other.has(base))
  assert.deepEqual(await other.changes(base, await (await other.checkout(base)).tree()), [])
})

test('what a run began from is kept for it, wherever the branch has gone since', async (t) => {
  const { shared, store, base, access } = await made(t)
  plainGit(access.address, ['commit', '--quiet', '--amend', '--allow-empty', '-m', 'Rewritten'])
  const other = await shared.forRun('run-bbb2')
  const rewritten = await other.fetch(access, 'main')
  assert.notEqual(rewritten, base)
  await shared.pack(new Date(Date.now() + hour))
  assert.ok(await store.has(base))
  await store.letGo()
  await shared.pack(new Date(Date.now() + hour))
  assert.ok(!(await other.has(base)))
})

test('the trash is emptied of folders that were made unwritable', async (t) => {
  const { shared, store, base } = await made(t)
  const worktree = await store.checkout(base)
  write(worktree.folder, { 'locked/deep/x': 'x' })
  chmodSync(path.join(worktree.folder, 'locked/deep'), 0o000)
  chmodSync(path.join(worktree.folder, 'locked'), 0o500)
  await worktree.release()
  const [idle] = await shared.pool.idle()
  await shared.pool.drop(idle!.id)
  assert.deepEqual(await shared.trash.empty(), [])
  assert.ok(!existsSync(worktree.folder))
  assert.deepEqual(readdirSync(path.join(shared.folder, 'trash')), [])
})
