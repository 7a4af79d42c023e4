import type { GroupGiven } from '../../domain/accounts/provisioning/create-group.ts'
import type { ProvisionedGroup } from '../../domain/accounts/provisioning/read-groups.ts'
import { isValues, requiredText, textIn, type Values } from './body.ts'
import { refused } from './errors.ts'
import { isId } from './ids.ts'
import { type Operation, operationsIn } from './patch.ts'
import { equationsIn } from './query.ts'
import { type ScimResource, withoutNull } from './resource.ts'

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** A group as SCIM shows one; without its members where the query excludes them. */
export function groupResource(
  group: ProvisionedGroup,
  base: string,
  { excludedAttributes }: Values,
): ScimResource {
  const { id, externalId, displayName, createdAt, updatedAt } = group
  const excluded = String(excludedAttributes ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  return {
    schemas: [groupSchema],
    ...withoutNull({ id, externalId, displayName }),
    ...(excluded.includes('members')
      ? {}
      : {
          members: group.members.map(({ value, display }) =>
            withoutNull({ value, display, type: 'User', $ref: `${base}/Users/${value}` }),
          ),
        }),
    meta: {
      resourceType: 'Group',
      created: createdAt,
      lastModified: updatedAt,
      location: `${base}/Groups/${id}`,
    },
  }
}

export const groupIn = (body: Values): GroupGiven => ({
  displayName: requiredText(body.displayName, 'displayName'),
  externalId: textIn(body.externalId, 'externalId'),
  members: membersIn(body.members),
})

const mostMembers = 10_000

/** Ids of users; one member may stand alone, without a list around it. */
function membersIn(given: unknown): string[] {
  if (given === undefined || given === null) return []
  const all = Array.isArray(given) ? given : [given]
  if (all.length > mostMembers)
    throw refused('invalidValue', `\`members\` must have at most ${mostMembers} entries.`)
  return all.map((one: unknown) => {
    const id = isValues(one) && typeof one.value === 'string' ? one.value.toLowerCase() : ''
    if (!isId(id))
      throw refused('invalidValue', '`members` must be a list of objects with the id of a user in `value`.')
    return id
  })
}

/** A group after a PATCH. */
export function groupPatched(group: ProvisionedGroup, patch: Values): GroupGiven {
  const next = {
    displayName: group.displayName,
    externalId: group.externalId,
    members: new Set(group.members.map(({ value }) => value)),
  }
  for (const operation of operationsIn(patch)) {
    const { op, path, value } = operation
    if (path === 'members') next.members = membersAfter(next.members, operation)
    else if (path === 'displayname' && op === 'remove')
      throw refused('mutability', '`displayName` cannot be removed.')
    else if (path === 'displayname') next.displayName = requiredText(value, 'displayName')
    else if (path === 'externalid') next.externalId = op === 'remove' ? null : textIn(value, 'externalId')
  }
  return { ...next, members: [...next.members] }
}

function membersAfter(before: Set<string>, { op, selected, value }: Operation): Set<string> {
  if (selected !== null) return op === 'remove' ? before.difference(new Set([selectedIn(selected)])) : before
  if (op === 'replace') return new Set(membersIn(value))
  if (op === 'add') return before.union(new Set(membersIn(value)))
  // Microsoft Entra names those to be removed in the value; without one, all of them are.
  return value === undefined || value === null ? new Set() : before.difference(new Set(membersIn(value)))
}

/** The id in `members[value eq "…"]`. */
function selectedIn(filter: string): string {
  const [equation, ...others] = equationsIn(filter) ?? []
  if (equation?.attribute !== 'value' || others.length > 0)
    throw refused('invalidFilter', 'Select members with `members[value eq "id"]`.')
  return equation.value.toLowerCase()
}
