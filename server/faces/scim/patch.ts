import { isValues, type Values } from './body.ts'
import { refused } from './errors.ts'

/** One thing that a PATCH asks for: to add, replace or remove what an attribute holds. */
export interface Operation {
  op: 'add' | 'replace' | 'remove'
  /** In lower case, without the schema in front: `active`, `name.givenname`, `members[value eq "…"]` is its part. */
  path: string
  /** What is in brackets; null: nothing does. */
  selected: string | null
  value: unknown
}

const ops = new Map<unknown, Operation['op']>([
  ['add', 'add'],
  ['replace', 'replace'],
  ['remove', 'remove'],
])
const mostOperations = 1_000

/**
 * What a PATCH asks for, in order (RFC 7644 section 3.5.2). Microsoft Entra begins `op` with a capital; Okta leaves the
 * path out and names attributes in the value.
 */
export function operationsIn({ Operations: given }: Values): Operation[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostOperations)
    throw refused('invalidSyntax', `\`Operations\` must be a list of 1 to ${mostOperations} operations.`)
  return given.flatMap((one: unknown): Operation[] => {
    const op = isValues(one) && typeof one.op === 'string' ? ops.get(one.op.toLowerCase()) : undefined
    if (!isValues(one) || !op)
      throw refused('invalidSyntax', 'Each operation needs `op`: add, replace or remove.')
    if (one.path !== undefined && one.path !== null && typeof one.path !== 'string')
      throw refused('invalidPath', '`path` must be a string.')
    if (one.path) return [{ op, ...pathIn(one.path), value: one.value }]
    if (op === 'remove') throw refused('noTarget', 'A removal needs a `path`.')
    if (!isValues(one.value)) throw refused('invalidValue', 'Without a `path`, `value` must be an object.')
    return Object.entries(one.value).map(([path, value]) => ({ op, ...pathIn(path), value }))
  })
}

const schemaInFront = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i

/** In lower case, without the schema in front. */
export const attributeIn = (written: string): string => written.replace(schemaInFront, '').toLowerCase()

function pathIn(written: string): Pick<Operation, 'path' | 'selected'> {
  const path = written.trim()
  const [, inBrackets = null] = /\[([^[\]]*)\]/.exec(path) ?? []
  const name = inBrackets === null ? path : path.replace(`[${inBrackets}]`, '')
  if (/[[\]]/.test(name)) throw refused('invalidPath', `\`${written.slice(0, 200)}\` is not a path.`)
  return { path: attributeIn(name), selected: inBrackets }
}
