import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../test/database.ts'
import { aWorkspace } from '../../test/factories.ts'
import { inTransaction, pipelined, read, type Tx, write } from './db.ts'
import { Statement } from './statement.ts'
import { streamOf } from './timeouts.ts'

const database = await testDatabase()
after(() => database.close())
const { db, pool } = database

const name = new Statement<{ id: string }, { name: string }>('select name from workspaces where id = :id')
const rename = new Statement<{ id: string; name: string }, object>(
  'update workspaces set name = :name where id = :id',
)
const failing = new Statement<object, object>('select 1 / 0')
const cutting = new Statement<object, object>('select pg_terminate_backend(pg_backend_pid())')
const nameOf = async (id: string) => (await read(db, name, { id }))[0]!.name

test('statements that no one waits for are done in their order, and with the commit', async () => {
  const { workspaceId: id } = await aWorkspace(db)
  await inTransaction(db, async (tx) => {
    for (let n = 0; n <= 20; n += 1) await write(pipelined(tx), rename, { id, name: `Name ${n}` })
    assert.deepEqual(await read(tx, name, { id }), [{ name: 'Name 20' }])
    await write(pipelined(tx), rename, { id, name: 'Last' })
  })
  assert.equal(await nameOf(id), 'Last')
})

test('they leave together: begin, what is written, and an answer that is waited for, in one packet', async () => {
  const { workspaceId: id } = await aWorkspace(db)
  const client = await pool.connect()
  const stream = streamOf(client)
  const { writev, write: one } = { writev: stream._writev!, write: stream._write }
  let packets = 0
  stream._writev = (...all) => {
    packets += 1
    return writev.apply(stream, all)
  }
  stream._write = (...all) => {
    packets += 1
    return one.apply(stream, all)
  }
  client.release()
  // The pool gives the same connection to the next caller.
  await inTransaction(db, async (tx) => {
    await write(pipelined(tx), rename, { id, name: 'A' })
    await write(pipelined(tx), rename, { id, name: 'B' })
    await read(tx, name, { id })
    assert.equal(packets, 1)
    await write(pipelined(tx), rename, { id, name: 'C' })
  })
  assert.equal(packets, 2)
  assert.equal(await nameOf(id), 'C')
})

const failures: Record<string, (tx: Tx, id: string) => Promise<unknown>> = {
  'and nothing is waited for after it': (tx, id) => write(pipelined(tx), rename, { id, name: 'Later' }),
  'and the next that is waited for is refused for it': (tx, id) => read(tx, name, { id }),
}

for (const [says, then] of Object.entries(failures)) {
  test(`one that fails is why the transaction fails, ${says}`, async () => {
    const { workspaceId: id } = await aWorkspace(db)
    const before = await nameOf(id)
    const work = inTransaction(db, async (tx) => {
      await write(pipelined(tx), rename, { id, name: 'Written' })
      await write(pipelined(tx), failing, {})
      await then(tx, id)
    })
    await assert.rejects(work, /division by zero/)
    assert.equal(await nameOf(id), before)
    await inTransaction(db, (tx) => write(tx, rename, { id, name: 'Again' }))
    assert.equal(await nameOf(id), 'Again', 'the connection is as good as before')
  })
}

test('a failure that was caught does not pass for a commit', async () => {
  const { workspaceId: id } = await aWorkspace(db)
  const work = inTransaction(db, async (tx) => {
    await write(tx, rename, { id, name: 'Written' })
    await write(tx, failing, {}).catch(() => {})
  })
  await assert.rejects(work, /rolled back/)
})

test('a transaction that throws leaves nothing behind', async () => {
  const { workspaceId: id } = await aWorkspace(db)
  const before = await nameOf(id)
  const work = inTransaction(db, async (tx) => {
    await write(pipelined(tx), rename, { id, name: 'Written' })
    throw new Error('changed my mind')
  })
  await assert.rejects(work, /changed my mind/)
  assert.equal(await nameOf(id), before)
  assert.equal(pool.totalCount, pool.idleCount)
})

test('a connection that is cut is not given to the next one', async () => {
  const { workspaceId: id } = await aWorkspace(db)
  const cut = inTransaction(db, async (tx) => {
    await write(pipelined(tx), rename, { id, name: 'Written' })
    await write(tx, cutting, {})
  })
  await assert.rejects(cut)
  await inTransaction(db, (tx) => write(tx, rename, { id, name: 'After' }))
  assert.equal(await nameOf(id), 'After')
})

