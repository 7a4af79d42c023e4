import type { GroupFilter } from '../../domain/accounts/provisioning/read-groups.ts'
import type { Part, UserFilter } from '../../domain/accounts/provisioning/read-users.ts'
import type { Values } from './body.ts'
import { refused } from './errors.ts'
import { isId } from './ids.ts'
import { attributeIn } from './patch.ts'

/** The most that one answer lists. */
export const mostResults = 200

/** `startIndex` counts from one; less than one means one (RFC 7644 section 3.4.2.4). */
export function readPaging({ startIndex, count }: Values): Part {
  const first = Math.max(1, wholeIn(startIndex, 'startIndex') ?? 1)
  const most = Math.min(mostResults, Math.max(0, wholeIn(count, 'count') ?? 100))
  return { offset: Math.min(first - 1, 1_000_000_000), most }
}

function wholeIn(text: unknown, name: string): number | null {
  if (text === undefined) return null
  if (typeof text !== 'string' || !/^-?\d{1,15}$/.test(text))
    throw refused('invalidValue', `\`${name}\` must be a whole number.`)
  return Number(text)
}

const userAttributes = new Map<string, keyof UserFilter>([
  ['id', 'id'],
  ['username', 'userName'],
  ['externalid', 'externalId'],
  ['displayname', 'displayName'],
  ['emails', 'email'],
  ['emails.value', 'email'],
])

const groupAttributes = new Map<string, keyof GroupFilter>([
  ['id', 'id'],
  ['displayname', 'displayName'],
  ['externalid', 'externalId'],
])

export const userFilterIn = ({ filter }: Values): UserFilter => filterIn(filter, userAttributes)
export const groupFilterIn = ({ filter }: Values): GroupFilter => filterIn(filter, groupAttributes)

/**
 * Attributes that equal values: what providers look people and groups up by. Microsoft Entra asks for an id and the
 * manager together. What we do not store has no value (RFC 7644 section 3.4.2.1), so no one has that one.
 */
function filterIn<Name extends string>(
  filter: unknown,
  attributes: Map<string, Name>,
): { [Each in Name | 'id']?: string } {
  const found: Partial<Record<Name | 'id', string>> = {}
  if (filter === undefined) return found
  const equations = equationsIn(String(filter))
  if (!equations)
    throw refused(
      'invalidFilter',
      '`filter` must be `attribute eq "value"`, or several of these with `and` between them.',
    )
  for (const { attribute, value } of equations) {
    if (shownOnly.test(attribute))
      throw refused('invalidFilter', `\`filter\` cannot ask for \`${attribute}\`.`)
    const name = attributes.get(attribute)
    const isKnown = name !== undefined && (name !== 'id' || isId(value.toLowerCase()))
    if (!isKnown || (found[name] ?? value) !== value) return { ...found, id: noOne }
    found[name] = value
  }
  return found
}

/** Attributes that are shown, and that no list is looked through for. */
const shownOnly = /^(?:active|name|members|meta|schemas)(?:\.|$)/

const noOne = '00000000-0000-0000-0000-000000000000'

interface Equation {
  /** In lower case, without the schema in front: `username`, `emails.value`. */
  attribute: string
  value: string
}

const mostEquations = 10
const equation = /^\s*([^\s[\]"]+)(?:\[[^[\]]*\](\.\w+)?)?\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*/i

/** `id eq "…" and manager eq "…"`; null for anything else. */
export function equationsIn(text: string): Equation[] | null {
  const found: Equation[] = []
  for (let rest = text; found.length < mostEquations; ) {
    const one = equationAt(rest)
    if (!one) return null
    found.push(one.equation)
    if (one.rest === '') return found
    if (!/^and\s/i.test(one.rest)) return null
    rest = one.rest.slice(3)
  }
  return null
}

function equationAt(text: string): { equation: Equation; rest: string } | null {
  const [whole = '', name, within = '', quoted] = equation.exec(text) ?? []
  const attribute = name && attributeIn(name + within)
  if (!attribute || !quoted) return null
  try {
    const value = String(JSON.parse(quoted.startsWith('"') ? quoted : quoted.toLowerCase()))
    return value.includes('\0') ? null : { equation: { attribute, value }, rest: text.slice(whole.length) }
  } catch {
    return null
  }
}
