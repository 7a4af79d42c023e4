/** RFC 7644 section 8.1. */
export const scimJson = 'application/scim+json; charset=utf-8'

/** A resource as SCIM shows one. */
export interface ScimResource {
  [attribute: string]: unknown
  schemas: string[]
  meta: { resourceType: string; created: string; lastModified: string; location: string }
}

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A list as SCIM answers: how many there are, and from which of them on these are. */
export const listResponse = (resources: object[], total = resources.length, offset = 0) => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex: offset + 1,
  itemsPerPage: resources.length,
  Resources: resources,
})

/** The attributes that are there. */
export const withoutNull = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
