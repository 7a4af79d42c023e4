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

export function sendFile(reply: FastifyReply, file: FileResponse, vary: string): FastifyReply {
  reply.headers({ ...file.headers, 'cache-control': 'no-store', vary })
  const encoding = encodingFor(reply.request.headers['accept-encoding'])
  if (!encoding) return reply.send(Readable.from(file.content))
  return reply.header('content-encoding', encoding).send(compressStream(file.content, encoding))
}
