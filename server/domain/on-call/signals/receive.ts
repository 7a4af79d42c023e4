import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { writeAhead } from '../../record/audit/change.ts'
import { createPartitions, daysAhead } from '../../record/audit/create-partitions.ts'
import type { Reading } from '../senders/reading/reading.ts'
import type { Arrived, By } from './arrived.ts'
import { createDeliveryPartitions } from './create-partitions.ts'
import type { KnownSource } from './known-source.ts'
import { type Acknowledged, acknowledgeOfAllWorkspaces } from './store.ts'

export interface Received {
  /** The same for a delivery that arrives twice. */
  deliveryId: string
  /** How many alerts were understood in it. */
  accepted: number
}

interface Pending extends Acknowledged {
  accepted: number
  isByPerson: boolean
  resolve: (received: Received) => void
  reject: (error: Error) => void
}

const mostTogether = 500
const mostCharacters = 4_000_000

/**
 * When little else is going on, the response waits for the round that handles the delivery, so that the sender can then
 * read its entry. It does not depend on that round's outcome, and does not wait long.
 */
const fewTogether = 4
const courtesyMs = 500
/** A person who sends a test looks for it next. */
const courtesyToPeopleMs = 5_000

/** Returns the round that handles it, if one begins right away. */
type OnWritten = (workspaceId: string) => Promise<void> | undefined

/**
 * Takes in deliveries whose proof was right. Those that arrive while the last ones are being written are written
 * together, in one statement and one commit: the more arrive, the less each costs. The caller gets its result after
 * that commit, never before. What becomes of them, including their audit entries, is up to the rounds that follow.
 */
export class Receiver {
  readonly #db: Db
  readonly #clock: Clock
  readonly #onWritten: OnWritten
  #pending: Pending[] = []
  #writing: Promise<void> | null = null
  /** Up to when there are months for what a round will write. */
  #preparedUntil = 0

  /** `onWritten` is told about workspaces with waiting deliveries. If this process dies, other nodes find them too. */
  constructor(base: { db: Db; clock: Clock; onWritten: OnWritten }) {
    this.#db = base.db
    this.#clock = base.clock
    this.#onWritten = base.onWritten
  }

  /** A person who sends a test has it recorded under their own name. */
  receive(source: KnownSource, reading: Reading, tester?: By): Promise<Received> {
    const receivedAt = this.#clock.now()
    const id = newId(receivedAt)
    const { alerts, handshake } = reading
    const arrived: Arrived = {
      id,
      receivedAt: receivedAt.toISOString(),
      alerts,
      test: reading.test || tester !== undefined || alerts.some(({ isTest }) => isTest),
      problem: source.paused ? 'The source is paused.' : reading.problem,
      handshake,
      waits: !source.paused && (handshake !== null || (!reading.test && alerts.length > 0)),
      source: { kind: source.kind, name: source.name },
      ...(tester ? { by: byOf(tester) } : {}),
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({
        id,
        workspaceId: source.workspaceId,
        sourceId: source.id,
        key: keyOf(reading),
        receivedAt,
        arrived: JSON.stringify(arrived),
        accepted: alerts.length,
        isByPerson: tester !== undefined,
        resolve,
        reject,
      })
      this.#writing ??= this.#writeSoon()
    })
  }

  async stop(): Promise<void> {
    await this.#writing
  }

  /** At the end of this turn, so that everything that arrived in it goes together. */
  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#pending.length > 0) {
      const batch = this.#nextBatch()
      try {
        await this.#prepare(Math.max(...batch.map(({ receivedAt }) => receivedAt.getTime())))
        await this.#write(batch)
      } catch (error) {
        await this.#writeOneByOne(batch, error as Error)
      }
    }
    this.#writing = null
  }

  #nextBatch(): Pending[] {
    const count = countUpTo(this.#pending, mostCharacters)
    if (count === this.#pending.length) return this.#pending.splice(0)
    this.#pending = inTurns(this.#pending)
    return this.#pending.splice(0, countUpTo(this.#pending, mostCharacters))
  }

  /** Some senders never try again, so a clock that went far ahead must not cost them an alert, nor hold up the rounds. */
  async #prepare(atMs: number): Promise<void> {
    if (atMs < this.#preparedUntil) return
    await createPartitions(this.#db, this.#clock)
    await createDeliveryPartitions(this.#db, this.#clock)
    this.#preparedUntil = atMs + (daysAhead / 2) * 86_400_000
  }

  /** One that cannot be written must not take the others with it. When the database is away, nothing is tried again. */
  async #writeOneByOne(batch: Pending[], error: Error): Promise<void> {
    const isOurs = /^2[23]/.test((error as { code?: string }).code ?? '')
    for (const one of batch) {
      if (!isOurs || batch.length === 1) one.reject(error)
      else await this.#write([one]).catch(one.reject)
    }
  }

  async #write(batch: Pending[]): Promise<void> {
    const ids = await writeAhead(this.#db, 'write down what arrived', (run) =>
      acknowledgeOfAllWorkspaces(run, batch),
    )
    const answer = () => {
      for (const { id, accepted, resolve } of batch) resolve({ deliveryId: ids.get(id) ?? id, accepted })
    }
    const workspaces = [...new Set(batch.map((one) => one.workspaceId))]
    const taken = workspaces.flatMap((workspaceId) => this.#onWritten(workspaceId) ?? [])
    if (batch.length > fewTogether || taken.length < workspaces.length) answer()
    else
      void Promise.race([
        Promise.all(taken),
        sleep(batch.some(({ isByPerson }) => isByPerson) ? courtesyToPeopleMs : courtesyMs),
      ]).then(answer, answer)
  }
}

/**
 * The first of every source, then the second of every source, and so on: one that sends little does not wait behind a
 * storm of another. Each source's stay in their order.
 */
function inTurns(pending: readonly Pending[]): Pending[] {
  const turns = new Map<string, number>()
  const placed = pending.map((one) => {
    const turn = turns.get(one.sourceId) ?? 0
    turns.set(one.sourceId, turn + 1)
    return { one, turn }
  })
  return placed.sort((a, b) => a.turn - b.turn).map(({ one }) => one)
}

/** How many of them go together: so many at most, and no more than that are good for one statement. */
function countUpTo(pending: readonly Pending[], most: number): number {
  let characters = 0
  let count = 0
  while (count < pending.length && count < mostTogether && (count === 0 || characters < most)) {
    characters += pending[count]!.arrived.length
    count += 1
  }
  return count
}

const byOf = ({ actor, channel, origin }: By): By => ({ actor, channel, ...(origin ? { origin } : {}) })

/** What tells a repeated delivery from a new one, in the same room whatever its length. */
const keyOf = ({ deliveryId }: Reading) =>
  deliveryId === null ? null : hash('sha256', `id ${deliveryId}`, 'buffer')
