import { Readable } from 'node:stream'
import type { TimestampAuthority } from '../../domain/ports/anchor.ts'
import { createClient } from '../../infra/http/client.ts'

const mostBytes = 65_536

/** RFC 3161 over HTTP (its section 3.4). Plain http will do: what comes back is signed, and what goes out is a digest. */
export function httpTimestampAuthority(url: string): TimestampAuthority {
  const client = createClient({
    name: 'The timestamp authority',
    allow: 'anywhere',
    timeoutMs: 20_000,
    maxBytes: mostBytes,
  })
  return {
    async ask(request, signal) {
      const { status, body } = await client.stream({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/timestamp-query',
          'content-length': String(request.length),
          accept: 'application/timestamp-reply',
        },
        body: Readable.from([request]),
        idleMs: 20_000,
        signal,
      })
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > mostBytes) throw new Error('The timestamp authority answered with more than a timestamp.')
        chunks.push(chunk)
      }
      if (status !== 200) throw new Error(`The timestamp authority answered with status ${status}.`)
      return Buffer.concat(chunks)
    },
  }
}
