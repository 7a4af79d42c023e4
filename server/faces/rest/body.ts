import type { FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { DomainError } from '../../domain/errors.ts'

/** Reads a JSON body as its schema describes it. The message names the field and what it takes. */
export function parseBody(schema: TObject, request: FastifyRequest): Record<string, unknown> {
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
  if (bytes.length > 0) requireJson(request)
  const body = parseJson(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid(`The body must be a JSON object with ${Object.keys(schema.properties).join(', ')}`)
  const known = schema.properties as Record<string, Field>
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(known, name))
      throw invalid(
        `There is no field \`${name.slice(0, 100)}\` here. Known: ${Object.keys(known).join(', ')}`,
      )
  }
  const required = new Set(schema.required ?? [])
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(known)) {
    const value = (body as Record<string, unknown>)[name]
    if (value !== undefined) fields[name] = checkField(name, field, value)
    else if (required.has(name)) throw invalid(`\`${name}\` is missing: ${field.description}`)
  }
  return fields
}

/** The parts of a schema that a field uses: a string with limits, or that or null. */
type Field = TSchema & {
  description?: string
  minLength?: number
  maxLength?: number
  anyOf?: Field[]
}

function checkField(name: string, schema: Field, value: unknown): unknown {
  const [field, isNullable] = schema.anyOf ? [schema.anyOf[0]!, true] : [schema, false]
  if (value === null && isNullable) return null
  if (typeof value !== 'string') throw invalid(`\`${name}\` must be a string${isNullable ? ' or null' : ''}`)
  if (!value.isWellFormed()) throw invalid(`\`${name}\` holds half a character (a lone surrogate)`)
  if (value.includes('\0')) throw invalid(`\`${name}\` holds a NUL character`)
  // Characters as a person counts them: a pair of surrogates is one.
  const length = [...value].length
  if (length < (field.minLength ?? 0)) throw invalid(`\`${name}\` is empty`)
  if (field.maxLength !== undefined && length > field.maxLength)
    throw invalid(`\`${name}\` has ${length} characters; the most is ${field.maxLength}`)
  return value
}

function requireJson(request: FastifyRequest): void {
  const type = request.headers['content-type'] ?? ''
  const isJson = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
  if (isJson && !request.headers['content-encoding']) return
  throw new DomainError(
    'unsupported_media_type',
    'Send JSON, UTF-8 and uncompressed, with Content-Type: application/json.',
  )
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalid('The body is not valid JSON')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** 1 to 255 printable characters. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid('Idempotency-Key must have 1 to 255 printable ASCII characters without spaces')
}

const invalid = (complaint: string) => new DomainError('invalid_request', `${complaint}.`)
