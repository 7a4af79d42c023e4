import { type Db, read } from './db.ts'
import type { Statement } from './statement.ts'

interface Versioned {
  key: string
  version: string
}

interface Signed {
  signature: string | null
}

/** What has changed when one of the rows has: over a select of `key` and `version`. */
export const signatureOf = (versions: string) =>
  `select string_agg(key || version, ',') as signature from (${versions}) as versions`

interface Remembered<Made> {
  signature: string
  made: Made
}

/**
 * A read whose result is remembered, and fetched again only when it has changed. Every call still asks the database,
 * but only for which versions of which rows make up the result: some hundred bytes instead of some ten thousand. So
 * no caller sees older data than the database has; the memory saves the transport, not the question.
 *
 * A row version is `xmin`, the transaction that wrote it. It would take four thousand million transactions between two
 * calls for a number to come back.
 */
export class RememberedRead<Made, Given extends object, Row extends Versioned> {
  readonly #versions: Statement<Given, Signed>
  readonly #rows: Statement<Given, Row>
  readonly #memory = new Map<string, Remembered<Made>>()
  readonly #most: number

  /** Both statements take the same parameters; the second selects the `key` and `version` that the first signs. */
  constructor(versions: Statement<Given, Signed>, rows: Statement<Given, Row>, { most = 500 } = {}) {
    this.#versions = versions
    this.#rows = rows
    this.#most = most
  }

  /** What `make` makes must depend on nothing but the rows, what their versions sign, the parameters and `limit`. */
  async read(
    db: Db,
    parameters: Given,
    limit: number,
    make: (rows: readonly Row[]) => Made | Promise<Made>,
  ): Promise<Made> {
    const name = [...Object.values(parameters), limit].join('\0')
    const known = this.#memory.get(name)
    if (known) {
      const [now] = await read<Given, Signed, Given>(db, this.#versions, parameters)
      if (now?.signature === known.signature) return known.made
    }
    const rows = await read<Given, Row, Given>(db, this.#rows, parameters)
    const signature = rows.map((row) => row.key + row.version).join(',')
    const made = await make(rows)
    // The oldest goes first; what is asked for often is soon back.
    if (this.#memory.size >= this.#most) this.#memory.delete(this.#memory.keys().next().value!)
    this.#memory.set(name, { signature, made })
    return made
  }
}
