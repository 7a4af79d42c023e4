import type { Socket } from 'node:net'
import type pg from 'pg'
import { endQuietly } from './end-quietly.ts'

interface Query {
  name: string
  text: string
  values: unknown[]
}

interface Waiting {
  query: Query
  result: Promise<readonly never[]>
  resolve: (rows: readonly never[]) => void
  reject: (error: Error) => void
}

interface Line {
  client: pg.Client
  underWay: number
}

// A line with this much under way is long enough; the next one takes over.
const longLine = 32

/**
 * Sends the small reads of concurrent requests over few connections, together: what has gathered by the end of an
 * event-loop turn travels in one write, and PostgreSQL answers in order. On a busy server a read then costs a fraction
 * of a system call instead of two of its own. Requests of one turn that ask the same thing get the same answer: it was
 * asked for after all of them had come. Statements that may take long belong on the pool; here they would hold
 * up the ones behind them.
 */
export class Reader {
  readonly #connect: () => pg.Client
  readonly #fallback: pg.Pool
  readonly #lines: (Line | null)[]
  #waiting: Waiting[] = []
  readonly #questions = new Map<string, Waiting>()
  #closed = false

  constructor(options: { connect: () => pg.Client; fallback: pg.Pool; connections: number }) {
    this.#connect = options.connect
    this.#fallback = options.fallback
    this.#lines = Array(options.connections).fill(null)
  }

  query<Row>(query: Query): Promise<readonly Row[]> {
    const question = questionOf(query)
    const same = question === null ? undefined : this.#questions.get(question)
    if (same) return same.result
    const { promise, resolve, reject } = Promise.withResolvers<readonly never[]>()
    const waiting = { query, result: promise, resolve, reject }
    this.#waiting.push(waiting)
    if (question !== null) this.#questions.set(question, waiting)
    if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    return promise
  }

  #flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    this.#questions.clear()
    const line = this.#line()
    // Reads have no effects, so one whose connection is away or breaks is simply asked again elsewhere.
    if (line) this.#send(line, batch)
    else for (const waiting of batch) this.#askPool(waiting)
  }

  #send(line: Line, batch: Waiting[]): void {
    const { stream } = (line.client as unknown as { connection: { stream: Socket } }).connection
    line.underWay += batch.length
    stream.cork()
    for (const waiting of batch) {
      line.client.query(waiting.query, (error: Error | null, result: pg.QueryResult) => {
        line.underWay -= 1
        if (!error) waiting.resolve(result.rows as never[])
        else if (isOfStatement(error)) waiting.reject(error)
        else this.#askPool(waiting)
      })
    }
    stream.uncork()
  }

  #askPool({ query, resolve, reject }: Waiting): void {
    this.#fallback.query(query).then((result) => resolve(result.rows as never[]), reject)
  }

  /** The first line with room; one that is down is opened for later. */
  #line(): Line | null {
    let shortest: Line | null = null
    for (let position = 0; position < this.#lines.length; position += 1) {
      const line = this.#lines[position]
      if (!line) {
        this.#open(position)
        return shortest
      }
      if (line.underWay < longLine) return line
      if (!shortest || line.underWay < shortest.underWay) shortest = line
    }
    return shortest
  }

  #opening = false

  #open(position: number): void {
    if (this.#closed || this.#opening) return
    this.#opening = true
    const client = this.#connect()
    const gone = () => {
      if (this.#lines[position]?.client === client) this.#lines[position] = null
    }
    client.on('error', gone)
    client.on('end', gone)
    client
      .connect()
      .then(
        () => {
          if (this.#closed) client.end().catch(() => {})
          else this.#lines[position] = { client, underWay: 0 }
        },
        () => {},
      )
      .finally(() => {
        this.#opening = false
      })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#lines.map((line) => line && endQuietly(line.client)))
  }
}

/** PostgreSQL answered, and the answer is about the statement: the connection is well. */
const isOfStatement = (error: Error & { code?: string; severity?: string }): boolean =>
  error.severity === 'ERROR' && !error.code?.startsWith('57P')

/** The same text for the same question; null where telling would cost more than asking. */
function questionOf({ name, values }: Query): string | null {
  let question = name
  for (const value of values) {
    if (typeof value === 'object' && value !== null) return null
    // A text is marked as one: the word null is not the absence of a value.
    question += typeof value === 'string' ? `\0'${value}` : `\0${value}`
  }
  return question
}
