import type pg from 'pg'
import { hasBroken, isCancelled, isOfStatement } from './away.ts'
import { endQuietly } from './end-quietly.ts'
import { type Position, type PositionCheck, refuseBehind } from './position.ts'
import type { Query, SlowReadPool } from './slow-read-pool.ts'
import { afterArrivals, breakOff, streamOf } from './timeouts.ts'

interface Waiting {
  query: Query
  resolve: (rows: readonly never[]) => void
  reject: (error: Error) => void
  /** How often it may be asked again. */
  triesLeft: number
  /** How far a server has to be to answer it. */
  from: Position
}

interface Line {
  client: pg.Client
  underWay: number
  /** Of each statement, how many of those are. */
  copies: Map<string, number>
  /** It was well, and given up for what was under way on it. */
  isGivenUp: boolean
  /** When something was asked of it last while nothing was under way, or it answered last. */
  heardAt: number
  timer: NodeJS.Timeout | undefined
}

// A line with this much under way is long enough; the next one takes over.
const longLine = 32

// PostgreSQL ends what takes long. A line that has said nothing for this long is replaced; what it was asked is asked
// elsewhere.
const silentMs = 3_000

// A line that has said nothing for this long may be waiting for a slow one, so others are asked elsewhere.
const stuckMs = 100

// A replica that is away is not called at every read, which the primary answers.
const reopenMs = 1_000

/** Answers while no line is open, and what is better asked apart. */
interface Fallback {
  query(query: Query): Promise<{ rows: unknown[] }>
}

/**
 * Sends the small reads of concurrent requests over few connections, together: what has gathered by the end of an
 * event-loop turn travels in one write, and PostgreSQL answers in order. On a busy server a read then costs a fraction
 * of a system call instead of two of its own. A statement that takes long would hold up the ones behind it: its session
 * ends it early, and it is asked again among the slow reads.
 */
export class Reader {
  readonly #connect: () => pg.Client
  readonly #fallback: Fallback
  readonly #check: PositionCheck | null
  readonly #slow: SlowReadPool
  readonly #lines: (Line | null)[]
  #waiting: Waiting[] = []
  /** Asked on a line that broke; they wait for a new one. */
  readonly #stranded: Waiting[] = []
  #closed = false

  constructor(options: {
    connect: () => pg.Client
    fallback: Fallback
    slow: SlowReadPool
    connections: number
    /** Of a replica: whether it is far enough. Then nothing is asked of it twice, because the primary answers as well. */
    check?: PositionCheck
  }) {
    this.#connect = options.connect
    this.#fallback = options.fallback
    this.#check = options.check ?? null
    this.#slow = options.slow
    this.#lines = Array(options.connections).fill(null)
  }

  query<Row>(query: Query, from: Position = 0): Promise<readonly Row[]> {
    if (this.#slow.isKnown(query.name)) return this.#slow.ask(query, from)
    const { promise, resolve, reject } = Promise.withResolvers<readonly never[]>()
    this.#waiting.push({ query, resolve, reject, triesLeft: this.#check ? 0 : 2, from })
    if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    return promise
  }

  /** One that is known to take longer than the small ones: none of them waits for it. */
  queryApart<Row>(query: Query, from: Position = 0): Promise<readonly Row[]> {
    if (this.#check || this.#slow.isKnown(query.name)) return this.#slow.ask(query, from)
    const { promise, resolve, reject } = Promise.withResolvers<readonly never[]>()
    this.#askPool({ query, resolve, reject, triesLeft: 2, from })
    return promise
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
    const position = this.#askPosition(line)
    for (const waiting of batch) {
      const { name } = waiting.query
      line.copies.set(name, (line.copies.get(name) ?? 0) + 1)
      line.client.query(waiting.query, (error: Error | null, result: pg.QueryResult) => {
        this.#heard(line)
        const copies = line.copies.get(name)! - 1
        if (copies > 0) line.copies.set(name, copies)
        else line.copies.delete(name)
        if (!error) this.#answer(waiting, result, position?.at)
        else if (isCancelled(error)) {
          this.#askSlowly(waiting)
          // Each of them would hold up the others for as long.
          if (copies > 1) this.#giveUp(line)
        } else if (isOfStatement(error)) waiting.reject(error)
        else {
          // It has not ended yet, but the next one would be asked there in vain.
          this.#drop(line.client)
          if (line.isGivenUp) waiting.triesLeft += 1
          this.#askAgain(waiting)
        }
      })
    }
    stream.uncork()
  }

  #giveUp(line: Line): void {
    line.isGivenUp = true
    breakOff(line.client)
  }

  #askSlowly({ query, from, resolve, reject }: Waiting): void {
    this.#slow.expect(query.name)
    this.#slow.ask(query, from).then(resolve, reject)
  }

