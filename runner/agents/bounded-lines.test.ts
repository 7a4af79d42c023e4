import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { boundedLines } from './bounded-lines.ts'

const through = (...chunks: string[]) =>
  text(Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(boundedLines(10)))

test('lines pass as they are, however they are cut into pieces', async () => {
  assert.equal(
    await through('0123456', '789\n01234567', '89\n', '\n0123456789'),
    '0123456789\n0123456789\n\n0123456789',
  )
})

test('a line that does not end is an error, and not a memory that fills', async () => {
  for (const chunks of [['0123456789a'], ['short\n01234', '56789', 'a'], ['01234567', '89a\nshort']])
    await assert.rejects(through(...chunks), /a line of more than 10 bytes/)
})
