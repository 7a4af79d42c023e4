/**
 * A statement of the register: SQL as text, prepared once per connection. `npm run generate` prepares each against the
 * migrated database and writes what it takes and gives into the file beside it (docs/decisions/0066).
 *
 * - `:name` is a parameter, and `:name?` one that may be null. `:{name}` is written as JSON, whatever its value is.
 * - A part in `[[ ]]` belongs to the statement only when its parameter is given, so each combination of filters has a
 *   text and a plan of its own. Null counts as not given, except for a parameter that may be null.
 * - `#name` is a small whole number that becomes part of the text: PostgreSQL cannot keep a plan for a limit it does not
 *   know, and planning takes longer than reading a page.
 * - `as "name!"` says of an expression that it is never null. Of columns the database knows.
 */
export class Statement<Given, Row> {
  declare readonly given: Given
  declare readonly row: Row
  /** The names of the columns that are said to be never null. */
  readonly neverNull: ReadonlySet<string>
  readonly parameters: ReadonlyMap<string, Parameter>
  readonly #parts: Part[]
  readonly #optional: Parameter[]
  readonly #literals: string[]
  readonly #prepared = new Map<string, Prepared>()

  constructor(marked: string) {
    this.neverNull = new Set([...marked.matchAll(stated)].map((match) => match[1]!))
    const template = marked.replaceAll(stated, '"$1"')
    this.#parts = template
      .split(/\[\[(.*?)\]\]/s)
      .map((text, index) => ({ text, needs: index % 2 === 1 ? namesIn(text) : [] }))
    this.#literals = [...new Set([...template.matchAll(literal)].map((match) => match[1]!))]
    this.parameters = parametersOf(this.#parts, this.#literals)
    const needed = new Set(this.#parts.flatMap((part) => part.needs))
    this.#optional = [...needed].map((name) => this.parameters.get(name)!)
  }

  /** The text for the parameters that are given, under its name, and their values in its order. */
  bind(parameters: Given): { name: string; text: string; values: unknown[] } {
    const given = parameters as Record<string, unknown>
    if (!(given instanceof HandedIn))
      for (const name in given) if (!this.parameters.has(name)) throw new TypeError(`No parameter :${name}.`)
    let combination = ''
    for (const name of this.#literals) combination += `${given[name]} `
    for (const parameter of this.#optional) combination += isGiven(parameter, given) ? '1' : '0'
    let prepared = this.#prepared.get(combination)
    if (!prepared) {
      prepared = this.#prepare(given)
      this.#prepared.set(combination, prepared)
    }
    const { name, text, order } = prepared
    return { name, text, values: order.map((parameter) => valueFor(parameter, given)) }
  }

  #prepare(given: Record<string, unknown>): Prepared {
    const kept = this.#parts.filter((part) =>
      part.needs.every((name) => isGiven(this.parameters.get(name)!, given)),
    )
    const order: string[] = []
    const text = kept
      .map((part) => part.text)
      .join('')
      .replaceAll(literal, (_, name: string) => whole(given[name]))
      .replaceAll(parameter, (_, inBraces: string | undefined, plain: string) => {
        const name = inBraces ?? plain
        if (!order.includes(name)) order.push(name)
        return `$${order.indexOf(name) + 1}`
      })
    statements += 1
    return { name: `f${statements}`, text, order: order.map((name) => this.parameters.get(name)!) }
  }
}

class HandedIn {}

/**
 * Parameters out of an object of the caller. Such an object may hold more than its type says, and that is no mistake;
 * what its type says is held against the statement by the compiler.
 */
export const handedIn = <These extends object>(parameters: These): These =>
  Object.assign(new HandedIn(), parameters)

/** What a statement takes and gives, as the generator has written it. */
export interface Shape {
  parameters: object
  row: object
}

/** A value of json or jsonb: what it holds is said where the statement is, or nothing can be done with it. */
export interface AnyJson {
  readonly [anyJson]: never
}
declare const anyJson: unique symbol

interface Parameter {
  name: string
  /** Stands only in parts that are left out without it. */
  isOptional: boolean
  mayBeNull: boolean
  isJson: boolean
  isLiteral: boolean
}

interface Part {
  text: string
  needs: string[]
}

interface Prepared {
  name: string
  text: string
  order: Parameter[]
}

// Not the second colon of a cast.
const parameter = /(?<!:):(?:\{([a-zA-Z]\w*)\}|([a-zA-Z]\w*))(\?)?/g

const literal = /#([a-zA-Z]\w*)/g

const stated = /"(\w+)!"/g

function parametersOf(parts: readonly Part[], literals: readonly string[]): Map<string, Parameter> {
  const found = new Map<string, Parameter>()
  for (const { text, needs } of parts) {
    for (const [, inBraces, plain, mark] of text.matchAll(parameter)) {
      const name = inBraces ?? plain!
      const known = found.get(name)
      found.set(name, {
        name,
        isOptional: needs.length > 0 && (known?.isOptional ?? true),
        mayBeNull: mark !== undefined || (known?.mayBeNull ?? false),
        isJson: inBraces !== undefined || (known?.isJson ?? false),
        isLiteral: false,
      })
    }
  }
  const literal = { isOptional: false, mayBeNull: false, isJson: false, isLiteral: true }
  for (const name of literals) found.set(name, { name, ...literal })
  return found
}

const isGiven = ({ name, mayBeNull }: Parameter, given: Record<string, unknown>) =>
  given[name] !== undefined && (mayBeNull || given[name] !== null)

function valueFor({ name, mayBeNull, isJson }: Parameter, given: Record<string, unknown>): unknown {
  const value = given[name]
  if (value === undefined && !mayBeNull) throw new TypeError(`The parameter :${name} is missing.`)
  return isJson && !(mayBeNull && value === null) ? JSON.stringify(value) : value
}

function whole(value: unknown): string {
  if (!Number.isSafeInteger(value)) throw new TypeError('Only whole numbers become part of a statement.')
  return String(value)
}

const namesIn = (text: string) =>
  [...text.matchAll(parameter)].map(([, inBraces, plain]) => inBraces ?? plain!)

let statements = 0

/** What is said of columns, held against what the database says of them. */
export type Held<Row, Said> = {
  [Column in keyof Said]: Column extends keyof Row
    ? null extends Row[Column]
      ? null extends Said[Column]
        ? Fitting<NonNullable<Row[Column]>, Said[Column]>
        : 'This column may be null.'
      : Fitting<Row[Column], Said[Column]>
    : 'There is no such column.'
}

type Fitting<Found, Said> = Found extends AnyJson
  ? Said
  : NonNullable<Said> extends Found | Readonly<Found>
    ? Said
    : Found extends Said
      ? Said
      : 'This column has another type.'

export type RowOf<Row, Said> = Omit<Row, keyof Said> & Said

/**
 * `const page = statement<Sql.Page>(…)`: the generator names what it writes after the constant. What it cannot know, such
 * as what a column of jsonb holds, is said beside it: `statement<Sql.Page, { owner: Owner }>(…)`.
 */
export const statement = <Of extends Shape, Said extends Held<Of['row'], Said> = Record<never, never>>(
  template: string,
): Statement<Of['parameters'], RowOf<Of['row'], Said>> => new Statement(template)

/** Nothing beside what the statement knows, not even out of an object that is spread. */
export type Exactly<Given, These extends Given> = These & Record<Exclude<keyof These, keyof Given>, never>

/**
 * Texts of JSON as one parameter, to be taken apart by `string_to_array(…, E'\n')`: there is no line end in JSON that
 * was written in one go, and an array of texts that are full of quotation marks costs more to escape than to store.
 */
export const linesOf = (texts: readonly string[]): string => texts.join('\n')
