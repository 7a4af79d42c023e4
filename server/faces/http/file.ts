import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { compressStream, encodingFor } from '../../infra/http/compress.ts'

/** A file, made while it is sent. */
export class FileResponse {
  readonly headers: Record<string, string>
  readonly content: AsyncIterable<string>

  constructor(headers: Record<string, string>, content: AsyncIterable<string>) {
    this.headers = headers
    this.content = content
  }
}

/** The same as an answer. It begins with what is made first, so that a file which cannot be made is told in words. */
export async function fileAnswer(
  { headers, content }: FileResponse,
  accept: string | undefined,
  vary: string,
): Promise<{ status: number; headers: string[]; body: Readable }> {
  const head = [...Object.entries(headers).flat(), 'cache-control', 'no-store', 'vary', vary]
  const pieces = content[Symbol.asyncIterator]()
  const first = await pieces.next()
  const rest = (async function* () {
    if (!first.done) yield first.value
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
  })()
  const encoding = encodingFor(accept)
  if (!encoding) return { status: 200, headers: head, body: Readable.from(rest) }
  return {
    status: 200,
    headers: [...head, 'content-encoding', encoding],
    body: compressStream(rest, encoding),
  }
}

export function sendFile(reply: FastifyReply, file: FileResponse, vary: string): FastifyReply {
  reply.headers({ ...file.headers, 'cache-control': 'no-store', vary })
  const encoding = encodingFor(reply.request.headers['accept-encoding'])
  if (!encoding) return reply.send(Readable.from(file.content))
  return reply.header('content-encoding', encoding).send(compressStream(file.content, encoding))
}
