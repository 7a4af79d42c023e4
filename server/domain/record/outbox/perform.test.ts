import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { silentQueue } from '../../../infra/jobs/queue.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { asService } from '../../context.ts'
import { change, housekeeping } from '../audit/change.ts'
import { addEffect } from './add.ts'
import type { Every } from './effect-lease.ts'
import { type Performed, type Performers, performEffect } from './perform.ts'

const database = await testDatabase()
after(() => database.close())
const seconds = 1_000

/** Something to be done outside, and a clock that all nodes share. */
async function anEffect() {
  const clock = new TestClock('2026-03-31T12:00:00.000Z')
  const { workspaceId } = await aWorkspace(database.db, clock)
  const ctx = asService({ db: database.db, clock, queue: silentQueue }, workspaceId)
  const key = `investigate_incident/${randomUUID()}`
  await change(ctx, async (tx) => {
    await addEffect(ctx, tx, { kind: 'investigate_incident', key, data: { incident: randomUUID() } })
    return { value: undefined, audit: [] }
  })
  const row = () =>
    tables(database.db)
      .selectFrom('effects')
      .select(['id', 'attempts', 'due_at', 'done_at', 'last_error'])
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
  const { id } = await row()
  const settled: string[] = []
  return { clock, ctx, id, row, settled, node: (name: string) => aNode(ctx, id, name, settled) }
}

/** A node whose call to the outside takes until it is told to end, and whose timer ticks when it is told to. */
function aNode(ctx: Parameters<typeof performEffect>[0], id: string, name: string, settled: string[]) {
  const called = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Performed>()
  let beat = async () => {}
  const every: Every = (_, renew) => {
    beat = renew
    return () => {}
  }
  const investigate_incident = () => {
    called.resolve()
    return answer.promise
  }
  const performing = performEffect(ctx, id, { investigate_incident } as unknown as Performers, every)
  performing.catch(() => {})
  const settle = async () => {
    settled.push(name)
    return []
  }
  return {
    performing,
    /** Whether it makes the call; false: the effect is not to be had. */
    calls: () => Promise.race([called.promise.then(() => true), performing.then(() => false)]),
    beat: () => beat(),
    answers: () => answer.resolve({ settle }),
    postpones: (notBefore: Date) => answer.resolve({ notBefore }),
    fails: () => answer.reject(new Error('The tool says no.')),
  }
}

test('however long a call takes, no other node makes it at the same time', async () => {
  const { clock, node, row, settled } = await anEffect()
  const first = node('first')
  assert.equal(await first.calls(), true)
  for (let passed = 0; passed < 180; passed += 20) {
    clock.forward(20 * seconds)
    await first.beat()
    assert.equal(await node('second').calls(), false, `after ${passed + 20} seconds`)
  }
  first.answers()
  await first.performing
  assert.deepEqual(settled, ['first'])
  const { done_at, attempts } = await row()
  assert.deepEqual([done_at, attempts], [clock.now(), 1])
})

test('a node that dies in the middle is replaced after its hold', async () => {
  const { clock, node, settled } = await anEffect()
  assert.equal(await node('dead').calls(), true)
  clock.forward(29 * seconds)
  assert.equal(await node('early').calls(), false)
  clock.forward(2 * seconds)
  const next = node('next')
  assert.equal(await next.calls(), true)
  next.answers()
  await next.performing
  assert.deepEqual(settled, ['next'])
})

for (const late of ['answers', 'postpones', 'fails'] as const)
  test(`a node that was taken for dead and ${late} late writes nothing of it: the effect is another’s`, async () => {
    const { clock, node, row, settled } = await anEffect()
    const frozen = node('frozen')
    assert.equal(await frozen.calls(), true)
    clock.forward(31 * seconds)
    const next = node('next')
    assert.equal(await next.calls(), true)
    const before = await row()
    await frozen.beat()
    frozen[late](new Date(clock.now().getTime() + 3_600 * seconds))
    await frozen.performing.catch(() => {})
    assert.deepEqual(await row(), before)
    assert.deepEqual(settled, [])
    await next.beat()
    next.answers()
    await next.performing
    assert.deepEqual(settled, ['next'])
  })

test('an effect that a node of the release before has written is performed under its new name', async () => {
  const { ctx, id, row } = await anEffect()
  const data = { connection: randomUUID(), channel: 'C1', user: 'U1', text: 'Hello.' }
  await housekeeping(database.db, 'as the release before wrote it', (tx) =>
    tables(tx)
      .updateTable('effects')
      .set({ kind: 'whisper', data: JSON.stringify(data) })
      .where('id', '=', id)
      .execute(),
  )
  const sent: unknown[] = []
  const post_ephemeral_message: Performers['post_ephemeral_message'] = async (_, effect) => {
    sent.push(effect.data)
    return { settle: async () => [] }
  }
  await performEffect(ctx, id, { post_ephemeral_message } as unknown as Performers)
  assert.deepEqual(sent, [data])
  assert.notEqual((await row()).done_at, null)
})

test('what is no longer wanted is not picked up again by the node that was at it', async () => {
  const { ctx, node, row, settled } = await anEffect()
  const first = node('first')
  assert.equal(await first.calls(), true)
  await change(ctx, async (tx) => {
    await tables(tx)
      .updateTable('effects')
      .set({ due_at: null })
      .where('workspace_id', '=', ctx.workspaceId)
      .execute()
    return { value: undefined, audit: [] }
  })
  await first.beat()
  first.answers()
  await first.performing
  const { due_at, done_at } = await row()
  assert.deepEqual([due_at, done_at, settled], [null, null, []])
})
