import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Trash } from '../disk/trash.ts'
import { writeAtomically } from '../disk/write-atomically.ts'
import { OrderSpool, type SpooledOrder } from './order-spool.ts'

const dayMs = 86_400_000

/** What the runner must not forget: the ask that is open, and one folder for each order. */
export class Spool {
  readonly #folder: string
  readonly #askFile: string
  readonly #trash: Trash

  constructor(data: string, trash: Trash) {
    this.#trash = trash
    this.#folder = path.join(data, 'orders')
    this.#askFile = path.join(data, 'ask.json')
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  /** Written before the call: the same ask gets the same order again, however the first answer was lost. */
  writeAsk(ask: string): void {
    writeAtomically(this.#askFile, JSON.stringify({ ask }))
  }

  /** The ask that has not been answered with an order yet. */
  openAsk(): string | null {
    const ask = readJson<{ ask: string }>(this.#askFile)?.ask ?? null
    return ask !== null && this.#all().some((order) => order.ask === ask) ? null : ask
  }

  /** From here on the order is known, whatever happens to this process. */
  take(taken: SpooledOrder): OrderSpool {
    const folder = this.#folderOf(taken)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeAtomically(path.join(folder, 'order.json'), JSON.stringify(taken))
    return new OrderSpool(folder, taken)
  }

  has(order: { run: string; fence: number }): boolean {
    return readJson(path.join(this.#folderOf(order), 'order.json')) !== null
  }

  /** Orders of earlier starts that are not over, with what is left to report about them. */
  left(): OrderSpool[] {
    const open: OrderSpool[] = []
    for (const order of this.#all()) {
      const spool = new OrderSpool(this.#folderOf(order), order)
      if (spool.closedAt === null) open.push(spool)
      else spool.release()
    }
    return open
  }

  /** Throws away what has been over for a day, and what never became an order. */
  async tidy(now: Date): Promise<void> {
    const known = new Map(this.#all().map((order) => [path.basename(this.#folderOf(order)), order]))
    for (const name of readdirSync(this.#folder)) {
      const folder = path.join(this.#folder, name)
      const closedAt = readJson<{ closedAt: string | null }>(path.join(folder, 'acked.json'))?.closedAt
      const isOver = closedAt ? now.getTime() - Date.parse(closedAt) > dayMs : !known.has(name)
      if (isOver) await this.#trash.put(folder)
    }
  }

  #folderOf({ run, fence }: { run: string; fence: number }): string {
    return path.join(this.#folder, `${run}.${fence}`)
  }

  #all(): SpooledOrder[] {
    return readdirSync(this.#folder)
      .map((name) => readJson<SpooledOrder>(path.join(this.#folder, name, 'order.json')))
      .filter((order) => order !== null)
  }
}

function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
