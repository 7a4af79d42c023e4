import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import type { ProgramFile } from '../../infra/http/program-file.ts'

export interface DownloadServices {
  /** The runner of this server as one file; null: it was not built. */
  readProgram: () => Promise<ProgramFile | null>
}

const programName = 'signalbox-runner.mjs'

type Hashed = { Params: { sha256: string } }

/**
 * The runner that belongs to this server, for any machine with Node: open to everyone, since it holds no secret, and
 * never a name in a registry that someone else could take. `<sum>/…` is the file of that sum or nothing.
 */
export function serveProgram(app: FastifyInstance, { readProgram }: DownloadServices): void {
  app.get(`/runner/${programName}`, async (request, reply) =>
    send(request, reply, await present(readProgram), 'no-cache'),
  )
  app.get(`/runner/${programName}.sha256`, async (request, reply) => {
    request.operation = 'downloadRunnerSum'
    const { sha256 } = await present(readProgram)
    return reply
      .headers(headersOf('no-cache'))
      .type('text/plain; charset=utf-8')
      .send(`${sha256}  ${programName}\n`)
  })
  app.get<Hashed>(`/runner/:sha256/${programName}`, async (request, reply) => {
    const program = await present(readProgram)
    if (program.sha256 !== request.params.sha256)
      throw new DomainError(
        'not_found',
        'This server has another version of the runner now. Copy the command again under Settings, Runners.',
      )
    return send(request, reply, program, 'public, max-age=31536000, immutable')
  })
}

async function present(readProgram: DownloadServices['readProgram']): Promise<ProgramFile> {
  const program = await readProgram()
  if (!program)
    throw new DomainError(
      'not_found',
      'This server was started without its runner. Run `npm run build` where it is installed.',
    )
  return program
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, sha256 }: ProgramFile,
  cacheControl: string,
): FastifyReply {
  request.operation = 'downloadRunner'
  const etag = `"${sha256}"`
  reply.headers({ ...headersOf(cacheControl), etag }).type('text/javascript; charset=utf-8')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.send(bytes)
}

/** It is saved, never shown or run by a browser. */
const headersOf = (cacheControl: string) => ({
  'cache-control': cacheControl,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
})
