import { errors } from '@signalbox/contract/error.ts'
import { type OpenApi, type Operation, openApi } from '../server/faces/rest/openapi.ts'

type Schema = Record<string, unknown>

/**
 * What `@signalbox/client` knows of the API, from the OpenAPI document alone: the shapes, the webhook messages and, for
 * each operation, what it takes, what it gives and where it is. What is deprecated is left out.
 */
export function clientTypes(): string {
  const { paths, components, webhooks } = openApi()
  const described = operationsOf(paths)
  const legacy = ['Board', 'BoardListed', 'Error']
  return `// Generated from the OpenAPI document by \`npm run generate\`.

/** A value that may be joined by others later: the API only adds, and a program should be ready for it. */
type Open<Known extends string> = Known | (string & {})

export type ErrorCode = Open<${Object.keys(errors).map(quoted).join(' | ')}>

${Object.entries(components.schemas)
  .filter(([name]) => !legacy.includes(name))
  .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')}\n`)
  .join('\n')}
/** What each webhook event sends. */
export interface WebhookMessages {
${Object.entries(webhooks)
  .map(([event, { post }]) => `  ${quoted(event)}: ${typeOf(messageOf(post as Operation), '  ')}`)
  .join('\n')}
}

/** What each operation takes and gives. */
export interface Operations {
${described.map(operationType).join('\n')}
}

/** Where each operation is, and what comes back: one thing, a page of a list, or a file. */
export const operations = {
${described.map(operationValue).join('\n')}
} as const
`
}

interface Described {
  method: string
  path: string
  operation: Operation
}

const operationsOf = (paths: OpenApi['paths']): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !operation.deprecated)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

const parametersOf = ({ parameters }: Operation, place: string) =>
  parameters.filter((parameter) => parameter.in === place)

function operationType({ operation }: Described): string {
  // What is sent is one of what this version knows.
  const fields = [...parametersOf(operation, 'path'), ...parametersOf(operation, 'query')].map(
    ({ name, required, schema, description }) =>
      `${comment(description, '      ')}      ${property(name, required ?? false)}: ${closed(typeOf(schema, '      '))}\n`,
  )
  const body = operation.requestBody?.content['application/json']?.schema
  const input = fields.length > 0 ? `{\n${fields.join('')}    }` : 'Record<never, never>'
  return `  /** ${operation.summary}. */
  ${operation.operationId}: {
    input: ${body ? `${input} & ${typeOf(body, '    ')}` : input}
    output: ${kindOf(operation) === 'file' ? 'Response' : typeOf(outputOf(operation), '    ')}
  }`
}

function operationValue({ method, path, operation }: Described): string {
  const query = parametersOf(operation, 'query').map(({ name }) => quoted(name))
  const fields = [`method: ${quoted(method)}`, `path: ${quoted(path)}`, `gives: ${quoted(kindOf(operation))}`]
  return `  ${operation.operationId}: { ${fields.join(', ')}, query: [${query.join(', ')}] },`
}

type Answered = { content: Record<string, { schema: Schema }> }
const contentOf = ({ responses }: Operation) => (responses[200] as Answered).content
const outputOf = (operation: Operation): Schema => contentOf(operation)['application/json']!.schema

function kindOf(operation: Operation): 'one' | 'page' | 'file' {
  if (Object.keys(contentOf(operation)).length > 1) return 'file'
  const { properties = {} } = outputOf(operation) as { properties?: object }
  return 'nextCursor' in properties ? 'page' : 'one'
}

const messageOf = (post: Operation): Schema => post.requestBody!.content['application/json']!.schema

/** The schema as a type, for what our own schemas are made of; anything else fails, so that it is noticed. */
function typeOf(schema: Schema, indent: string): string {
  const {
    $ref,
    anyOf,
    allOf,
    enum: values,
    type,
  } = schema as { [key: string]: unknown } & Record<'anyOf' | 'allOf', Schema[] | undefined>
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!
  if (anyOf) return anyOf.map((one) => typeOf(one, indent)).join(' | ')
  if (allOf) return allOf.map((one) => typeOf(one, indent)).join(' & ')
  if ('const' in schema) return quoted(String(schema.const))
  if (Array.isArray(values)) return `Open<${values.map((value) => quoted(String(value))).join(' | ')}>`
  if (type === 'array') return arrayOf(typeOf(schema.items as Schema, indent))
  if (type === 'object') return objectOf(schema, indent)
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
  if (Object.keys(schema).every((key) => key === 'description')) return 'unknown'
  throw new Error(`The client has no type for ${JSON.stringify(schema).slice(0, 200)}.`)
}

const closed = (type: string) => type.replaceAll(/Open<(.*?)>/g, '$1')
const arrayOf = (element: string) => (/^\w+$/.test(element) ? `${element}[]` : `Array<${element}>`)

function objectOf(schema: Schema, indent: string): string {
  const { properties, required = [] } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  if (!properties) return 'Record<string, unknown>'
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, value]) =>
      `${comment(value.description, inner)}${inner}${property(name, required.includes(name))}: ${typeOf(value, inner)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

const property = (name: string, required: boolean) =>
  `${/^\w+$/.test(name) ? name : quoted(name)}${required ? '' : '?'}`
const comment = (text: unknown, indent: string) =>
  typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : ''
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
