/**
 * A statement that is read as SQL and prepared once per connection. `:name` is a parameter; a part in `[[ ]]` belongs
 * to the statement only when its parameter is given, so each combination of filters has a text and a plan of its own.
 * `#name` is a small whole number that becomes part of the text: PostgreSQL cannot keep a plan for a limit it does not
 * know, and planning takes longer than reading a page.
 */
export class Statement<Row> {
  declare readonly row: Row
  readonly #parts: Part[]
  readonly #optional: string[]
  readonly #literals: string[]
  readonly #prepared = new Map<string, Prepared>()

  constructor(template: string) {
    this.#parts = template
      .split(/\[\[(.*?)\]\]/s)
      .map((text, index) => ({ text, needs: index % 2 === 1 ? parametersIn(text) : [] }))
    this.#optional = [...new Set(this.#parts.flatMap((part) => part.needs))]
    this.#literals = [...template.matchAll(literal)].map((match) => match[1]!)
  }

  /** The text for the parameters that are given, under its name, and their values in its order. */
  bind(parameters: Parameters): { name: string; text: string; values: unknown[] } {
    let given = ''
    for (const name of this.#literals) given += `${parameters[name]} `
    for (const name of this.#optional)
      given += parameters[name] === undefined || parameters[name] === null ? '0' : '1'
    let prepared = this.#prepared.get(given)
    if (!prepared) {
      prepared = this.#prepare(parameters)
      this.#prepared.set(given, prepared)
    }
    const { name, text, order } = prepared
    return { name, text, values: order.map((parameter) => parameters[parameter]) }
  }

  #prepare(parameters: Parameters): Prepared {
    const kept = this.#parts.filter((part) =>
      part.needs.every((name) => parameters[name] !== undefined && parameters[name] !== null),
    )
    const order: string[] = []
    const text = kept
      .map((part) => part.text)
      .join('')
      .replaceAll(literal, (_, name: string) => whole(parameters[name]))
      .replaceAll(parameter, (_, name: string) => {
        if (!order.includes(name)) order.push(name)
        return `$${order.indexOf(name) + 1}`
      })
    statements += 1
    return { name: `f${statements}`, text, order }
  }
}

export type Parameters = Record<string, unknown>

interface Part {
  text: string
  needs: string[]
}

interface Prepared {
  name: string
  text: string
  order: string[]
}

// Not the second colon of a cast.
const parameter = /(?<!:):([a-zA-Z]\w*)/g

const literal = /#([a-zA-Z]\w*)/g

function whole(value: unknown): string {
  if (!Number.isSafeInteger(value)) throw new TypeError('Only whole numbers become part of a statement.')
  return String(value)
}

const parametersIn = (text: string) => [...text.matchAll(parameter)].map((match) => match[1]!)

let statements = 0

export const statement = <Row>(template: string): Statement<Row> => new Statement<Row>(template)

/**
 * Texts of JSON as one parameter, to be taken apart by `string_to_array(…, E'\n')`: there is no line end in JSON that
 * was written in one go, and an array of texts that are full of quotation marks costs more to escape than to store.
 */
export const linesOf = (texts: readonly string[]): string => texts.join('\n')
