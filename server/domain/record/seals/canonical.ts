import { dictionary } from '@signalbox/contract/dictionary.ts'
import { leafHash } from '../../../infra/merkle.ts'

/**
 * One text for one value (RFC 8785): keys sorted by their UTF-16 units, no white space. A file that was
 * pretty-printed or whose keys were shuffled still hashes to what was sealed. A value that was never JSON is written as
 * JSON would be: what is undefined is left out.
 */
export function canonicalJson(value: unknown): string {
  const sorted = sortedCopy(value, 0)
  return sorted === unsortable ? withoutRecursion(value) : (JSON.stringify(sorted) ?? 'null')
}

const unsortable = Symbol('unsortable')
/** Entries are flat. What is nested deeper than this is written another way, however deep it is. */
const deepest = 32
/** Objects keep whole numbers first, whatever the order in which they are given; and one name is not for members. */
const keepsItsOwnPlace = (key: string) => (key >= '0' && key < ':') || key === '__proto__'

/** The same with its keys in order, so that the engine can write it, which is several times as fast. */
function sortedCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === deepest || hasOwnForm(value)) return unsortable
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      const sorted = sortedCopy(item, depth + 1)
      if (sorted === unsortable) return unsortable
      items.push(sorted)
    }
    return items
  }
  const members: Record<string, unknown> = dictionary()
  for (const key of Object.keys(value).sort()) {
    const sorted = sortedCopy((value as Record<string, unknown>)[key], depth + 1)
    if (sorted === unsortable || keepsItsOwnPlace(key)) return unsortable
    members[key] = sorted
  }
  return members
}

const hasOwnForm = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function'

const isWritten = (value: unknown) => JSON.stringify(typeof value === 'object' ? null : value) !== undefined

/** Uses its own stack: an entry nested too deep to be sealed would otherwise block its log forever. */
function withoutRecursion(value: unknown): string {
  let text = ''
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (next instanceof Verbatim) text += next.text
    else if (typeof next !== 'object' || next === null) text += JSON.stringify(next) ?? 'null'
    else if (hasOwnForm(next)) left.push(next.toJSON())
    else if (Array.isArray(next)) text += openArray(next, left)
    else text += openObject(next as Record<string, unknown>, left)
  }
  return text
}

/** What the tree holds of an entry. */
export function entryHash(entry: unknown): Buffer {
  return leafHash(canonicalJson(entry))
}

/** Text among the values that are left to be written. */
class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const comma = new Verbatim(',')
const arrayEnd = new Verbatim(']')
const objectEnd = new Verbatim('}')

// Both push from the last member to the first, because what is pushed last is written next.
function openArray(items: unknown[], left: unknown[]): string {
  left.push(arrayEnd)
  for (let index = items.length - 1; index >= 0; index -= 1) {
    left.push(items[index])
    if (index > 0) left.push(comma)
  }
  return '['
}

function openObject(members: Record<string, unknown>, left: unknown[]): string {
  left.push(objectEnd)
  const keys = Object.keys(members)
    .filter((key) => isWritten(members[key]))
    .sort()
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    left.push(members[keys[index]!], new Verbatim(`${index > 0 ? ',' : ''}${JSON.stringify(keys[index])}:`))
  }
  return '{'
}
