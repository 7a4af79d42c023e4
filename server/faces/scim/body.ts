import type { FastifyRequest } from 'fastify'
import { NestsTooDeep, parseJson } from '../../domain/parse-json.ts'
import { refused } from './errors.ts'

export type Values = Record<string, unknown>

export const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a request brings, whichever of the two media types it names. */
export function bodyOf({ body }: FastifyRequest): Values {
  let value: unknown
  try {
    value = parseJson(body instanceof Buffer ? body.toString('utf8') : '')
  } catch (error) {
    throw refused(
      'invalidSyntax',
      error instanceof NestsTooDeep ? `The body ${error.message}.` : 'The body is not JSON.',
    )
  }
  if (!isValues(value)) throw refused('invalidSyntax', 'The body must be a JSON object.')
  return value
}

const mostCharacters = 256

/** Text of an attribute; null where there is none, or none to speak of. */
export function textIn(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw refused('invalidValue', `\`${name}\` must be a string.`)
  const text = value.trim()
  if (text.includes('\0') || !text.isWellFormed())
    throw refused('invalidValue', `\`${name}\` contains a character that cannot be stored.`)
  if ([...text].length > mostCharacters)
    throw refused('invalidValue', `\`${name}\` must have at most ${mostCharacters} characters.`)
  return text === '' ? null : text
}

/** Text that there has to be. */
export function requiredText(value: unknown, name: string): string {
  const text = textIn(value, name)
  if (text === null) throw refused('invalidValue', `\`${name}\` is required.`)
  return text
}

/** True or false; Microsoft Entra sends the words "True" and "False". */
export function booleanIn(value: unknown, name: string): boolean {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  if (word === true || word === 'true') return true
  if (word === false || word === 'false') return false
  throw refused('invalidValue', `\`${name}\` must be true or false.`)
}
