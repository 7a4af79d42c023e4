import { Transform } from 'node:stream'

/** More than any message has. */
const mostBytes = 32_000_000
const lineEnd = 10

/**
 * Passes on what comes, and ends with an error when a line does not end: a reader of whole lines would otherwise
 * keep it in memory for as long as it grows.
 */
export function boundedLines(most = mostBytes): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const last = chunk.lastIndexOf(lineEnd)
      const first = chunk.indexOf(lineEnd)
      const ended = bytes + (first < 0 ? chunk.length : first)
      bytes = last < 0 ? ended : chunk.length - last - 1
      if (ended > most) done(new Error(`The agent printed a line of more than ${most} bytes.`))
      else done(null, chunk)
    },
  })
}
