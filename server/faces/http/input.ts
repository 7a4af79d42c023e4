import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { DomainError } from '../../domain/errors.ts'
import { NestsTooDeep, parseJson } from '../../domain/parse-json.ts'

/**
 * What comes in is checked by its schema in `contract/`, compiled. A refusal names the field and what it takes; of
 * several mistakes it names the first.
 */

type Values = Record<string, unknown>

/** The parts of a schema that sentences are made from. */
type Described = TSchema & {
  type?: string
  description?: string
  minimum?: number
  maxLength?: number
  enum?: string[]
  examples?: string[]
  anyOf?: Described[]
  properties?: Record<string, Described>
  patternProperties?: Record<string, Described>
  items?: Described
  'x-spoken'?: boolean
}

/**
 * Reads a query string. A mistyped, doubled or forgotten parameter is refused instead of ignored: on an audit read it
 * would silently widen the evidence, and where one thing is asked for, any would do.
 */
export function queryReader(schema: TObject | undefined): (raw: unknown) => Values {
  const fields = fieldsOf(schema)
  return (raw) => {
    const query: Values = {}
    for (const [name, text] of Object.entries(raw as Values)) {
      const field = fields.get(name)
      if (!field) throw unknownParameter(name, [...fields.keys()])
      if (typeof text !== 'string') throw invalidParameter(name, 'is given more than once')
      query[name] = field.parameter(text)
    }
    for (const { name, isRequired, schema } of fields.values())
      if (isRequired && !Object.hasOwn(query, name))
        throw invalidParameter(name, `is missing; it ${ruleOf(schema)}`)
    return query
  }
}

/** Reads a JSON body. */
export function bodyReader(schema: TObject): (request: FastifyRequest) => Values {
  const valuesOf = jsonReader(schema)
  return ({ headers, body }) => valuesOf(headers, body instanceof Buffer ? body : Buffer.alloc(0))
}

/** Reads the bytes of one. */
export function jsonReader(schema: TObject): (headers: IncomingHttpHeaders, bytes: Buffer) => Values {
  const valuesOf = objectReader(schema, 'The body')
  return (headers, bytes) => valuesOf(jsonOf(headers, bytes))
}

/** Reads an object that has been parsed already; `what` names it in a refusal. */
export function objectReader(schema: TObject, what: string): (value: unknown) => Values {
  const fields = fieldsOf(schema)
  const known = [...fields.keys()].join(', ')
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalid(`${what} must be a JSON object with ${known}`)
    for (const name of Object.keys(value)) {
      if (!fields.has(name))
        throw invalid(`There is no field \`${name.slice(0, 100)}\` here. Known: ${known || 'none'}`)
    }
    for (const field of fields.values()) field.check((value as Values)[field.name])
    return value as Values
  }
}

const fieldsOf = (schema: TObject | undefined): Map<string, Field> =>
  new Map(
    Object.entries(schema?.properties ?? {}).map(([name, described]) => [
      name,
      new Field(name, described as Described, schema?.required?.includes(name) ?? false),
    ]),
  )

/** One field of a body, or one parameter of a query. */
class Field {
  readonly name: string
  readonly schema: Described
  readonly isRequired: boolean
  #validator: Validator | undefined

  constructor(name: string, schema: Described, isRequired: boolean) {
    this.name = name
    this.schema = schema
    this.isRequired = isRequired
  }

  /** A validator is made when it is first needed: a server has hundreds of fields, and starts quickly. */
  get #shape(): Validator {
    this.#validator ??= Compile(this.schema)
    return this.#validator
  }

  parameter(text: string): unknown {
    const { enum: words, type, maxLength = 200 } = this.schema
    // Nothing that is stored holds one, and PostgreSQL does not even take the question.
    if (!words && type === 'string' && text.includes('\0'))
      throw invalidParameter(this.name, 'contains a NUL character')
    const value = meaningOf(this.schema, text)
    if (text !== '' && (text.length <= maxLength || type === 'integer') && this.#shape.Check(value))
      return value
    throw invalidParameter(this.name, ruleOf(this.schema))
  }

  check(value: unknown): void {
    if (value === undefined) {
      const { description } = this.schema
      if (this.isRequired)
        throw invalid(`\`${this.name}\` is missing${description ? `: ${description}` : ''}`)
      return
    }
    const fits = this.#shape.Check(value)
    if (!fits && typeof value !== 'string') throw invalid(this.#complaint(value))
    refuseUnwritable(value, this.name)
    if (!fits) throw invalid(this.#complaint(value))
  }

  #complaint(value: unknown): string {
    const [text = this.schema, orNull] = this.schema.anyOf ?? []
    const isText = text.type === 'string' && !text.enum && (!orNull || orNull.type === 'null')
    if (isText && typeof value !== 'string')
      return `\`${this.name}\` must be a string${orNull ? ' or null' : ''}`
    if (isText && value === '') return `\`${this.name}\` is empty`
    // Characters as a person counts them: a pair of surrogates is one.
    const length = typeof value === 'string' ? [...value].length : 0
    if (isText && length > (text.maxLength ?? length))
      return `\`${this.name}\` has ${length} characters; the most is ${text.maxLength}`
    if (this.schema.enum) return `\`${this.name}\` ${ruleOf(this.schema)}`
    return this.#complaintWithin(value)
  }

  /** Of something with parts: the first that does not fit, by its path. */
  #complaintWithin(value: unknown): string {
    const [first, ...others] = this.#shape.Errors(value)
    // What is missing beside a field that does not exist is most often that field, mistyped.
    const mistyped =
      first!.keyword === 'required' &&
      others.find(
        (one) =>
          one.keyword === 'boolean' &&
          one.instancePath.slice(0, one.instancePath.lastIndexOf('/')) === first!.instancePath,
      )
    const { keyword, instancePath, params, message } = mistyped || first!
    const part = `${this.name}${instancePath.replaceAll('/', '.')}`
    if (keyword === 'required') {
      const names = (params as { requiredProperties: string[] }).requiredProperties
      return `${names.map((name) => `\`${part}.${name}\``).join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing`
    }
    // A field that the schema does not name is checked against `false`.
    if (keyword === 'boolean' && this.schema.patternProperties)
      return `\`${this.name}\` has a name that cannot be used: names are one line, not empty and not too long`
    const around = partAt(this.schema, instancePath.split('/').slice(1, -1))
    if (keyword === 'boolean' && around?.patternProperties)
      return `\`${part.slice(0, part.lastIndexOf('.'))}\` has a name that cannot be used: names are one line, not empty and not too long`
    if (keyword === 'boolean') {
      const known = Object.keys(around?.properties ?? {})
      return `There is no field \`${part}\` here${known.length > 0 ? `. Known: ${known.join(', ')}` : ''}`
    }
    const [example] = partAt(this.schema, instancePath.split('/').slice(1))?.examples ?? []
    if (keyword === 'pattern' && example !== undefined) return `\`${part}\` must look like ${example}`
    return `\`${part}\` ${complaints[keyword]?.(params as unknown as Limits) ?? message}`
  }
}

