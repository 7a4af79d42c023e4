import type { TObject, TSchema } from 'typebox'
import { DomainError } from '../../domain/errors.ts'

/**
 * Turns a query string into the values its schema describes. A mistyped or doubled parameter is refused instead of
 * ignored: on an audit read it would silently widen the evidence.
 */
export function parseQuery(
  schema: TObject | undefined,
  raw: Record<string, unknown>,
): Record<string, unknown> {
  const known = schema?.properties ?? {}
  const query: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(raw)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (!parameter) throw new DomainError('unknown_parameter', unknown(name, Object.keys(known)))
    if (typeof value !== 'string') throw invalid(name, 'is given more than once')
    query[name] = parse(name, parameter as Described, value)
  }
  return query
}

/** The parts of a schema that a query parameter uses. */
type Described = TSchema & {
  type?: string
  minimum?: number
  maxLength?: number
  pattern?: string
  enum?: string[]
  examples?: string[]
  'x-spoken'?: boolean
}

function parse(name: string, schema: Described, text: string): unknown {
  if (schema.enum) return parseWord(name, schema, text)
  switch (schema.type) {
    case 'integer':
      return parseInteger(name, schema, text)
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalid(name, 'must be true or false')
      return text === 'true'
    default:
      return parseText(name, schema, text)
  }
}

function parseInteger(name: string, schema: Described, text: string): number {
  const minimum = schema.minimum ?? 0
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum)) throw invalid(name, `must be a whole number, ${minimum} or more`)
  return value
}

function parseWord(name: string, schema: Described, text: string): string {
  const word = schema['x-spoken'] ? spoken(text) : text
  if (!schema.enum!.includes(word)) throw invalid(name, `must be one of ${schema.enum!.join(', ')}`)
  return word
}

/** "The service" and "Signal received", as people and the app write them. */
const spoken = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replace(/^the_/, '')

function parseText(name: string, schema: Described, text: string): string {
  // Nothing that is stored holds one, and PostgreSQL does not even take the question.
  if (text.includes('\0')) throw invalid(name, 'holds a NUL character')
  const fits =
    text !== '' &&
    text.length <= (schema.maxLength ?? 200) &&
    (schema.pattern === undefined || patternOf(schema.pattern).test(text))
  if (!fits)
    throw invalid(name, schema.examples ? `must look like ${schema.examples[0]}` : 'is empty or too long')
  return text
}

const patterns = new Map<string, RegExp>()

function patternOf(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source)
  patterns.set(source, known)
  return known
}

const invalid = (name: string, complaint: string) =>
  new DomainError('invalid_parameter', `\`${name}\` ${complaint}.`)

const unknown = (name: string, known: string[]) =>
  `There is no parameter \`${name.slice(0, 100)}\` here. ${known.length > 0 ? `Known: ${known.join(', ')}.` : 'This endpoint takes none.'}`
