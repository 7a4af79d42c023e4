import { dictionary } from '@signalbox/contract/dictionary.ts'
import {
  type WebhookType,
  webhookData,
  webhookExample,
  webhookMeanings,
  webhookMessage,
} from '@signalbox/contract/webhooks.ts'
import {
  bare,
  headerRefs,
  hoist,
  jsonBody,
  openApiDocument,
  responseRefs,
  type Schema,
} from '../http/openapi-parts.ts'
import { routes } from './routes.ts'
import type { Route } from './v1/route.ts'

/** The OpenAPI 3.1 document, made from the same values that the server routes by. */

export interface OpenApi {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: unknown }>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, unknown>
    headers: Record<string, unknown>
    securitySchemes: unknown
  }
}
export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  deprecated?: boolean
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, unknown>
}

const tags: Record<string, string> = dictionary({
  Teams: 'AI teams and the policy each works under.',
  Stories: 'What teams work on; each mirrors an issue of the tracker.',
  Runs: 'The service working on one story, with attempts, evidence and cost.',
  Decisions: 'Where a person is needed.',
  Audit: 'Who did what, when, with which result. For owners and admins.',
  Webhooks: 'What Signalbox sends to the endpoints of a workspace, signed as Standard Webhooks describes.',
  Legacy: 'What remains of the first API version.',
})

export const openApi = (url = '/'): OpenApi =>
  openApiDocument({
    url,
    title: 'Signalbox REST API',
    description:
      'Lists are newest first, `{data, nextCursor}`. Errors are `{error: {code, message}}`. 120 requests a minute per token.',
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    routes,
    operation,
    meanings,
    more: {
      webhooks: Object.fromEntries(
        (Object.keys(webhookData) as WebhookType[]).map((type) => [type, { post: webhook(type) }]),
      ),
    },
  })

function operation(route: Route, schemas: Record<string, Schema>): Operation {
  const needs = `Needs the permission \`${route.permission}\`${route.role ? ', and a token of an owner or admin' : ''}.`
  return {
    operationId: route.operation,
    summary: route.summary,
    description: route.description ? `${route.description} ${needs}` : needs,
    tags: [route.tag],
    ...(route.deprecated ? { deprecated: true } : {}),
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route),
      ...(route.body ? [idempotencyKey] : []),
    ],
    ...(route.body ? { requestBody: jsonBody(hoist(route.body, schemas)) } : {}),
    responses: {
      200: {
        description: route.files ? 'The file' : 'OK',
        headers: { ...headerRefs, ...described(route.headers ?? {}) },
        content: content(route, schemas),
      },
      ...responseRefs(statuses(route)),
    },
  }
}

/** What an endpoint gets; the other way round, so it needs no token. */
const webhook = (type: WebhookType) => ({
  operationId: type.replace(/\.(.)/, (_, first: string) => first.toUpperCase()),
  summary: type,
  description: webhookMeanings[type],
  tags: ['Webhooks'],
  security: [],
  parameters: webhookHeaders,
  requestBody: {
    required: true,
    content: { 'application/json': { schema: webhookMessage(type), example: webhookExample(type) } },
  },
  responses: {
    '2XX': { description: 'Received. Anything else is a failure, and the message is sent again.' },
    410: { description: 'Gone: nothing more is sent to the endpoint.' },
  },
})

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const webhookHeaders = [
  header('webhook-id', 'The same for every attempt. Ignore a message whose id you have already received.'),
  header('webhook-timestamp', 'When this attempt was made, Unix seconds.'),
  header(
    'webhook-signature',
    'One `v1,<base64>` for each secret, separated by spaces: HMAC-SHA256 of `id.timestamp.body`.',
  ),
]

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A request repeated within 24 hours with the same key and body gets the same response.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const pathParameters = (route: Route) =>
  Object.entries(route.params).map(([name, { schema }]) => ({
    name,
    in: 'path',
    required: true,
    description: (schema as { description?: string }).description ?? name,
    schema: bare(schema),
  }))

const queryParameters = (route: Route) =>
  Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    description: (schema as { description?: string }).description ?? name,
    schema: bare(schema),
  }))

function content(route: Route, schemas: Record<string, Schema>): Record<string, unknown> {
  if (!route.files) return { 'application/json': { schema: hoist(route.response!, schemas) } }
  return Object.fromEntries(
    route.files.map((type) => [
      type,
      {
        schema: type.endsWith('json')
          ? { type: 'array', items: { $ref: '#/components/schemas/AuditEntry' } }
          : { type: 'string' },
      },
    ]),
  )
}

function statuses(route: Route): number[] {
  const missing = Object.keys(route.params).length > 0 || 'team' in (route.query?.properties ?? {})
  return [
    ...(route.query || route.body ? [400] : []),
    401,
    403,
    ...(missing ? [404] : []),
    ...(route.body ? [409, 413, 415] : []),
    429,
  ]
}

const meanings: Record<number, string> = {
  400: 'The request is not valid; the message names the parameter',
  401: 'Missing, unknown, revoked or expired token',
  403: 'The token lacks the permission, or its owner lacks the role',
  404: 'Not found, or in another workspace',
  409: 'Already answered, or no longer open',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'Too many requests; Retry-After says when to try again',
}

const described = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
