import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogChunk, WorkOrder } from '../../domain/ports/work.ts'
import { until } from '../../test/until.ts'
import { LogChunks } from './log-chunks.ts'
import { ScriptedWork } from './scripted.ts'

function gathering(send?: (chunk: LogChunk) => Promise<void>) {
  const chunks: LogChunk[] = []
  const errors: Error[] = []
  const log = new LogChunks({
    send: async (chunk) => {
      await send?.(chunk)
      chunks.push(chunk)
      return 'go_on'
    },
    onError: (error) => void errors.push(error),
  })
  return { log, chunks, errors }
}

test('lines that are printed together travel together, and soon without being asked', async () => {
  const { log, chunks } = gathering()
  log.print('one')
  log.print('two')
  await until('the chunk', () => chunks.length === 1)
  assert.deepEqual(chunks, [{ number: 1, lines: ['one', 'two'] }])
})

test('no chunk holds more than the server takes', async () => {
  const { log, chunks } = gathering()
  for (let line = 0; line < 20; line += 1) log.print('€'.repeat(8_000))
  log.print('x'.repeat(100_000))
  await log.flush()
  for (const { lines } of chunks) assert.ok(Buffer.byteLength(lines.join('\n')) <= 65_536)
  assert.equal(chunks.flatMap(({ lines }) => lines).length, 21)
  assert.deepEqual(
    chunks.map(({ number }) => number),
    chunks.map((_, index) => index + 1),
  )
})

test('a chunk that cannot be sent is left out, and those after it follow', async () => {
  const { log, chunks, errors } = gathering(async ({ number }) => {
    if (number === 1) throw new Error('away')
  })
  log.print('lost')
  await log.flush()
  log.print('kept')
  await log.flush()
  assert.deepEqual(chunks, [{ number: 2, lines: ['kept'] }])
  assert.equal(errors.length, 1)
})

test('scripted work prints what belongs to a beat before it tells of the beat', async () => {
  const reported: string[] = []
  const work = new ScriptedWork({
    script: () => [
      { seconds: 0, log: ['a', 'b'], event: { type: 'progress', message: 'first' } },
      { seconds: 0, event: { type: 'progress', message: 'second' } },
      { seconds: 0, log: ['c'], event: { type: 'progress', message: 'third' } },
    ],
    report: async (_, { event }) => {
      reported.push(event.type === 'progress' ? event.message : event.type)
      return 'go_on'
    },
    log: async (_, { lines }) => {
      reported.push(...lines)
      return 'go_on'
    },
    onError: (error) => assert.fail(error),
  })
  await work.hand({ workspaceId: 'w', runId: 'r', fence: 1, stage: 'planning' } as WorkOrder)
  await until('the last beat', () => reported.includes('third'))
  assert.deepEqual(reported, ['a', 'b', 'first', 'second', 'c', 'third'])
  await work.stop()
})
