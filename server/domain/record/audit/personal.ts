import { hash, randomBytes } from 'node:crypto'
import type { AuditEntry, Opening } from '@signalbox/contract/audit.ts'

/** An entry as it is sealed and stored. In the second format, personal values are references. */
export type Stored = AuditEntry & { v?: 2 }

/** A person by a name that an entry has of them; null: an address of which it is not known whose it is. */
export interface Named {
  id: string | null
  name: string
}

/** What an entry refers to, in the table that can forget it. */
export interface PersonalValue {
  workspaceId: string
  ref: string
  personId: string | null
  salt: string
  value: string
}

/** What readers see in place of a value that was erased. */
export const erasedWord = '[erased]'

const intro = 'personal:'
/** Stored text of the second format begins with this. Every other entry is as it was sealed. */
const stamp = '{"v":2,'
const isReference = /^personal:[\w-]{43}$/
/** In the text of an entry. A quotation mark inside of a string is escaped, so it is always a whole string. */
const references = /"personal:([\w-]{43})"/g

/** The hash that is in an entry for a value. Names are few enough to be guessed, so there is a salt. */
export const referenceOf = (salt: string, value: string): string =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from(salt, 'base64url'), Buffer.from(JSON.stringify(value))]),
    'base64url',
  )

/** Each value is stored once while a process remembers it, so that an entry seldom costs more than itself. */
const mostRemembered = 20_000
const remembered = new Map<string, string>()
const nameOf = (workspaceId: string, personId: string | null, value: string) =>
  `${workspaceId} ${personId} ${value}`

/** Puts references in the place of personal values, for the entries of one transaction. */
export class Concealer {
  readonly #fresh = new Map<string, PersonalValue>()
  #references = 0

  /** Values that are not stored yet. */
  get fresh(): PersonalValue[] {
    return [...this.#fresh.values()]
  }

  /**
   * The entry as it is stored: without the names of these people, wherever they are mentioned, nor the address from
   * which one of them came.
   */
  conceal(workspaceId: string, entry: AuditEntry, people: readonly Named[]): Stored {
    const [first] = people
    if (!first) return entry
    const { actor, entity, details } = entry
    const references = this.#references
    const within = (value: unknown): unknown => {
      if (!mayConcern(value, people)) return value
      if (typeof value === 'string') {
        const person = isReference.test(value) ? first : people.find(({ name }) => mentions(value, name))
        return person ? this.#refer(workspaceId, person.id, value) : value
      }
      if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
      if (Array.isArray(value)) return value.map(within)
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, within(member)]))
    }
    const concealed = {
      ...entry,
      actor:
        actor.type === 'human'
          ? { ...actor, name: this.#refer(workspaceId, actor.userId, actor.name) }
          : actor,
      entity: { ...entity, name: within(entity.name) as string | null },
      details: this.#withoutAddress(workspaceId, within(details) as AuditEntry['details'], first),
    }
    return this.#references === references ? entry : { v: 2, ...concealed }
  }

  #withoutAddress(workspaceId: string, details: AuditEntry['details'], person: Named): AuditEntry['details'] {
    const { origin } = details as { origin?: { address?: string } }
    if (origin?.address === undefined || isReference.test(origin.address)) return details
    return { ...details, origin: { ...origin, address: this.#refer(workspaceId, person.id, origin.address) } }
  }

  #refer(workspaceId: string, personId: string | null, value: string): string {
    this.#references += 1
    const name = nameOf(workspaceId, personId, value)
    const known = remembered.get(name) ?? this.#fresh.get(name)?.ref
    if (known) return intro + known
    const salt = randomBytes(32).toString('base64url')
    const ref = referenceOf(salt, value)
    this.#fresh.set(name, { workspaceId, ref, personId, salt, value })
    return intro + ref
  }
}

/** They are committed: the next entry can refer to them. What is used least goes first, and is then stored again. */
export function rememberStored(values: readonly PersonalValue[]): void {
  for (const { workspaceId, personId, value, ref } of values) {
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value!)
    remembered.set(nameOf(workspaceId, personId, value), ref)
  }
}

/** Most details have no name in them, and are then not rewritten. */
function mayConcern(value: unknown, people: readonly Named[]): boolean {
  if (typeof value === 'string')
    return value.startsWith(intro) || people.some(({ name }) => value.includes(name))
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (mayConcern((value as Record<string, unknown>)[key], people)) return true
  return false
}

const before = /[\s"'“‘(@]/
const behind = /[\s"'”’).,:;!?]/

/** Whether a name is a word of the text, or all of it. */
function mentions(text: string, name: string): boolean {
  if (name === '') return false
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [left, right] = [text[at - 1], text[at + name.length]]
    if ((left === undefined || before.test(left)) && (right === undefined || behind.test(right))) return true
  }
  return false
}

/** What the stored texts of entries refer to. */
export function referencesIn(texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const text of texts)
    if (text.startsWith(stamp)) for (const [, ref] of text.matchAll(references)) found.add(ref!)
  return [...found]
}

/** A stored text as readers see it, given the values that are still there. */
export const reveal = (text: string, values: ReadonlyMap<string, string>): string =>
  text.startsWith(stamp)
    ? `{${text.slice(stamp.length)}`.replaceAll(references, (_, ref: string) =>
        JSON.stringify(values.get(ref) ?? erasedWord),
      )
    : text

/** Where the references of an entry are, with the salts of those whose values are there. Undefined in the first format. */
export function openingsOf(entry: Stored, salts: ReadonlyMap<string, string>): Opening[] | undefined {
  if (entry.v !== 2) return undefined
  const openings: Opening[] = []
  const walk = (value: unknown, path: string[]) => {
    if (typeof value === 'string' && isReference.test(value)) {
      const ref = value.slice(intro.length)
      const salt = salts.get(ref)
      openings.push(salt === undefined ? { path, ref } : { path, salt })
    } else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) walk(member, [...path, key])
  }
  walk(entry, [])
  return openings
}

/**
 * The entry as it was sealed, from what a reader saw of it. Null when the openings do not fit it: a value that nothing
 * shows to be the one that was sealed is worth nothing.
 */
export function asSealed(entry: AuditEntry, openings: readonly Opening[] | undefined): Stored | null {
  if (openings === undefined) return entry
  if (hasErasedValue(entry, openings)) return null
  const sealed: Stored = { v: 2, ...structuredClone(entry) }
  for (const opening of openings) {
    const place = placeOf(sealed, opening.path)
    if (!place) return null
    place.object[place.key] =
      intro + ('ref' in opening ? opening.ref : referenceOf(opening.salt, place.value))
  }
  return sealed
}

/** Whether an entry, seen earlier, has a value of which only the reference is left. */
export const hasErasedValue = (entry: AuditEntry, openings: readonly Opening[] = []): boolean =>
  openings.some((opening) => 'ref' in opening && placeOf(entry, opening.path)?.value !== erasedWord)

/** Paths come with files from outside: they lead to a text of the entry, or nowhere. */
function placeOf(entry: AuditEntry, path: readonly string[]) {
  let object: unknown = entry
  for (const [index, key] of path.entries()) {
    if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return null
    const value = (object as Record<string, unknown>)[key]
    if (index < path.length - 1) object = value
    else if (typeof value === 'string') return { object: object as Record<string, unknown>, key, value }
  }
  return null
}
