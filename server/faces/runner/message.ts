import { gunzipSync } from 'node:zlib'
import { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Of } from '@signalbox/contract/shapes.ts'
import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { DomainError } from '../../domain/errors.ts'
import { NestsTooDeep, parseJson } from '../../domain/parse-json.ts'

/** What a compressed body may grow to. */
const mostBytes = 4_000_000

const knownEvents = RunnerEvent.anyOf.map(({ properties }) => properties.type.const as string)

/**
 * Reads what a runner says, checked by its shape in the contract. Fields that are not known here are passed over: the
 * runner may be newer than the server. An event that is not known is refused by its name.
 */
export function messageReader<S extends TObject>(schema: S): (request: FastifyRequest) => Of<S> {
  let validator: Validator | undefined
  return (request) => {
    const message = jsonOf(request)
    validator ??= Compile(schema)
    if (validator.Check(message)) return message as Of<S>
    refuseUnknownEvent(message)
    const { keyword, instancePath, params, message: complaint } = validator.Errors(message)[0]!
    const part = instancePath.slice(1).replaceAll('/', '.') || 'The body'
    const missing = keyword === 'required' && (params as { requiredProperties: string[] }).requiredProperties
    throw invalid(missing ? `\`${part}\` lacks ${missing.join(', ')}` : `\`${part}\` ${complaint}`)
  }
}

function refuseUnknownEvent(message: unknown): void {
  const { reports } = (message ?? {}) as { reports?: unknown }
  if (!Array.isArray(reports)) return
  for (const report of reports) {
    const type: unknown = report?.event?.type
    if (typeof type === 'string' && !knownEvents.includes(type))
      throw invalid(`This server does not know the event \`${type.slice(0, 100)}\``)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function jsonOf(request: FastifyRequest): unknown {
  const bytes = bytesOf(request)
  const encoding = request.headers['content-encoding']
  if (
    !/^application\/json\b/i.test(request.headers['content-type'] ?? '') ||
    (encoding && encoding !== 'gzip')
  )
    throw new DomainError('unsupported_media_type', 'Send JSON, plain or with Content-Encoding: gzip.')
  try {
    return parseJson(utf8.decode(encoding ? unzipped(bytes) : bytes))
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalid(`The body ${error instanceof NestsTooDeep ? error.message : 'is not valid JSON'}`)
  }
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new DomainError('payload_too_large', `The body is larger than ${mostBytes} bytes.`)
    throw invalid('The body is not gzip')
  }
}

export const bytesOf = (request: FastifyRequest): Buffer =>
  request.body instanceof Buffer ? request.body : Buffer.alloc(0)

const invalid = (complaint: string) => new DomainError('invalid_request', `${complaint}.`)
