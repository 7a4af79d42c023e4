import { type Db, read } from './db.ts'
import { type Parameters, type Statement, statement } from './statement.ts'

interface Versioned {
  key: string
  version: string
}

interface Remembered<Made> {
  signature: string
  made: Made
}

/**
 * A read whose result is remembered, and fetched again only when it has changed. Every call still asks the database,
 * but only for which versions of which rows make up the result: some hundred bytes instead of some ten thousand. So
 * nobody sees older data than the database has; the memory saves the transport, not the question.
 *
 * A row version is `xmin`, the transaction that wrote it. It would take four thousand million transactions between two
 * calls for a number to come back.
 */
export class RememberedRead<Row, Made> {
  readonly #versions: Statement<{ signature: string | null }>
  readonly #rows: Statement<Row & Versioned>
  readonly #memory = new Map<string, Remembered<Made>>()
  readonly #most: number

  /** Both statements take the same parameters and select `key` and `version` of the same rows. */
  constructor(statements: { versions: string; rows: string }, { most = 500 } = {}) {
    this.#most = most
    this.#versions = statement(`
      select string_agg(key || version, ',') as signature
      from (${statements.versions}) as versions`)
    this.#rows = statement(statements.rows)
  }

  /** What `make` makes must depend on nothing but the rows and the parameters. */
  async read(db: Db, parameters: Parameters, make: (rows: readonly Row[]) => Made): Promise<Made> {
    const name = Object.values(parameters).join('\0')
    const known = this.#memory.get(name)
    if (known) {
      const [now] = await read(db, this.#versions, parameters)
      if (now?.signature === known.signature) return known.made
    }
    const rows = await read(db, this.#rows, parameters)
    const signature = rows.map((row) => row.key + row.version).join(',')
    const made = make(rows)
    // The oldest goes first; what is asked for often is soon back.
    if (this.#memory.size >= this.#most) this.#memory.delete(this.#memory.keys().next().value!)
    this.#memory.set(name, { signature, made })
    return made
  }
}
