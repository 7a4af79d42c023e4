import type http from 'node:http'

/** More than this is no request of a coding agent: the providers themselves take no more. */
export const mostBodyBytes = 32_000_000

export class TooLong extends Error {}

interface Stay {
  leave(): void
  /** It turned out to need no more than this. */
  keep(bytes: number): void
}

/** Room for so many bytes at once. Who finds none waits, first come, first served. */
export class Room {
  readonly #within: Room | null
  readonly #line: { bytes: number; enter: () => void }[] = []
  readonly #bytes: number
  #free: number

  constructor(bytes: number, within: Room | null = null) {
    this.#bytes = bytes
    this.#free = bytes
    this.#within = within
  }

  /** How much of it is taken. */
  get taken(): number {
    return this.#bytes - this.#free
  }

  async enter(bytes: number, gone: AbortSignal): Promise<Stay> {
    await this.#take(bytes, gone)
    let outer: Stay | undefined
    try {
      outer = await this.#within?.enter(bytes, gone)
    } catch (error) {
      this.#give(bytes)
      throw error
    }
    let taken = bytes
    const keep = (less: number) => {
      if (less >= taken) return
      const given = taken - less
      taken = less
      outer?.keep(less)
      this.#give(given)
    }
    return { keep, leave: () => keep(0) }
  }

  #take(bytes: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      gone.throwIfAborted()
      const waiting = { bytes, enter: resolve }
      this.#line.push(waiting)
      gone.addEventListener(
        'abort',
        () => {
          const at = this.#line.indexOf(waiting)
          if (at < 0) return
          this.#line.splice(at, 1)
          reject(gone.reason)
          this.#serve()
        },
        { once: true },
      )
      this.#serve()
    })
  }

  #give(bytes: number): void {
    this.#free += bytes
    this.#serve()
  }

  #serve(): void {
    while (this.#line.length > 0 && this.#line[0]!.bytes <= this.#free) {
      const { bytes, enter } = this.#line.shift()!
      this.#free -= bytes
      enter()
    }
  }
}

/** Of all orders together: this much memory requests take at most. One order never fills it. */
export const ofProcess = new Room(4 * mostBodyBytes)

/** For the requests of one order, from their first byte until the last has been passed on. */
export const roomForBodies = () => new Room(mostBodyBytes, ofProcess)

/** A request that says no length is let in as if it had the greatest. */
export function declaredBytes(request: http.IncomingMessage): number {
  const said = Number(request.headers['content-length'] ?? mostBodyBytes)
  if (!(said <= mostBodyBytes)) throw new TooLong()
  return said
}

/** Into one place where its length is known: to put pieces together takes twice as much. */
export async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const said = request.headers['content-length']
  const whole = said === undefined ? null : Buffer.allocUnsafe(Number(said))
  const chunks: Buffer[] = []
  let bytes = 0
  // The sender of a body that is too long may still be sending: the connection stays open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (bytes + chunk.length > (whole?.length ?? mostBodyBytes)) throw new TooLong()
    if (whole) chunk.copy(whole, bytes)
    else chunks.push(chunk)
    bytes += chunk.length
  }
  return whole?.subarray(0, bytes) ?? Buffer.concat(chunks)
}
