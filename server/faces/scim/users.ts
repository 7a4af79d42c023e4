import type { UserGiven } from '../../domain/accounts/provisioning/create-user.ts'
import { noSuchGroup } from '../../domain/accounts/provisioning/read-groups.ts'
import { noSuchUser, type ProvisionedUser } from '../../domain/accounts/provisioning/read-users.ts'
import { booleanIn, isValues, requiredText, textIn, type Values } from './body.ts'
import { refused } from './errors.ts'
import { isId } from './ids.ts'
import { operationsIn } from './patch.ts'
import { type ScimResource, withoutNull } from './resource.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** A user as SCIM shows one. */
export function userResource(user: ProvisionedUser, base: string): ScimResource {
  const { id, userName, externalId, displayName, givenName, familyName } = user
  const name = withoutNull({ formatted: displayName, givenName, familyName })
  return {
    schemas: [userSchema],
    ...withoutNull({ id, externalId, userName, displayName }),
    ...(Object.keys(name).length > 0 ? { name } : {}),
    active: user.active,
    emails: [{ value: user.email, type: 'work', primary: true }],
    meta: {
      resourceType: 'User',
      created: user.createdAt,
      lastModified: user.updatedAt,
      location: `${base}/Users/${id}`,
    },
  }
}

/** An id that can be one; what cannot is not found. */
export function parseId(text: string, noun: 'user' | 'group'): string {
  const id = text.toLowerCase()
  if (isId(id)) return id
  throw noun === 'user' ? noSuchUser(text.slice(0, 100)) : noSuchGroup(text.slice(0, 100))
}

/**
 * What a provider says of a person. Attributes that are not named here are ignored. One that says nothing of `active`
 * lets no one in, and takes no one out.
 */
export function userIn(body: Values, isActive: boolean): UserGiven {
  const name = isValues(body.name) ? body.name : {}
  const givenName = textIn(name.givenName, 'name.givenName')
  const familyName = textIn(name.familyName, 'name.familyName')
  const joined = [givenName, familyName].filter((part) => part !== null).join(' ')
  return {
    userName: requiredText(body.userName, 'userName'),
    externalId: textIn(body.externalId, 'externalId'),
    givenName,
    familyName,
    displayName:
      textIn(body.displayName, 'displayName') ?? textIn(name.formatted, 'name.formatted') ?? (joined || null),
    active: body.active === undefined || body.active === null ? isActive : booleanIn(body.active, 'active'),
  }
}

/** The same of a new one, with the address by which the person signs in. */
export function newUserIn(body: Values): UserGiven & { email: string } {
  const given = userIn(body, true)
  const email = emailIn(body.emails) ?? given.userName
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw refused(
      'invalidValue',
      'Send an email address in `emails` or as `userName`: people sign in with it.',
    )
  return { ...given, email }
}

/** The primary address, or the one of work, or the first. */
function emailIn(given: unknown): string | null {
  const emails = Array.isArray(given) ? given.filter(isValues) : []
  const one =
    emails.find(({ primary }) => primary === true || String(primary).toLowerCase() === 'true') ??
    emails.find(({ type }) => type === 'work') ??
    emails[0]
  return textIn(one?.value, 'emails.value')
}

type TextField = 'externalId' | 'givenName' | 'familyName' | 'displayName'

const textFields = new Map<string, TextField>([
  ['externalid', 'externalId'],
  ['name.givenname', 'givenName'],
  ['name.familyname', 'familyName'],
  ['name.formatted', 'displayName'],
  ['displayname', 'displayName'],
])

/** A user after a PATCH. What we do not store is ignored, as it is in a PUT: providers send many attributes. */
export function userPatched(user: ProvisionedUser, patch: Values): UserGiven {
  const { userName, externalId, givenName, familyName, displayName, active } = user
  const next: UserGiven = { userName, externalId, givenName, familyName, displayName, active }
  for (const { op, path, value } of operationsIn(patch)) {
    if (path === 'name' && isValues(value) && op !== 'remove') {
      for (const [part, text] of Object.entries(value)) setText(next, `name.${part.toLowerCase()}`, text)
    } else if (op === 'remove') {
      if (path === 'username' || path === 'active')
        throw refused('mutability', `\`${path}\` cannot be removed.`)
      setText(next, path, null)
    } else if (path === 'active') next.active = booleanIn(value, 'active')
    else if (path === 'username') next.userName = requiredText(value, 'userName')
    else setText(next, path, value)
  }
  return next
}

function setText(user: UserGiven, path: string, value: unknown): void {
  const field = textFields.get(path)
  if (field) user[field] = textIn(value, field)
}
