import { leafHash } from '../../infra/merkle.ts'

/**
 * One text for one value (RFC 8785): keys sorted by their UTF-16 units, no white space. A file that was
 * pretty-printed or whose keys were shuffled still hashes to what was sealed. A stack of its own instead of
 * recursion: an entry that is nested too deep to be sealed would hold up its log for ever.
 */
export function canonicalJson(value: unknown): string {
  let text = ''
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (next instanceof Verbatim) text += next.text
    else if (typeof next !== 'object' || next === null) text += JSON.stringify(next)
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
  const keys = Object.keys(members).sort()
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    left.push(members[keys[index]!], new Verbatim(`${index > 0 ? ',' : ''}${JSON.stringify(keys[index])}:`))
  }
  return '{'
}