/** What is begun together is done at different times: a turn of the event loop apart. */
const aTurn = () => new Promise((resolve) => setImmediate(resolve))

for (const end of ['commit', 'rollback'] as const) {
  test(`after the ${end} its handle sends nothing more: the connection is someone else's`, async () => {
    const { workspaceId: id } = await aWorkspace(db)
    const open = Promise.withResolvers<void>()
    let late: Promise<unknown>[] = []
    const work = inTransaction(db, async (tx) => {
      const unawaited = pipelined(tx)
      late = [tx, unawaited].map(async (handle) => {
        await open.promise
        await write(handle, rename, { id, name: 'Too late' })
      })
      for (const one of late) one.catch(() => {})
      await write(tx, rename, { id, name: 'In time' })
      if (end === 'rollback') throw new Error('changed my mind')
    })
    await (end === 'commit' ? work : assert.rejects(work, /changed my mind/))
    const before = await nameOf(id)
    open.resolve()
    for (const one of late) await assert.rejects(one, /transaction is over/)
    assert.equal(await nameOf(id), before)
  })
}

test('one of several that were begun together and comes late writes nothing into the transaction of the next', async () => {
  const { workspaceId: id } = await aWorkspace(db)
  const open = Promise.withResolvers<void>()
  const straggler = async (tx: Tx) => {
    await open.promise
    await write(tx, rename, { id, name: 'Straggler' })
  }
  let late: Promise<void> | undefined
  const work = inTransaction(db, async (tx) => {
    late = straggler(tx)
    await Promise.all([late, write(tx, failing, {})])
  })
  await assert.rejects(work, /division by zero/)
  // The pool gives the same connection to the next caller.
  await inTransaction(db, async (tx) => {
    await write(tx, rename, { id, name: 'Next' })
    open.resolve()
    await assert.rejects(late!, /transaction is over/)
    assert.deepEqual(await read(tx, name, { id }), [{ name: 'Next' }])
  })
  assert.equal(await nameOf(id), 'Next')
})

test('whatever is begun in a transaction and not waited for, in whatever order: it is all of the transaction or never sent', async () => {
  const statements = fc.array(
    fc.record({ handle: fc.constantFrom('waited', 'pipelined'), turns: fc.nat(6), isAwaited: fc.boolean() }),
    { minLength: 1, maxLength: 8 },
  )
  const ends = fc.constantFrom('returns', 'throws', 'fails')
  await fc.assert(
    fc.asyncProperty(statements, ends, fc.nat(6), async (begun, end, endsAfter) => {
      const { workspaceId: id } = await aWorkspace(db)
      const before = await nameOf(id)
      /** What was taken, in the order in which it was. */
      const taken: string[] = []
      const all: Promise<unknown>[] = []
      let isOver = false
      const outcome = inTransaction(db, async (tx) => {
        for (const [index, { handle, turns, isAwaited }] of begun.entries()) {
          const one = (async () => {
            for (let turn = 0; turn < turns; turn += 1) await aTurn()
            const wasOver = isOver
            const text = `${index}`
            await write(handle === 'waited' ? tx : pipelined(tx), rename, { id, name: text })
            assert.equal(wasOver, false, 'a statement was taken although the transaction had ended')
            taken.push(text)
          })()
          all.push(one)
          one.catch(() => {})
          if (isAwaited) await one
        }
        for (let turn = 0; turn < endsAfter; turn += 1) await aTurn()
        if (end === 'throws') throw new Error('changed my mind')
        if (end === 'fails') await write(tx, failing, {})
      })
      const how = await outcome.then(
        () => 'committed' as const,
        () => 'rolled back' as const,
      )
      isOver = true
      const after = await nameOf(id)
      await Promise.allSettled(all)
      assert.equal(how, end === 'returns' ? 'committed' : 'rolled back')
      if (how === 'rolled back') assert.equal(after, before)
      assert.equal(await nameOf(id), after, 'something was written after the end')
      if (how === 'committed' && taken.length > 0) assert.equal(taken.includes(after), true)
      assert.equal(pool.totalCount, pool.idleCount)
    }),
    { numRuns: 25 },
  )
})
