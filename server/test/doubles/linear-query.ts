import type { DocumentNode, FieldNode, SelectionSetNode } from 'graphql'

/** One field that a document asks for at its top, with its arguments, and what to leave of the answer. */
export interface AskedField {
  name: string
  /** As it is to be called in the answer. */
  as: string
  args: Record<string, unknown>
  selected: (value: unknown) => unknown
}

/** What a document asks for; null: it is none, or has several operations. It is loaded when it is needed first. */
export async function fieldsOf(
  query: string,
  variables: Record<string, unknown>,
): Promise<AskedField[] | null> {
  const { GraphQLError, Kind, parse, valueFromASTUntyped } = await import('graphql')
  try {
    const document = parse(query)
    const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    if (operations.length !== 1) return null
    const argsOf = (field: FieldNode) =>
      Object.fromEntries(
        (field.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
      )
    return fieldsIn(document, operations[0]!.selectionSet).map((field) => ({
      ...{ name: field.name.value, as: (field.alias ?? field.name).value },
      args: argsOf(field),
      selected: (value) => selectedOf({ document, argsOf }, field, value),
    }))
  } catch (error) {
    if (error instanceof GraphQLError) return null
    throw error
  }
}

/** With those of fragments, whatever type they are of: nothing here has several. */
const fieldsIn = (document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] =>
  selections.flatMap((selection) => {
    if (selection.kind === 'Field') return [selection]
    if (selection.kind === 'InlineFragment') return fieldsIn(document, selection.selectionSet)
    const fragment = document.definitions.find(
      (one) => one.kind === 'FragmentDefinition' && one.name.value === selection.name.value,
    )
    return fragment?.kind === 'FragmentDefinition' ? fieldsIn(document, fragment.selectionSet) : []
  })

interface Asking {
  document: DocumentNode
  argsOf: (field: FieldNode) => Record<string, unknown>
}

/** Only what was asked for, as GraphQL answers; what is not here is null. What takes arguments is a function of them. */
function selectedOf(asking: Asking, field: FieldNode, given: unknown): unknown {
  const value = typeof given === 'function' ? given(asking.argsOf(field)) : given
  const { selectionSet } = field
  if (!selectionSet || value === null || value === undefined) return value ?? null
  if (Array.isArray(value)) return value.map((one) => selectedOf(asking, field, one))
  const known = value as Record<string, unknown>
  return Object.fromEntries(
    fieldsIn(asking.document, selectionSet).map((one) => [
      (one.alias ?? one.name).value,
      selectedOf(asking, one, known[one.name.value]),
    ]),
  )
}
