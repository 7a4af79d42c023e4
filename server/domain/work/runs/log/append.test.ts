import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { testDatabase } from '../../../../test/database.ts'
import { goesWell, TestEngine } from '../../../../test/engine/engine.ts'
import { OneRun } from '../../../../test/engine/one-run.ts'
import type { OrderRef } from '../../../ports/work.ts'
import { appendLog, type LogLimits, maxChunkBytes } from './append.ts'
import { readLogTail } from './read.ts'

const database = await testDatabase()
after(() => database.close())
const engine = new TestEngine(database.db)

const print = (order: OrderRef, number: number, lines: string[], most?: LogLimits) =>
  appendLog(engine.service(order.workspaceId), order, { number, lines }, most)

const printed = async (run: OneRun) =>
  (await readLogTail(run.owner, run.key, 200)).lines.map(({ text }) => text)

describe('the log of a run', () => {
  test('keeps the order in which it was printed, over chunks, orders and attempts, numbered from 1', async () => {
    const run = await OneRun.begin(engine)
    assert.equal(await print(run.order, 1, ['one', 'two']), 'go_on')
    assert.equal(await print(run.order, 2, ['three']), 'go_on')
    await run.tell(goesWell.plan)
    assert.equal(await print(run.order, 1, ['four']), 'go_on')
    await run.tell({ type: 'failed', failureClass: 'transient', error: 'overloaded' })
    engine.clock.forward(60_000)
    await engine.settle()
    assert.equal(await print(run.order, 1, ['five']), 'go_on')
    const { lines, total } = await readLogTail(run.owner, run.key, 200)
    assert.equal(total, 5)
    assert.deepEqual(
      lines.map(({ position, attempt, text }) => [position, attempt, text]),
      [
        [1, 1, 'one'],
        [2, 1, 'two'],
        [3, 1, 'three'],
        [4, 1, 'four'],
        [5, 2, 'five'],
      ],
    )
  })

  test('has no invisible characters in it, no matter who printed them, and of old lines neither', async () => {
    const run = await OneRun.begin(engine)
    const hostile = '\u001b[2J\u001b[32m✔\u001b[0m all \u202epassed\u200b \u009b1A\r\0'
    const shown = '\\u{1b}[2J✔ all \\u{202e}passed\\u{200b} \\u{9b}1A\\u{d}\\u{0}'
    await print(run.order, 1, [hostile, 'a\tb'])
    assert.deepEqual(await printed(run), [shown, 'a\tb'])
    const { rows } = await database.pool.query(
      'select text from run_log where run_id = $1 order by position',
      [run.order.runId],
    )
    assert.deepEqual(rows, [{ text: shown }, { text: 'a\tb' }])
    // As it was written before.
    await database.pool.query('update run_log set text = $2 where run_id = $1 and position = 2', [
      run.order.runId,
      hostile.replace('\0', ''),
    ])
    assert.equal((await printed(run))[1], shown.replace('\\u{0}', ''))
  })

  test('takes nothing of an outdated order, and tells its worker to stop', async () => {
    const run = await OneRun.begin(engine)
    const old = run.order
    await print(old, 1, ['before'])
    await run.tell(goesWell.plan)
    assert.equal(await print(old, 2, ['late']), 'stop')
    assert.deepEqual(await printed(run), ['before'])
  })

  test('takes nothing while a person is asked', async () => {
    const run = await OneRun.begin(engine, { preset: 'supervised' })
    const { order } = run
    await run.tell(goesWell.plan)
    assert.equal(await print(order, 1, ['late']), 'stop')
    assert.deepEqual(await printed(run), [])
  })

  test('refuses an order that was never given out, or is of another workspace', async () => {
    const run = await OneRun.begin(engine)
    const elsewhere = await OneRun.begin(engine)
    await assert.rejects(print({ ...run.order, fence: run.order.fence + 1 }, 1, ['x']), { code: 'conflict' })
    await assert.rejects(print({ ...run.order, workspaceId: elsewhere.order.workspaceId }, 1, ['x']), {
      code: 'run_not_found',
    })
  })

  test('counts a chunk that arrives twice once, also when both come at the same time', async () => {
    const run = await OneRun.begin(engine)
    await Promise.all(Array.from({ length: 5 }, () => print(run.order, 1, ['once'])))
    assert.equal(await print(run.order, 1, ['once']), 'go_on')
    assert.deepEqual(await printed(run), ['once'])
  })

  test('keeps whatever an agent prints, as far as it can be stored', async () => {
    const run = await OneRun.begin(engine)
    await print(run.order, 1, ['a\0b', 'half \ud83d', 'two\nlines', '', '\u001b[31mred\u001b[0m'])
    assert.deepEqual(await printed(run), ['a\\u{0}b', 'half \\u{d83d}', 'two', 'lines', '', 'red'])
  })

  test('keeps the colours of a line apart from its text, and counts them', async () => {
    const run = await OneRun.begin(engine)
    await print(run.order, 1, ['\u001b[1;31mred\u001b[0m and \u001b[8mhidden\u001b[0m', 'plain'])
    const { lines } = await readLogTail(run.owner, run.key, 200)
    assert.deepEqual(
      lines.map(({ text, colours }) => [text, colours]),
      [
        ['red and hidden', '0+3r*'],
        ['plain', null],
      ],
    )
    const most = { lines: 100, bytes: 'red and hidden'.length + '0+3r*'.length + 'plain'.length }
    await print(run.order, 2, ['x'], most)
    assert.match((await printed(run)).at(-1)!, /The rest was dropped/)
  })

  test('cuts a line that is too long, and says how much is missing', async () => {
    const run = await OneRun.begin(engine)
    await print(run.order, 1, ['x'.repeat(10_000)])
    const [line] = await printed(run)
    assert.equal(line, `${'x'.repeat(8_192)} … (1,808 more characters)`)
  })

  test('refuses a chunk that is too large', async () => {
    const run = await OneRun.begin(engine)
    await assert.rejects(print(run.order, 1, Array(9).fill('x'.repeat(maxChunkBytes / 8))), {
      code: 'invalid_request',
    })
  })

  test('ends with a line that says so when it reaches its limit of lines', async () => {
    const run = await OneRun.begin(engine)
    const most = { lines: 4, bytes: 1_000_000 }
    await print(run.order, 1, ['1', '2', '3', '4', '5'], most)
    assert.equal(await print(run.order, 2, ['6'], most), 'go_on')
    const lines = await printed(run)
    assert.deepEqual(lines.slice(0, 3), ['1', '2', '3'])
    assert.match(lines[3]!, /limit of 4 lines or 1 MB\. The rest was dropped/)
    assert.equal(lines.length, 4)
  })

  test('ends with the same line when it reaches its limit of bytes', async () => {
    const run = await OneRun.begin(engine)
    await print(run.order, 1, ['12345', '67890', 'x'], { lines: 100, bytes: 10 })
    const lines = await printed(run)
    assert.equal(lines.length, 3)
    assert.match(lines[2]!, /The rest was dropped/)
  })

  test('leaves no trace in the audit log', async () => {
    const run = await OneRun.begin(engine)
    const before = (await run.audit()).length
    await print(run.order, 1, ['a line'])
    assert.equal((await run.audit()).length, before)
  })
})
