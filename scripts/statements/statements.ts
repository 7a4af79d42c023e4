import { glob, readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { Place, Query } from '../../server/infra/db/queries.ts'
import type { Statement } from '../../server/infra/db/statement.ts'
import { type Catalog, readCatalog } from './catalog.ts'
import { type Described, describe } from './describe.ts'
import { planOf } from './plan.ts'
import { typeOfParameter, typeOfValue } from './values.ts'

const root = path.join(import.meta.dirname, '..', '..')

/**
 * What every statement of the server takes and gives, as types, by the path of the file that holds them. Each statement
 * is prepared against the database: with all of its optional parts, with none, and with each alone.
 */
export async function renderStatements(connection: pg.ClientConfig): Promise<Record<string, string>> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const catalog = await readCatalog(client)
    const files: Record<string, string> = {}
    const refused: string[] = []
    for (const file of await filesWithStatements()) {
      const lines: string[] = []
      for (const [name, declared] of Object.entries(await statementsOf(file))) {
        try {
          lines.push(`export interface ${typeNameOf(name)} ${await shapeOf(client, catalog, declared)}`)
        } catch (error) {
          refused.push(`${file}: ${name}: ${(error as Error).message}`)
        }
      }
      files[typesFileOf(file)] = fileOf(file, lines)
    }
    if (refused.length > 0) throw new Error(`Statements were refused.\n${refused.join('\n')}`)
    return files
  } finally {
    await client.end()
  }
}

/** A statement of the server as it is prepared: with all of its optional parts, with none, or with one of them. */
export interface Prepared {
  /** Such as server/domain/work/stories/store.ts: selectBoard. */
  name: string
  parts: string[]
  text: string
}

/** Every statement of the server, in each of the forms that are looked at here. Its limits are those of a page. */
export async function* preparedStatements(): AsyncGenerator<Prepared> {
  for (const file of await filesWithStatements())
    for (const [name, declared] of Object.entries(await statementsOf(file))) {
      const statement = 'statement' in declared ? declared.statement : declared
      for (const given of formsOf(statement)) {
        const { text } = statement.bind(namesAsValues(given, 25))
        const parts = given.flatMap((one) => (one.isOptional ? [one.name] : []))
        yield { name: `${file}: ${name}`, parts, text }
      }
    }
}

const typesFileOf = (file: string) => file.replace(/\.ts$/, '.types.ts')

function fileOf(source: string, lines: string[]): string {
  const way = path.relative(path.dirname(source), 'server/infra/db/statement.ts')
  const json = lines.some((line) => /\bAnyJson\b/.test(line))
    ? `import type { AnyJson } from '${way.startsWith('.') ? way : `./${way}`}'\n\n`
    : ''
  return `// Generated from ${path.basename(source)} and the migrations by \`npm run generate\`. Do not edit.\n\n${json}${lines.join('\n')}\n`
}

async function filesWithStatements(): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob('server/**/*.ts', { cwd: root })) {
    if (/\.test\.ts$|^server\/test\/|\.types\.ts$|^server\/infra\/db\/(statement|queries)\.ts$/.test(file))
      continue
    if (declares.test(await readFile(path.join(root, file), 'utf8'))) files.push(file)
  }
  return files.toSorted()
}

// The constants of a module are its own. Under this name it is loaded once more, and shows them.
const shown = '?statements'

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(shown)) return loaded
    const source = String(loaded.source)
    return {
      ...loaded,
      source: `${source}\nexport const shownStatements = { ${namesIn(url, source).join(', ')} }\n`,
    }
  },
})

function namesIn(file: string, source: string): string[] {
  const names: string[] = []
  for (const [, name, type] of source.matchAll(declared)) {
    if (type !== undefined && type !== typeNameOf(name!))
      throw new Error(`${file}: ${name} takes the type of another statement, Sql.${type}.`)
    names.push(name!)
  }
  if (names.length !== source.split(declares).length - 1)
    throw new Error(`${file}: a statement is a constant of its module, const name = statement<Sql.Name>(…).`)
  return names
}

