import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../infra/log.ts'
import { CountedLines } from './counted-lines.ts'

test('of a storm of requests the first have a line each, and the others one that counts them', () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'info', to: { write: (line) => lines.push(JSON.parse(line)) } })
  const counted = new CountedLines(log)
  const storm = (requests: number) => {
    for (let number = 0; number < requests; number += 1)
      counted.add({
        ...{ requestId: `r${number}`, channel: 'intake', verb: 'receiveSignal', method: 'POST', status: 202 },
        ms: number % 2 === 0 ? 1 : 3,
      })
  }
  storm(1_000)
  assert.deepEqual(
    lines.map(({ requestId }) => requestId),
    Array.from({ length: 10 }, (_, number) => `r${number}`),
  )
  counted.flush()
  assert.equal(lines.length, 11)
  const { count, meanMs, slowestMs, verb, status } = lines.at(-1)!
  assert.deepEqual(
    { count, meanMs, slowestMs, verb, status },
    { count: 990, meanMs: 2, slowestMs: 3, verb: 'receiveSignal', status: 202 },
  )
  // The next second begins like the first.
  storm(3)
  counted.flush()
  assert.equal(lines.length, 14)
})
