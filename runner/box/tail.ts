import type { Readable } from 'node:stream'

/** Keeps the end of a stream, which is where the reason stands. */
export function tailOf(stream: Readable, letters = 8_000): () => string {
  let tail = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    tail = (tail + text).slice(-letters)
  })
  return () => tail.trim()
}
