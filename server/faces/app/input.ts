import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '../../domain/errors.ts'

type Check = (body: unknown) => Record<string, unknown>

/** Reads what the app sends with a write. The message names the field and what it takes. */
export function inputOf(schema: TObject): Check {
  const validator = Compile(schema)
  return (body) => {
    if (validator.Check(body)) {
      refuseUnwritable(body, '')
      return body as Record<string, unknown>
    }
    const [first] = validator.Errors(body)
    throw invalid(complaint(first!))
  }
}

function complaint(error: {
  keyword: string
  instancePath: string
  params: object
  message: string
}): string {
  const field = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'required') {
    const missing = (error.params as { requiredProperties: string[] }).requiredProperties.join(', ')
    return `\`${[field, missing].filter(Boolean).join('.')}\` is missing`
  }
  // A field that the schema does not name is checked against `false`.
  if (error.keyword === 'boolean') return `There is no field \`${field}\` here`
  return field ? `\`${field}\` ${error.message}` : `The body ${error.message}`
}

/** PostgreSQL keeps neither a NUL nor half of a surrogate pair. */
function refuseUnwritable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalid(`\`${field}\` holds half a character (a lone surrogate)`)
    if (value.includes('\0')) throw invalid(`\`${field}\` holds a NUL character`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value))
      refuseUnwritable(inner, field ? `${field}.${name}` : name)
  }
}

export function jsonBody(request: FastifyRequest): unknown {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new DomainError('unsupported_media_type', 'Send JSON, with Content-Type: application/json.')
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalid('The body is not valid JSON')
  }
}

const invalid = (complaint: string) => new DomainError('invalid_request', `${complaint}.`)
