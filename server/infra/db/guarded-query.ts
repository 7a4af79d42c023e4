import pg from 'pg'

/** What of a query of the driver is overridden here; its types leave it out. */
interface DriversQuery {
  text: string
  callback?: Callback
  requiresPreparation(): boolean
  prepare(wire: Wire): void
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, wire: Wire): void
}

interface Wire {
  parse(message: object): void
  bind(message: object): void
  execute(message: object): void
}

export type Callback = (error: Error | null, result: pg.QueryResult) => void

export interface QueryConfig {
  text: string
  values?: unknown[] | undefined
}

const Query = pg.Query as unknown as new (config: QueryConfig) => DriversQuery

/**
 * A statement behind another one that sets its transaction: both travel in one message and are one transaction, which a
 * pooler gives to one session. The answer of the first is left out.
 */
export class GuardedQuery extends Query {
  readonly #prologue: string
  #isBehind = false

  constructor(prologue: string, config: QueryConfig) {
    super(config)
    this.#prologue = prologue
    // Several statements in one text are a transaction as well, whatever begins or ends in it.
    if (!this.requiresPreparation()) this.text = `${prologue}; ${config.text}`
  }

  override prepare(wire: Wire): void {
    wire.parse({ text: this.#prologue, name: '', types: [] })
    wire.bind({})
    wire.execute({})
    super.prepare(wire)
  }

  override handleRowDescription(message: unknown): void {
    if (this.#isBehind) super.handleRowDescription(message)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isBehind) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isBehind) super.handleCommandComplete(message, wire)
    this.#isBehind = true
  }
}