  /** One question for all that travel behind it. It is answered before they are. */
  #askPosition(line: Line): { at: Position } | null {
    const check = this.#check
    if (!check) return null
    const position = { at: check.positionIn([]) }
    this.#expect(line, 1)
    line.client.query(check, (error: Error | null, result: pg.QueryResult) => {
      this.#heard(line)
      if (!error) position.at = check.positionIn(result.rows)
    })
    return position
  }

  /** Where nothing is said of its position, it is the primary, which has everything. */
  #answer({ from, resolve, reject }: Waiting, { rows }: pg.QueryResult, at: Position = from): void {
    try {
      refuseBehind(from, at)
      resolve(rows as never[])
    } catch (error) {
      reject(error as Error)
    }
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
    else {
      const heardAt = line.heardAt
      afterArrivals(() => {
        if (line.heardAt === heardAt && line.underWay > 0) breakOff(line.client)
        else this.#expect(line, 0)
      })
    }
  }

  /** Whether one of its lines is; if not, one is opened for later. */
  isOpen(): boolean {
    return this.#line() !== null
  }

  /** Asks each line that is open. One that is busy has answered a moment ago, or is about to be replaced. */
  ping(): Promise<unknown>[] {
    return this.#lines.flatMap((line) => {
      if (!line) return []
      if (line.underWay > 0 && performance.now() - line.heardAt < silentMs) return Promise.resolve()
      this.#expect(line, 1)
      return line.client.query('select').finally(() => this.#heard(line))
    })
  }

  #askPool(waiting: Waiting): void {
    this.#fallback.query(waiting.query).then(
      (result) => waiting.resolve(result.rows as never[]),
      (error) => {
        if (hasBroken(error)) this.#askAgain(waiting)
        else if (isCancelled(error)) this.#askSlowly(waiting)
        else waiting.reject(error)
      },
    )
  }

  /** What a broken line was asked is asked on a new one: the pool's connections may have gone silent with it. */
  #askAgain(waiting: Waiting): void {
    if (this.#slow.isKnown(waiting.query.name)) {
      this.#askSlowly(waiting)
      return
    }
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

  /** The first line with room that is not stuck; one that is down is opened for later. */
  #line(): Line | null {
    let shortest: Line | null = null
    for (let position = 0; position < this.#lines.length; position += 1) {
      const line = this.#lines[position]
      if (!line) {
        this.#open(position)
        return shortest && !isStuck(shortest) ? shortest : null
      }
      if (line.underWay < longLine && !isStuck(line)) return line
      if (!shortest || line.underWay < shortest.underWay) shortest = line
    }
    return shortest
  }

  #opening = false
  #openAgainAt = 0

  #open(position: number): void {
    if (this.#closed || this.#opening || performance.now() < this.#openAgainAt) return
    this.#opening = true
    this.#openLine(position)
      .catch(() => {
        if (this.#check) this.#openAgainAt = performance.now() + reopenMs
      })
      .finally(() => {
        this.#opening = false
      })
  }

  async #openLine(position: number): Promise<Line> {
    const client = this.#connect()
    const gone = () => this.#drop(client)
    client.on('error', gone)
    client.on('end', gone)
    await client.connect()
    // Two may have opened it at once.
    const first = this.#lines[position]
    if (first || this.#closed) client.end().catch(() => {})
    if (first) return first
    const line: Line = {
      ...{ client, underWay: 0, copies: new Map(), isGivenUp: false },
      ...{ heardAt: 0, timer: undefined },
    }
    if (!this.#closed) this.#lines[position] = line
    return line
  }

  #drop(client: pg.Client): void {
    const position = this.#lines.findIndex((line) => line?.client === client)
    if (position >= 0) this.#lines[position] = null
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const line of this.#lines) clearTimeout(line?.timer)
    await Promise.all(this.#lines.map((line) => line && endQuietly(line.client)))
  }
}

const isStuck = ({ underWay, heardAt }: Line): boolean =>
  underWay > 0 && performance.now() - heardAt > stuckMs
