import { isAscii } from 'node:buffer'
import { NestsTooDeep, parseJson } from '../../../parse-json.ts'

/** A JSON object as it came. Read it with `at`: a key may be missing, or be called `constructor`. */
export type Fields = Readonly<Record<string, unknown>>

export type Parsed = { value: unknown } | { problem: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseBody(body: Buffer): Parsed {
  if (body.length === 0) return { problem: 'The body is empty.' }
  let text: string
  try {
    text = isAscii(body) ? body.toString('latin1') : utf8.decode(body)
  } catch {
    return { problem: 'The body is not UTF-8. Send JSON in UTF-8.' }
  }
  return parseText(text)
}

export function parseText(text: string): Parsed {
  try {
    const value = parseJson(text)
    return { value: /\d{16}/.test(text) ? JSON.parse(withExactIntegers(text)) : value }
  } catch (error) {
    // What the parser says repeats the body, which may hold secrets.
    return { problem: `The body ${error instanceof NestsTooDeep ? error.message : 'is not JSON'}.` }
  }
}

const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const longInteger = /^-?\d{16,}$/

/** Valid JSON with integers that a number may not hold as text: their last digits tell deliveries apart. */
function withExactIntegers(json: string): string {
  let exact = ''
  let copied = 0
  let at = 0
  while (at < json.length) {
    const char = json[at]!
    if (char === '"') at = endOfString(json, at)
    else if (char === '-' || (char >= '0' && char <= '9')) {
      numberToken.lastIndex = at
      const number = numberToken.exec(json)![0]
      if (longInteger.test(number)) {
        exact += `${json.slice(copied, at)}"${number}"`
        copied = at + number.length
      }
      at += number.length
    } else at += 1
  }
  return exact + json.slice(copied)
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path of keys and positions; undefined where the path ends. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string | number, unknown>)[step]
  }
  return found
}

export const listAt = (value: unknown, ...path: (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The pairs of an object; none of anything else. */
export function* pairsOf(value: unknown): Generator<readonly [string, unknown]> {
  if (isObject(value)) for (const key of Object.keys(value)) yield [key, value[key]]
}
