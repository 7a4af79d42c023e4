import type http from 'node:http'

/** More than this is no request of a coding agent: the providers themselves take no more. */
export const mostBodyBytes = 32_000_000

export class TooLong extends Error {}

/** Room for so many bytes at once. Who finds none waits, first come, first served. */
export class Room {
  readonly #within: Room | null
  readonly #line: { bytes: number; enter: () => void }[] = []
  #free: number

  constructor(bytes: number, within: Room | null = null) {
    this.#free = bytes
    this.#within = within
  }

  async enter(bytes: number, gone: AbortSignal): Promise<() => void> {
    await this.#take(bytes, gone)
    let leaveOuter = () => {}
    try {
      leaveOuter = (await this.#within?.enter(bytes, gone)) ?? leaveOuter
    } catch (error) {
      this.#give(bytes)
      throw error
    }
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      leaveOuter()
      this.#give(bytes)
    }
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

/** Of all orders together. One of them never fills it. */
const ofProcess = new Room(8 * mostBodyBytes)

/** For the requests of one order, while they are read and until they are passed on. */
export const roomForBodies = () => new Room(2 * mostBodyBytes, ofProcess)

/** A request that says no length is let in as if it had the greatest. */
export function declaredBytes(request: http.IncomingMessage): number {
  const said = Number(request.headers['content-length'] ?? mostBodyBytes)
  if (!(said <= mostBodyBytes)) throw new TooLong()
  return said
}

export async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Whoever is told that it is too long may still be sending: the connection stays, to be told on.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > mostBodyBytes) throw new TooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