// `statement<…>(…)`, or a query: `reads.one<…>(…)`.
const declares = /\b(?:statement|(?:reads|readsApart|readsSlowly|writes)\.\w+)(?=[<(])/

const declared = new RegExp(`^(?:export )?const (\\w+) =\\s+${declares.source}(?:<\\s*Sql\\.(\\w+))?`, 'gm')

async function statementsOf(file: string): Promise<Record<string, Declared>> {
  const { shownStatements } = await import(`${pathToFileURL(path.join(root, file)).href}${shown}`)
  return shownStatements
}

/** The constant is called after what its function does where that has the name: insertStorySql is Sql.InsertStory. */
const typeNameOf = (name: string) => name.replace(/Sql$/, '').replace(/^./, (first) => first.toUpperCase())

type Declared = Statement<object, object> | Query

/** What a statement takes and gives, as a type. */
export async function shapeOf(client: pg.Client, catalog: Catalog, declared: Declared): Promise<string> {
  const query = 'statement' in declared ? declared : null
  const statement = query?.statement ?? (declared as Statement<object, object>)
  const [all, ...rest] = formsOf(statement) as [Given[], ...Given[][]]
  const whole = await prepare(client, statement, all)
  for (const given of rest) {
    const part = await prepare(client, statement, given)
    refuseOther(whole, part)
  }
  const parameters = all.map(({ name, isOptional, isLiteral, isJson, mayBeNull }) => {
    const found = isLiteral ? 'number' : typeOfParameter(catalog, whole.types.get(name)!)
    const type = isJson ? 'AnyJson' : found
    const orNone = isOptional || mayBeNull ? ' | null | undefined' : ''
    return `${name}${isOptional ? '?' : ''}: ${type}${orNone}`
  })
  const columns = await renderColumns(client, catalog, statement, whole)
  if (query && /column|value/i.test(query.result) && columns.length !== 1)
    throw new Error(`it has ${columns.length} columns, and ${query.result} is of one`)
  const takes = query ? `takes: [${query.places.map(argumentOf(statement)).join(', ')}]; ` : ''
  return `{ ${takes}parameters: ${recordOf(parameters)}; row: ${recordOf(columns)} }`
}

type Given = Statement<object, object>['parameters'] extends ReadonlyMap<string, infer One> ? One : never

/** Which parameters are given: all of them first, then none that can be left out, and each of those alone. */
function formsOf({ parameters }: Statement<object, object>): Given[][] {
  const all = [...parameters.values()]
  const optional = all.filter(({ isOptional }) => isOptional)
  const required = all.filter(({ isOptional }) => !isOptional)
  return optional.length > 0 ? [all, required, ...optional.map((one) => [...required, one])] : [all]
}

/** Each parameter is its own name: so the values say which is which. */
const namesAsValues = (given: readonly { name: string; isLiteral: boolean }[], limit: number) =>
  Object.fromEntries(given.map(({ name, isLiteral }) => [name, isLiteral ? limit : name]))

/** An argument of a query: `key: 'key'`, or `order: ['runId' | 'fence']`. What may be left out comes last. */
const argumentOf =
  ({ parameters }: Statement<object, object>) =>
  ({ label, names, isObject }: Place, index: number, places: readonly Place[]): string => {
    const mayGo = (place: Place) => place.names.every((name) => parameters.get(name)!.isOptional)
    const union = names.map((name) => `'${name}'`).join(' | ')
    const isLeftOut = !isObject && places.slice(index).every(mayGo)
    return `${label}${isLeftOut ? '?' : ''}: ${isObject ? `[${union}]` : union}`
  }

const recordOf = (members: string[]) =>
  members.length > 0 ? `{ ${members.join('; ')} }` : 'Record<never, never>'

interface PreparedStatement {
  text: string
  types: Map<string, number>
  columns: Described['columns']
}

async function prepare(
  client: pg.Client,
  statement: Statement<object, object>,
  given: readonly { name: string; isLiteral: boolean }[],
): Promise<PreparedStatement> {
  const { text, values } = statement.bind(namesAsValues(given, 1))
  const { parameters, columns } = await describe(client, text)
  const nameOf = (value: unknown) => String(value).replaceAll('"', '')
  return { text, columns, types: new Map(values.map((name, index) => [nameOf(name), parameters[index]!])) }
}

/** Whatever parts it has, a statement gives the same columns and takes the same types. */
function refuseOther(whole: PreparedStatement, part: PreparedStatement): void {
  const columnsOf = ({ columns }: PreparedStatement) =>
    columns.map(({ name, type }) => `${name} ${type}`).join()
  if (columnsOf(whole) !== columnsOf(part)) throw new Error('it gives other columns when a part is left out')
  for (const [name, type] of part.types)
    if (whole.types.get(name) !== type) throw new Error(`:${name} has another type when a part is left out`)
}

async function renderColumns(
  client: pg.Client,
  catalog: Catalog,
  statement: Statement<object, object>,
  { text, columns, types }: PreparedStatement,
): Promise<string[]> {
  if (columns.length === 0) return []
  const order = [...types.keys()]
  const names = columns.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error('two columns have the same name')
  for (const name of statement.neverNull)
    if (!names.includes(name)) throw new Error(`there is no column "${name}!"`)
  const isNotNull = (place: number) => !statement.parameters.get(order[place - 1]!)!.mayBeNull
  const plan = await planOf(client, catalog, text, isNotNull)
  return columns.map(({ name, type, table, attribute }, index) => {
    const origin = catalog.columns.get(`${table} ${attribute}`)
    const mayBeNull = !statement.neverNull.has(name) && plan.mayBeNull(index, origin)
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${key}: ${typeOfValue(catalog, type, origin)}${mayBeNull ? ' | null' : ''}`
  })
}
