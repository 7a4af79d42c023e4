import { dictionary } from '@signalbox/contract/dictionary.ts'
import { affected, type Db, read, readApart, readSlowly, type Tx, write } from './db.ts'
import { type AnyJson, type Held, type RowOf, type Shape, Statement } from './statement.ts'

/**
 * A statement that is a function of its store: how it runs, what it takes in order, and its text.
 *
 *     export const selectFiler = reads.one<Sql.SelectFiler>('workspaceId, storyId')(`select …`)
 *     const filer = await selectFiler(db, workspaceId, storyId)
 *
 * - `{ runId, fence }` is one argument, an object that brings these parameters. It may hold more.
 * - `...order` at the end is such an object too, for all parameters that were not named before it.
 *
 * The generator writes the order beside the types, so that callers see names. What a column or a parameter holds, where
 * the database does not know it, follows: `writes.run<Sql.UpdateRole, Nothing, { role: Role }>(…)`.
 */
export interface Query {
  readonly statement: Statement<object, object>
  readonly places: readonly Place[]
  readonly result: keyof Results<object>
}

/** An argument: its name, and the parameters it brings. */
export interface Place {
  label: string
  names: readonly string[]
  isObject: boolean
}

/** What the generator writes of a query. `takes` has the name of its parameter for each argument, or a list of them. */
interface QueryShape extends Shape {
  takes: readonly unknown[]
}

/** What a query gives, by how it is declared. */
interface Results<Row> {
  /** They may be shared with another request. */
  many: readonly Row[]
  rows: Row[]
  /** The first row, if there is any. */
  one: Row | undefined
  /** The row that is always there. */
  only: Row
  /** Of statements with one column: that of each row, of the first, and of the one that is always there. */
  column: Row[keyof Row][]
  value: Row[keyof Row] | undefined
  onlyValue: Row[keyof Row]
  exists: boolean
  run: undefined
  /** How many rows it wrote, and whether it was one: none often means that someone else was first. */
  count: number
  wroteOne: boolean
}

export type Nothing = Record<never, never>

/** What is said of parameters, held against what the database says of them. */
type Narrowed<Given, Said> = {
  [Name in keyof Said]: Name extends keyof Given
    ? NonNullable<Given[Name]> extends AnyJson
      ? Said[Name]
      : Said[Name] extends Given[Name]
        ? Said[Name]
        : 'This parameter has another type.'
    : 'There is no such parameter.'
}

type Arguments<Takes extends readonly unknown[], Given> = {
  [Index in keyof Takes]: Argument<NonNullable<Takes[Index]>, Given>
}

type Argument<Name, Given> = Name extends keyof Given
  ? Given[Name]
  : Name extends readonly [infer Several]
    ? PickedOf<Given, Several>
    : never

/** Of each of them, where what is said is a choice: `{ id: string } | { key: string }`. */
type PickedOf<Given, Several> = Given extends unknown ? Pick<Given, Several & keyof Given> : never

type Run<Handle> = (
  handle: Handle,
  statement: Statement<object, object>,
  parameters: object,
) => Promise<unknown>

const onlyColumn = (row: object): unknown => Object.values(row)[0]

/** What becomes of the rows, or of their number. */
const resultOf: Record<keyof Results<object>, (answer: never) => unknown> = {
  many: (rows: object[]) => rows,
  rows: (rows: object[]) => rows,
  one: (rows: object[]) => rows[0],
  only: (rows: object[]) => rows[0],
  column: (rows: object[]) => rows.map(onlyColumn),
  value: (rows: object[]) => rows[0] && onlyColumn(rows[0]),
  onlyValue: (rows: object[]) => onlyColumn(rows[0]!),
  exists: (rows: object[]) => rows.length > 0,
  run: () => undefined,
  count: (rows: number) => rows,
  wroteOne: (rows: number) => rows === 1,
}

