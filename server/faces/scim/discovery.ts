import { groupSchema } from './groups.ts'
import { mostResults } from './query.ts'
import { userSchema } from './users.ts'

/** What a provider can read of us (RFC 7643 sections 5 to 7). */

const coreSchemas = 'urn:ietf:params:scim:schemas:core:2.0'

export const serviceProviderConfig = (base: string) => ({
  schemas: [`${coreSchemas}:ServiceProviderConfig`],
  documentationUri: `${new URL(base).origin}/docs/single-sign-on`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'SCIM token',
      description: 'A token from Settings, Single sign-on, sent as Authorization: Bearer.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

export const resourceTypes = (base: string) => [
  resourceType(base, 'User', '/Users', userSchema),
  resourceType(base, 'Group', '/Groups', groupSchema),
]

const resourceType = (base: string, name: string, endpoint: string, schema: string) => ({
  schemas: [`${coreSchemas}:ResourceType`],
  ...{ id: name, name, endpoint, schema, schemaExtensions: [] },
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
})

export const schemas = (base: string) => [
  schema(base, userSchema, 'User', [
    attribute('userName', { required: true, uniqueness: 'server' }),
    attribute('displayName'),
    attribute('name', {
      type: 'complex',
      subAttributes: [attribute('formatted'), attribute('givenName'), attribute('familyName')],
    }),
    attribute('active', { type: 'boolean' }),
    attribute('emails', {
      type: 'complex',
      multiValued: true,
      // The address of an account is set when it is made.
      mutability: 'immutable',
      subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
    }),
  ]),
  schema(base, groupSchema, 'Group', [
    attribute('displayName', { required: true, uniqueness: 'server' }),
    attribute('members', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', { mutability: 'immutable' }),
        attribute('$ref', { type: 'reference', referenceTypes: ['User'], mutability: 'immutable' }),
        attribute('type', { mutability: 'immutable' }),
        attribute('display', { mutability: 'readOnly' }),
      ],
    }),
  ]),
]

const schema = (base: string, id: string, name: string, attributes: object[]) => ({
  schemas: [`${coreSchemas}:Schema`],
  ...{ id, name, attributes },
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
})

const attribute = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
