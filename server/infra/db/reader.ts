import type pg from 'pg'
import { endQuietly } from './end-quietly.ts'
import { isCancelled, type Query, type SlowReadPool, tooSlowOr } from './slow-read-pool.ts'
import { breakOff, streamOf } from './timeouts.ts'

interface Waiting {
  query: Query
  resolve: (rows: readonly never[]) => void
  reject: (error: Error) => void
  /** How often it may be asked again. */
  triesLeft: number
}

interface Line {
  client: pg.Client
  underWay: number
  /** When something was asked of it last while nothing was under way, or it answered last. */
  heardAt: number
  timer: NodeJS.Timeout | undefined
}

// A line with this much under way is long enough; the next one takes over.
const longLine = 32

// PostgreSQL ends what takes long. A line that has said nothing for this long is replaced; what it was asked is asked
// elsewhere.
const silentMs = 3_000

/**
 * Sends the small reads of concurrent requests over few connections, together: what has gathered by the end of an
 * event-loop turn travels in one write, and PostgreSQL answers in order. On a busy server a read then costs a fraction
 * of a system call instead of two of its own. A statement that takes long would hold up the ones behind it: its session
 * ends it early, and it is asked again among the slow reads.
 */
export class Reader {
  readonly #connect: () => pg.Client
  readonly #fallback: pg.Pool
  readonly #slow: SlowReadPool
  readonly #lines: (Line | null)[]
  #waiting: Waiting[] = []
  /** Asked on a line that broke; they wait for a new one. */
  readonly #stranded: Waiting[] = []
  #closed = false

  constructor(options: {
    connect: () => pg.Client
    fallback: pg.Pool
    slow: SlowReadPool
    connections: number
  }) {
    this.#connect = options.connect
    this.#fallback = options.fallback
    this.#slow = options.slow
    this.#lines = Array(options.connections).fill(null)
  }

  query<Row>(query: Query): Promise<readonly Row[]> {
    if (this.#slow.isKnown(query.name)) return this.#slow.ask(query)
    const { promise, resolve, reject } = Promise.withResolvers<readonly never[]>()
    this.#waiting.push({ query, resolve, reject, triesLeft: 2 })
    if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    return promise
  }

  /** One that is known to take longer than the small ones: none of them waits for it. */
  queryApart<Row>(query: Query): Promise<readonly Row[]> {
    return this.#slow.ask(query)
  }

  #flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    const line = this.#line()
    // Reads have no effects, so one whose connection is away or breaks is simply asked again elsewhere.
    if (line) this.#send(line, batch)
    else if (this.#stranded.length > 0) this.#stranded.push(...batch)
    else for (const waiting of batch) this.#askPool(waiting)
  }

  #send(line: Line, batch: Waiting[]): void {
    const stream = streamOf(line.client)
    this.#expect(line, batch.length)
    stream.cork()
    for (const waiting of batch) {
      line.client.query(waiting.query, (error: Error | null, result: pg.QueryResult) => {
        this.#heard(line)
        if (!error) waiting.resolve(result.rows as never[])
        else if (isCancelled(error)) this.#slow.ask(waiting.query).then(waiting.resolve, waiting.reject)
        else if (isOfStatement(error)) waiting.reject(error)
        else this.#askAgain(waiting)
      })
    }
    stream.uncork()
  }

  #expect(line: Line, answers: number): void {
    if (line.underWay === 0) line.heardAt = performance.now()
    line.underWay += answers
    line.timer ??= setTimeout(() => this.#listen(line), silentMs)
  }

  #heard(line: Line): void {
    line.underWay -= 1
    line.heardAt = performance.now()
  }

  #listen(line: Line): void {
    line.timer = undefined
    if (line.underWay === 0) return
    const left = line.heardAt + silentMs - performance.now()
    if (left > 0) line.timer = setTimeout(() => this.#listen(line), left)
    else breakOff(line.client)
  }

  /** Returns when each line that is open has answered. */
  async ping(): Promise<void> {
    await Promise.all(
      this.#lines.map(async (line) => {
        if (!line) return
        this.#expect(line, 1)
        await line.client.query('select').finally(() => this.#heard(line))
      }),
    )
  }

  #askPool({ query, resolve, reject }: Waiting): void {
    this.#fallback.query(query).then(
      (result) => resolve(result.rows as never[]),
      (error) => reject(tooSlowOr(error)),
    )
  }

  /** What a broken line was asked is asked on a new one: the pool's connections may have gone silent with it. */
  #askAgain(waiting: Waiting): void {
    waiting.triesLeft -= 1
    if (waiting.triesLeft < 0 || this.#closed) {
      waiting.reject(new Error('Connection terminated: the database does not answer'))
      return
    }
    this.#stranded.push(waiting)
    if (this.#stranded.length === 1) this.#rescue()
  }

  async #rescue(): Promise<void> {
    try {
      const free = this.#lines.indexOf(null)
      const line = free < 0 ? this.#lines[0]! : await this.#openLine(free)
      this.#send(line, this.#stranded.splice(0))
    } catch (error) {
      for (const waiting of this.#stranded.splice(0)) waiting.reject(error as Error)
    }
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
    this.#openLine(position)
      .catch(() => {})
      .finally(() => {
        this.#opening = false
      })
  }

  async #openLine(position: number): Promise<Line> {
    const client = this.#connect()
    const gone = () => {
      if (this.#lines[position]?.client === client) this.#lines[position] = null
    }
    client.on('error', gone)
    client.on('end', gone)
    await client.connect()
    // Two may have opened it at once.
    const first = this.#lines[position]
    if (first || this.#closed) client.end().catch(() => {})
    if (first) return first
    const line: Line = { client, underWay: 0, heardAt: 0, timer: undefined }
    if (!this.#closed) this.#lines[position] = line
    return line
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const line of this.#lines) clearTimeout(line?.timer)
    await Promise.all(this.#lines.map((line) => line && endQuietly(line.client)))
  }
}

/** PostgreSQL answered, and the answer is about the statement: the connection is well. */
const isOfStatement = (error: Error & { code?: string; severity?: string }): boolean =>
  error.severity === 'ERROR' && !error.code?.startsWith('57P')
