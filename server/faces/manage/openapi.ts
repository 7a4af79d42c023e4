import { dictionary } from '@signalbox/contract/dictionary.ts'
import { Configuration } from '@signalbox/contract/manage/configuration.ts'
import { nameMeaning, resourceName } from '@signalbox/contract/manage/resource.ts'
import {
  bare,
  headerRefs,
  hoist,
  jsonBody,
  openApiDocument,
  responseRefs,
  type Schema,
} from '../http/openapi-parts.ts'
import { type Endpoint, endpoints } from './endpoints.ts'

export const manageOpenApi = (url = '/') =>
  openApiDocument({
    url,
    title: 'Signalbox management API',
    description:
      'The configuration of a workspace, by stable names. Needs a token of an owner or admin that may manage the configuration. Errors are `{error: {code, message}}`. 120 requests a minute per token.',
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    routes: endpoints,
    operation,
    meanings,
    more: {},
  })

/** The JSON schema of the file, for editors. */
export function fileSchema(): Schema {
  const $defs: Record<string, Schema> = dictionary()
  const { $ref: _, ...rest } = hoist(Configuration, $defs, '#/$defs/')
  const { Configuration: top, ...others } = $defs
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Signalbox configuration',
    ...rest,
    ...top,
    $defs: others,
  }
}

const meanings: Record<number, string> = {
  400: 'The request is not valid; the message names the field',
  401: 'Missing, unknown, revoked or expired token',
  403: 'The token may not manage the configuration, or its owner lacks the role',
  404: 'Not found, or the management API is off',
  409: 'It has changed in the meantime, or conflicts with something else',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'Too many requests; Retry-After says when to try again',
}

function operation({ path, body, response, ...endpoint }: Endpoint, schemas: Record<string, Schema>) {
  const isOne = path.endsWith('/:name')
  const statuses = [...(body ? [400] : []), 401, 403, 404, ...(body || !response ? [409] : [])]
  return {
    operationId: endpoint.operation,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    parameters: isOne ? [nameParameter] : [],
    ...(body ? { requestBody: jsonBody(hoist(body, schemas)) } : {}),
    responses: {
      ...(response
        ? {
            200: {
              description: 'OK',
              headers: headerRefs,
              content: { 'application/json': { schema: hoist(response, schemas) } },
            },
          }
        : { 204: { description: 'Done', headers: headerRefs } }),
      ...responseRefs([...statuses, ...(body ? [413, 415] : []), 429]),
    },
  }
}

const nameParameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: nameMeaning,
  schema: bare(resourceName),
}
