import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Linear publishes its schema as the types of its SDK, which are generated from it, one for one: an object says
 * `__typename`, and the arguments of a field are a type that is named after both. So the schema can be written back.
 */

interface Declared {
  fields: { name: string; type: string; isOptional: boolean }[]
  of: string[]
}

/** The whole schema, as far as queries and mutations reach. */
export function linearSchema(): string {
  const types = typesOfSdk()
  const declared = declarationsIn(types)
  const unions = unionsIn(types)
  const enums = enumsIn(types)
  const written = new Map<string, string>()
  const wanted = ['Query', 'Mutation'].map((name) => ({ name, isInput: false }))
  const want: Want = (type, isInput) => {
    const { name } = parsedType(type)
    if (!builtIn.has(name)) wanted.push({ name, isInput })
  }
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    const { name, isInput } = next
    if (written.has(name)) continue
    written.set(name, '')
    const values = enums.get(name)
    const members = unions.get(name)
    const found = declared.get(name)
    if (values) written.set(name, `enum ${name} { ${values.join(' ')} }`)
    else if (members) {
      for (const member of members) want(member, false)
      written.set(name, `union ${name} = ${members.join(' | ')}`)
    } else if (found) written.set(name, writtenType({ ...found, name, isInput }, declared, want))
    else written.set(name, `scalar ${name}`)
  }
  return [...written.values()].join('\n')
}

/** A type that is named, and whether it is given or answered: only inputs lead to inputs. */
type Want = (type: string, isInput: boolean) => void

const builtIn = new Set(['String', 'Int', 'Float', 'Boolean', 'ID'])

function writtenType(
  { name, isInput, fields, of }: Declared & { name: string; isInput: boolean },
  declared: Map<string, Declared>,
  want: Want,
): string {
  const isObject = name === 'Query' || name === 'Mutation' || fields.some((one) => one.name === '__typename')
  const kind = isInput ? 'input' : isObject ? 'type' : 'interface'
  const lines = fields
    .filter((one) => one.name !== '__typename')
    .map((field) => {
      want(field.type, isInput)
      const given = declared.get(`${name}${field.name[0]!.toUpperCase()}${field.name.slice(1)}Args`)
      const takes = (given?.fields ?? []).map((one) => {
        want(one.type, true)
        return `${one.name}: ${graphqlType(one)}`
      })
      return `${field.name}${!isInput && takes.length > 0 ? `(${takes.join(', ')})` : ''}: ${graphqlType(field)}`
    })
  for (const one of of) want(one, isInput)
  const implemented = of.length > 0 ? ` implements ${of.join(' & ')}` : ''
  return `${kind} ${name}${implemented} {\n  ${lines.join('\n  ')}\n}`
}

/** `Maybe<Array<Scalars["String"]>>`: which type, how deep in lists, and what may be null. */
function parsedType(text: string): { name: string; wrap: (inner: string) => string } {
  const list = /^Array<(.*)>$/.exec(text)
  if (list) {
    const inner = parsedType(list[1]!)
    return { name: inner.name, wrap: () => `[${inner.wrap(inner.name)}]!` }
  }
  const maybe = /^(?:Input)?Maybe<(.*)>$/.exec(text)
  if (maybe) {
    const inner = parsedType(maybe[1]!)
    return { name: inner.name, wrap: () => inner.wrap(inner.name).replace(/!$/, '') }
  }
  const scalar = /^Scalars\["(\w+)"\]$/.exec(text)
  const name = scalar?.[1] ?? text
  return { name, wrap: (own) => `${own}!` }
}

function graphqlType({ type, isOptional }: { type: string; isOptional: boolean }): string {
  const { name, wrap } = parsedType(type)
  const written = wrap(name)
  return isOptional ? written.replace(/!$/, '') : written
}

function typesOfSdk(): string {
  const folder = path.dirname(fileURLToPath(import.meta.resolve('@linear/sdk')))
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.d.mts'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
  const found = texts.find((text) => text.includes('\ntype Query = {'))
  if (!found) throw new Error('The SDK of Linear no longer declares its schema as types.')
  return found.replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
}

function declarationsIn(types: string): Map<string, Declared> {
  const all = new Map<string, Declared>()
  for (const [, name, of, body] of types.matchAll(/^type (\w+) = ((?:\w+ & )*)\{\n([\s\S]*?)^\};$/gm)) {
    const fields = [...body!.matchAll(/^ {2}(\w+)(\?)?: ([^;{}]+);$/gm)].map(([, field, mark, type]) => ({
      ...{ name: field!, isOptional: mark === '?', type: type!.trim() },
    }))
    // A fragment of the same SDK has shapes of its own; the first of a name is the schema's.
    if (!all.has(name!)) all.set(name!, { fields, of: of!.split(' & ').filter(Boolean) })
  }
  return all
}

const unionsIn = (types: string): Map<string, string[]> =>
  new Map(
    [...types.matchAll(/^type (\w+) = (\w+(?: \| \w+)+);$/gm)].map(([, name, members]) => [
      name!,
      members!.split(' | '),
    ]),
  )

const enumsIn = (types: string): Map<string, string[]> =>
  new Map(
    [...types.matchAll(/^declare enum (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name, body]) => [
      name!,
      [...body!.matchAll(/= "(\w+)"/g)].map(([, value]) => value!),
    ]),
  )
