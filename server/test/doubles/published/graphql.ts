import { isDeepStrictEqual } from 'node:util'
import {
  buildSchema,
  type DocumentNode,
  executeSync,
  type GraphQLAbstractType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql'

/** A schema of a tool, in its own language. What its maker says is valid need not be proven here. */
export function schemaOf(text: string): GraphQLSchema {
  const schema = buildSchema(text, { assumeValid: true, assumeValidSDL: true })
  for (const [name, isOne] of Object.entries(formats)) {
    const scalar = schema.getType(name)
    if (!scalar || !('serialize' in scalar)) continue
    const same = (value: unknown) => {
      if (typeof value === 'string' && isOne(value)) return value
      throw new TypeError(`${JSON.stringify(value)} is no ${name}`)
    }
    Object.assign(scalar, { serialize: same, parseValue: same })
  }
  return schema
}

const isMoment = (value: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
const formats: Record<string, (value: string) => boolean> = {
  DateTime: isMoment,
  DateTimeOrDuration: isMoment,
  GitObjectID: (value) => /^[0-9a-f]{40}$/.test(value),
  URI: (value) => URL.canParse(value),
}

export interface Asked {
  query: string
  variables?: Record<string, unknown>
}

/** What a schema says against a document, its variables and the answer that a double gave to it. */
export function graphqlComplaints(schema: GraphQLSchema, asked: Asked, answer: unknown): string[] {
  const document = parse(asked.query)
  const wrong = validate(schema, document).map(({ message }) => message)
  if (wrong.length > 0) return wrong
  const { data, errors } = (answer ?? {}) as { data?: unknown; errors?: { message?: unknown }[] }
  if (errors) {
    const isSaid = errors.length > 0 && errors.every(({ message }) => typeof message === 'string')
    return isSaid ? [] : ['errors without a message']
  }
  // Answers itself: what is read out of the answer by the schema's types has to be all that is in it.
  const read = executeSync({
    ...{ schema, document, rootValue: data, typeResolver: resolverIn(document) },
    ...(asked.variables ? { variableValues: asked.variables } : {}),
  })
  const said = (read.errors ?? []).map(({ message, path }) => `${path?.join('.') ?? 'variables'}: ${message}`)
  if (said.length > 0) return said
  return isDeepStrictEqual(JSON.parse(JSON.stringify(read.data)), data)
    ? []
    : [`the answer has more than was asked for: ${JSON.stringify(data)}`]
}

/** Where the schema leaves open which type it is, it is the one that was asked about. */
const resolverIn =
  (document: DocumentNode) =>
  (_: unknown, __: unknown, info: GraphQLResolveInfo, type: GraphQLAbstractType): string | undefined => {
    const possible = new Set(info.schema.getPossibleTypes(type).map(({ name }) => name))
    return conditionsIn(document, info.fieldNodes[0]?.selectionSet).find((name) => possible.has(name))
  }

const conditionsIn = (document: DocumentNode, set: SelectionSetNode | undefined): string[] =>
  (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.INLINE_FRAGMENT && selection.typeCondition)
      return [selection.typeCondition.name.value]
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return []
    return document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value
        ? [one.typeCondition.name.value]
        : [],
    )
  })