const declares =
  <Handle, Result extends keyof Results<object>>(run: Run<Handle>, result: Result) =>
  <
    Of extends QueryShape,
    Columns extends Held<Of['row'], Columns> = Nothing,
    Given extends Narrowed<Of['parameters'], Given> = Nothing,
  >(
    takes = '',
  ) =>
  (text: string) => {
    const statement = new Statement<object, object>(text)
    const places = placesOf(takes, [...statement.parameters.keys()])
    const ask = async (
      handle: Handle,
      ...given: Arguments<Of['takes'], RowOf<Of['parameters'], Given>>
    ): Promise<Results<RowOf<Of['row'], Columns>>[Result]> =>
      resultOf[result]((await run(handle, statement, parametersFrom(places, given))) as never) as never
    return Object.assign(ask, { statement, places, result } satisfies Query)
  }

const readers = (run: Run<Db | Tx>) => ({
  many: declares<Db | Tx, 'many'>(run, 'many'),
  one: declares<Db | Tx, 'one'>(run, 'one'),
  only: declares<Db | Tx, 'only'>(run, 'only'),
  column: declares<Db | Tx, 'column'>(run, 'column'),
  value: declares<Db | Tx, 'value'>(run, 'value'),
  onlyValue: declares<Db | Tx, 'onlyValue'>(run, 'onlyValue'),
  exists: declares<Db | Tx, 'exists'>(run, 'exists'),
})

/** Statements that only read: together with those of other requests, or inside their transaction. */
export const reads = readers(read)

/** Those that a person waits for and that take longer than small ones: a search, a board. */
export const readsApart = readers(readApart)

/** Those that may take long. */
export const readsSlowly = { ...readers(readSlowly), many: declares<Db | Tx, 'rows'>(readSlowly, 'rows') }

/** Statements that write, or that hold the rows they read. */
export const writes = {
  many: declares<Tx, 'rows'>(write, 'rows'),
  one: declares<Tx, 'one'>(write, 'one'),
  only: declares<Tx, 'only'>(write, 'only'),
  column: declares<Tx, 'column'>(write, 'column'),
  value: declares<Tx, 'value'>(write, 'value'),
  onlyValue: declares<Tx, 'onlyValue'>(write, 'onlyValue'),
  exists: declares<Tx, 'exists'>(write, 'exists'),
  run: declares<Tx, 'run'>(write, 'run'),
  count: declares<Tx, 'count'>(affected, 'count'),
  wroteOne: declares<Tx, 'wroteOne'>(affected, 'wroteOne'),
}

/** Reads what a query takes, and refuses what its text does not say the same of. */
function placesOf(takes: string, parameters: readonly string[]): Place[] {
  const named = (takes.match(/\{[^{}]*\}|\.{3}\w+|\w+/g) ?? []).map((part, index): Place => {
    if (part.startsWith('...')) return { label: part.slice(3), names: [], isObject: true }
    if (part.startsWith('{')) return { label: `given${index}`, names: part.match(/\w+/g)!, isObject: true }
    return { label: part, names: [part], isObject: false }
  })
  const before = named.flatMap(({ names }) => names)
  const rest = parameters.filter((name) => !before.includes(name))
  const places = named.map((place) => (place.names.length > 0 ? place : { ...place, names: rest }))
  const taken = places.flatMap(({ names }) => names)
  for (const name of taken) if (!parameters.includes(name)) throw new TypeError(`No parameter :${name}.`)
  for (const name of parameters) if (!taken.includes(name)) throw new TypeError(`:${name} is not taken.`)
  return places
}

function parametersFrom(places: readonly Place[], given: readonly unknown[]): Record<string, unknown> {
  const parameters: Record<string, unknown> = dictionary()
  places.forEach(({ names, isObject }, index) => {
    for (const name of names)
      parameters[name] = isObject ? (given[index] as Record<string, unknown>)[name] : given[index]
  })
  return parameters
}
