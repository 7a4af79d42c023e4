import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import type { Connection } from '../../infra/db/embedded.ts'

/**
 * What a network can do to a connection without ending it: nothing arrives any more, in both directions or only of what
 * the database answers; or everything does, late.
 */
export type Silence = 'drop' | 'half-open' | { delayMs: number }

type Way = 'whole' | Silence

/** One direction of a connection. What is late stays in its order. */
class Direction {
  way: Way = 'whole'
  readonly #to: Socket
  readonly #isAnswer: boolean
  readonly #onLost: () => void
  readonly #late: { dueAt: number; bytes: Buffer }[] = []

  constructor(to: Socket, options: { isAnswer: boolean; onLost: () => void }) {
    this.#to = to
    this.#isAnswer = options.isAnswer
    this.#onLost = options.onLost
  }

  pass(bytes: Buffer): void {
    if (this.way === 'drop' || (this.way === 'half-open' && this.#isAnswer)) this.#onLost()
    else this.#passLate(bytes, typeof this.way === 'object' ? this.way.delayMs : 0)
  }

  #passLate(bytes: Buffer, delayMs: number): void {
    if (delayMs === 0 && this.#late.length === 0) return void this.#to.write(bytes)
    const dueAt = Math.max(performance.now() + delayMs, this.#late.at(-1)?.dueAt ?? 0)
    this.#late.push({ dueAt, bytes })
    if (this.#late.length === 1) this.#drainWhenDue()
  }

  /**
   * Looks again until nothing is left: in a process that is busy a timer comes too early, because it counts from the
   * beginning of the turn in which it was set. What is left lying then would be lost, and not late.
   */
  #drainWhenDue(): void {
    while (this.#late.length > 0 && this.#late[0]!.dueAt <= performance.now()) {
      const { bytes } = this.#late.shift()!
      if (this.#to.writable) this.#to.write(bytes)
    }
    const [next] = this.#late
    if (next) setTimeout(() => this.#drainWhenDue(), next.dueAt - performance.now() + 1).unref()
  }
}

interface Pair {
  sockets: [near: Socket, far: Socket]
  directions: [there: Direction, back: Direction]
}

/** A network between a server and its database that can lose packets, be late, or be cut. */
export class SilentNetwork {
  /** How many connections were made through it, and whether anything was lost in it. */
  connections = 0
  hasLost = false
  /** Called before the server's next bytes are passed on. */
  onSent: () => void = () => {}
  readonly #pairs = new Set<Pair>()
  #way: Way = 'whole'
  #isCut = false
  #server = createServer()

  /** Returns how the database is reached through it. */
  async open(connection: Connection): Promise<Connection> {
    const { host, port } = connection
    const target = host.startsWith('/') ? { path: path.join(host, `.s.PGSQL.${port}`) } : { host, port }
    this.#server.on('connection', (near) => {
      if (this.#isCut) return near.destroy()
      this.connections += 1
      this.#join(near, connect(target))
    })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port: ours } = this.#server.address() as { port: number }
    return { ...connection, host: '127.0.0.1', port: ours }
  }

  #join(near: Socket, far: Socket): void {
    const onLost = () => {
      this.hasLost = true
    }
    const there = new Direction(far, { isAnswer: false, onLost })
    const back = new Direction(near, { isAnswer: true, onLost })
    const pair: Pair = { sockets: [near, far], directions: [there, back] }
    for (const direction of pair.directions) direction.way = this.#way
    this.#pairs.add(pair)
    const gone = () => {
      near.destroy()
      far.destroy()
      this.#pairs.delete(pair)
    }
    for (const socket of pair.sockets) socket.on('error', gone).on('close', gone)
    near.on('data', (bytes) => {
      this.onSent()
      there.pass(bytes)
    })
    far.on('data', (bytes) => back.pass(bytes))
  }

  /** What is connected now is silent from here on. New connections are too, while all is. */
  loseConnections({ silent, by = 'drop' }: { silent: boolean; by?: Silence }): void {
    if (silent) this.#way = by
    for (const { directions } of this.#pairs) for (const direction of directions) direction.way = by
  }

  /** Every connection is broken, and none is made. */
  cut(): void {
    this.#isCut = true
    this.#breakAll()
  }

  /** What was lost stays lost; what was late is so no more. */
  mend(): void {
    this.#isCut = false
    this.#way = 'whole'
    for (const { directions } of this.#pairs)
      for (const direction of directions) if (typeof direction.way === 'object') direction.way = 'whole'
  }

  async close(): Promise<void> {
    this.#breakAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #breakAll(): void {
    for (const { sockets } of this.#pairs) for (const socket of sockets) socket.destroy()
  }
}
