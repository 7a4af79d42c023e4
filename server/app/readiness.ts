import { setTimeout as sleep } from 'node:timers/promises'
import { schemaCheck } from '../infra/db/schema.ts'
import { every } from '../infra/every.ts'
import type { Base, Part } from './parts.ts'
import type { Start } from './start.ts'
import { keyObstacle } from './storage.ts'

/** How long another version may have changed the database before this node notices it without being asked. */
const lookEveryMs = 1_000
const longestLookMs = 500

/** Whether this node can take requests now. Why it cannot is for the log and the operator. */
export class Readiness implements Part {
  readonly #base: Base
  readonly #start: Pick<Start, 'isDone'>
  readonly #difference: () => Promise<string | null>
  readonly #looking: Part
  #foreignSchema: string | null = null
  #told: string | null = null
  #isLeaving = false

  constructor(base: Base, start: Pick<Start, 'isDone'>, difference: () => Promise<string | null>) {
    this.#base = base
    this.#start = start
    this.#difference = difference
    this.#looking = every(lookEveryMs, 'compare the schema', base.log, () => this.#look().catch(() => {}))
  }

  /** The schema is known not to be the one that this code was written for: nothing may be written to it. */
  isForeign(): boolean {
    return this.#foreignSchema !== null
  }

  /** What keeps it from taking requests, in a sentence for the operator; null when it is ready. */
  async obstacle(): Promise<string | null> {
    const found = await this.#find()
    this.#tell(found)
    return found
  }

  /** From here on it is not ready, though it still serves. */
  leave(): void {
    this.#isLeaving = true
  }

  stop(): unknown {
    return this.#looking.stop()
  }

  async #find(): Promise<string | null> {
    if (this.#isLeaving) return 'This server is stopping.'
    return this.#start.isDone() ? this.#obstacleLater() : 'This server is still starting.'
  }

  async #obstacleLater(): Promise<string | null> {
    try {
      await this.#base.storage.ping()
      return await this.#lookSoon()
    } catch (error) {
      return `The database cannot be used: ${(error as Error).message}`
    }
  }

  /**
   * A probe waits for about a second. Where the database answers and only this takes longer, as behind what someone else
   * has made slow, the last look counts, and the next is a second away.
   */
  async #lookSoon(): Promise<string | null> {
    const patience = new AbortController()
    const last = sleep(longestLookMs, undefined, { signal: patience.signal }).then(() => this.#foreignSchema)
    last.catch(() => {})
    return Promise.race([this.#look(), last]).finally(() => patience.abort())
  }

  async #look(): Promise<string | null> {
    this.#foreignSchema = await this.#difference()
    if (this.#foreignSchema) this.#tell(this.#foreignSchema)
    return this.#foreignSchema
  }

  /** Once for each reason, however often it is asked. */
  #tell(reason: string | null): void {
    if (reason === this.#told) return
    const { log } = this.#base
    if (reason) log.warn({ reason }, 'not ready')
    else log.info('ready again')
    this.#told = reason
  }
}

export const watchReadiness = async (base: Base, start: Pick<Start, 'isDone'>): Promise<Readiness> =>
  new Readiness(base, start, await differenceCheck(base))

/** What keeps this node from using the database as it is now: its schema, or its key. */
async function differenceCheck({ storage }: Base): Promise<() => Promise<string | null>> {
  const schema = await schemaCheck(storage.db)
  return async () => (await schema()) ?? (await keyObstacle(storage))
}
