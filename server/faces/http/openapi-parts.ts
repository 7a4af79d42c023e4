import { dictionary } from '@signalbox/contract/dictionary.ts'
import { ErrorBody, errors } from '@signalbox/contract/error.ts'
import type { TSchema } from 'typebox'

/** What the OpenAPI documents of several faces have in common. */

export type Schema = Record<string, unknown>

/** Moves every schema that has a name into the components and leaves a reference behind. */
export function hoist(
  schema: TSchema,
  schemas: Record<string, Schema>,
  place = '#/components/schemas/',
): Schema {
  const { $id, ...rest } = JSON.parse(JSON.stringify(schema)) as Schema & { $id?: string }
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside)
    if (typeof value !== 'object' || value === null) return value
    if ('$id' in value) return hoist(value as TSchema, schemas, place)
    return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, inside(nested)]))
  }
  const expanded = inside(rest) as Schema
  if (!$id) return expanded
  schemas[$id] = expanded
  return { $ref: `${place}${$id}` }
}

/** Without its description, which a parameter has beside it. */
export function bare(schema: TSchema): Schema {
  const { description, ...rest } = JSON.parse(JSON.stringify(schema)) as Schema
  return rest
}

const rateLimitHeaders = {
  'X-RateLimit-Limit': { description: 'requests per window', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'requests left in this window', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'when the window ends, Unix seconds', schema: { type: 'integer' } },
}

export const headerRefs = Object.fromEntries(
  Object.keys(rateLimitHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

/** `{ $ref }` for each of these statuses. */
export const responseRefs = (statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]))

export const jsonBody = (schema: Schema) => ({ required: true, content: { 'application/json': { schema } } })

/**
 * A document of the API behind a bearer token, made from the values that it routes by. `meanings` says what each status
 * of an error means here; `more` stands beside the paths.
 */
export function openApiDocument<
  Tag,
  Routed extends { path: string; method: string },
  Operation,
  More extends object,
>({
  url,
  title,
  description,
  tags,
  routes,
  operation,
  meanings,
  more,
}: {
  url: string
  title: string
  description: string
  tags: Tag[]
  routes: readonly Routed[]
  operation: (route: Routed, schemas: Record<string, Schema>) => Operation
  meanings: Record<number, string>
  more: More
}) {
  const schemas: Record<string, Schema> = dictionary()
  const paths: Record<string, Record<string, Operation>> = dictionary()
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) }
  }
  hoist(ErrorBody, schemas)
  return {
    openapi: '3.1.1',
    info: { title, version: '1', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url }],
    tags,
    security: [{ token: [] as string[] }],
    paths,
    ...more,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: errorResponses(meanings),
      headers: rateLimitHeaders,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token, tk_ and 32 characters.' },
      },
    },
  }
}

/** A response for each status, with the first code that has it as an example. */
const errorResponses = (meanings: Record<number, string>) =>
  Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => {
      const codes = Object.entries(errors)
        .filter(([, error]) => error.status === Number(status))
        .map(([code]) => code)
      return [
        status,
        {
          description,
          headers: headerRefs,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              examples: { [codes[0]!]: { value: { error: { code: codes[0], message: description } } } },
            },
          },
        },
      ]
    }),
  )
