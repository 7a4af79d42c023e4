import type { GroupFilter } from '../../domain/accounts/provisioning/read-groups.ts'
import type { Part, UserFilter } from '../../domain/accounts/provisioning/read-users.ts'
import type { Values } from './body.ts'
import { refused } from './errors.ts'
import { isId } from './ids.ts'

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
])

const groupAttributes = new Map<string, keyof GroupFilter>([
  ['id', 'id'],
  ['displayname', 'displayName'],
  ['externalid', 'externalId'],
])

export const userFilterIn = ({ filter }: Values): UserFilter => filterIn(filter, userAttributes)
export const groupFilterIn = ({ filter }: Values): GroupFilter => filterIn(filter, groupAttributes)

/** One attribute that equals one value: what providers look people and groups up by. */
function filterIn<Name extends string>(
  filter: unknown,
  attributes: Map<string, Name>,
): { [Each in Name]?: string } {
  if (filter === undefined) return {}
  const { attribute, value } = equationIn(String(filter)) ?? {}
  const name = attribute && attributes.get(attribute.toLowerCase())
  if (!name || value === undefined)
    throw refused(
      'invalidFilter',
      `\`filter\` must be one of ${[...attributes.values()].join(', ')} with \`eq\` and a quoted value, such as ${[...attributes.values()][1]} eq "value".`,
    )
  // What is no id is no one's.
  return { [name]: name === 'id' && !isId(value) ? noOne : value } as { [Each in Name]?: string }
}

const noOne = '00000000-0000-0000-0000-000000000000'

/** `userName eq "ada@example.com"`; null for anything else. */
export function equationIn(text: string): { attribute: string; value: string } | null {
  const [, attribute, quoted] = /^\s*([A-Za-z][\w.:-]*)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(text) ?? []
  if (!attribute || !quoted) return null
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' && !value.includes('\0') ? { attribute, value } : null
  } catch {
    return null
  }
}
