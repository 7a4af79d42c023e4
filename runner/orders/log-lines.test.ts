import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeAt } from '../time.ts'
import { LogLines, logBytesMost } from './log-lines.ts'

const limits = { chunkBytes: 60_000, lineBytes: 8_192 }

test('a hundred megabytes of output are cut where the log is full, and the log says so', () => {
  let bytes = 0
  let last = ''
  const log = new LogLines(limits, timeAt(), (lines) => {
    bytes += lines.reduce((sum, line) => sum + line.length, 0)
    last = lines.at(-1)!
    assert.ok(Buffer.byteLength(JSON.stringify({ number: 99_999, lines })) <= limits.chunkBytes)
  })
  const line = 'x'.repeat(8_000)
  for (let at = 0; at < 100_000_000 / line.length; at += 1) log.print(line)
  log.flush()
  assert.ok(bytes > logBytesMost * 0.99 && bytes < logBytesMost + 1_000, `${bytes}`)
  assert.match(last, /More than 50 MB were printed/)
})

test('a line that is too long is cut between letters, and line ends become lines', () => {
  const seen: string[] = []
  const log = new LogLines({ chunkBytes: 1_000, lineBytes: 20 }, timeAt(), (lines) => seen.push(...lines))
  log.print(`one\r\ntwo\nnul\0l\n${'ä'.repeat(30)}`)
  log.flush()
  assert.deepEqual(seen.slice(0, 3), ['one', 'two', 'null'])
  assert.match(seen[3]!, /^ä+ … \(cut\)$/)
  assert.ok(Buffer.byteLength(seen[3]!) <= 20)
})

test('what is printed after the end is left out', () => {
  const seen: string[] = []
  const log = new LogLines(limits, timeAt(), (lines) => seen.push(...lines))
  log.print('before')
  log.end()
  log.print('after')
  log.flush()
  assert.deepEqual(seen, ['before'])
})