/** The schema of a part of a value, by the names on the way to it; undefined where it is one of several. */
function partAt(schema: Described | undefined, steps: readonly string[]): Described | undefined {
  const [step, ...rest] = steps
  if (step === undefined || schema === undefined) return schema
  const [first, orNull] = schema.anyOf ?? []
  const { properties = {}, patternProperties = {}, items } = (orNull?.type === 'null' && first) || schema
  const part = Object.hasOwn(properties, step)
    ? properties[step]
    : (Object.values(patternProperties)[0] ?? items)
  return partAt(part, rest)
}

/** What a validator says of the keyword that a value broke. */
interface Limits {
  type: string | string[]
  limit: number
  allowedValue: unknown
  allowedValues: unknown[]
}

const kinds: Record<string, string> = dictionary({
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
})

/** In people's words; for the other keywords the validator's own will do. */
const complaints: Record<string, (limits: Limits) => string> = dictionary({
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((kind) => kinds[kind] ?? kind)
      .join(' or ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: ({ allowedValues }) => `must be one of ${allowedValues.join(', ')}`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  minLength: ({ limit }) => (limit === 1 ? 'is empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => (limit === 1 ? 'is empty' : `must have at least ${limit} entries`),
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  maxProperties: ({ limit }) => `must have at most ${limit} entries`,
  uniqueItems: () => 'names something twice',
})

/** What a parameter's text stands for; as it is when it stands for nothing. */
function meaningOf(schema: Described, text: string): unknown {
  if (schema['x-spoken']) return spoken(text)
  // However large: what is more than enough is as good as the largest number there is.
  if (schema.type === 'integer' && /^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  if (schema.type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

/** "The service" and "Signal received", as people and the app write them. */
const spoken = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replace(/^the_/, '')

function ruleOf(schema: Described): string {
  if (schema.enum) return `must be one of ${schema.enum.join(', ')}`
  if (schema.type === 'integer') return `must be a whole number, ${schema.minimum ?? 0} or more`
  if (schema.type === 'boolean') return 'must be true or false'
  return schema.examples ? `must look like ${schema.examples[0]}` : 'is empty or too long'
}

/** PostgreSQL keeps neither a NUL nor half of a surrogate pair. */
function refuseUnwritable(value: unknown, name: string): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalid(`\`${name}\` contains half a character (a lone surrogate)`)
    if (value.includes('\0')) throw invalid(`\`${name}\` contains a NUL character`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [part, inner] of Object.entries(value)) {
      refuseUnwritable(part, `a name in ${name}`)
      refuseUnwritable(inner, `${name}.${part}`)
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function jsonOf(headers: IncomingHttpHeaders, bytes: Buffer): unknown {
  const type = headers['content-type'] ?? ''
  const isJson = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
  if (bytes.length > 0 && (!isJson || headers['content-encoding']))
    throw new DomainError(
      'unsupported_media_type',
      'Send JSON, UTF-8 and uncompressed, with Content-Type: application/json.',
    )
  try {
    return parseJson(utf8.decode(bytes))
  } catch (error) {
    throw invalid(`The body ${error instanceof NestsTooDeep ? error.message : 'is not valid JSON'}`)
  }
}

/** 1 to 255 printable characters. */
export function idempotencyKeyOf(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid('Idempotency-Key must have 1 to 255 printable ASCII characters without spaces')
}

const invalid = (complaint: string) => new DomainError('invalid_request', `${complaint}.`)

const invalidParameter = (name: string, complaint: string) =>
  new DomainError('invalid_parameter', `\`${name}\` ${complaint}.`)

const unknownParameter = (name: string, known: string[]) =>
  new DomainError(
    'unknown_parameter',
    `There is no parameter \`${name.slice(0, 100)}\` here. ${known.length > 0 ? `Known: ${known.join(', ')}.` : 'This endpoint takes none.'}`,
  )
