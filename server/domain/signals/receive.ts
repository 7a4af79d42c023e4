import { createHash } from 'node:crypto'
import type { Clock } from '../../infra/clock.ts'
import type { Db } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Queue } from '../../infra/jobs/queue.ts'
import { changeTogether } from '../audit/change.ts'
import { lacksMonth, prepareMonths } from '../audit/prepare-months.ts'
import type { Context } from '../context.ts'
import type { Reading } from '../senders/reading/reading.ts'
import type { KnownSource } from './known-source.ts'
import { prepareDeliveryMonths } from './prepare-months.ts'
import { type AcceptedDelivery, insertDeliveriesOfAllWorkspaces } from './store.ts'

export interface Received {
  /** The same for a delivery that arrives twice. */
  deliveryId: string
  /** How many alerts were understood in it. */
  accepted: number
}

/** Who is told of as the actor. */
type By = Pick<Context, 'actor' | 'channel' | 'origin'>

const theIntake: By = { actor: { type: 'system', name: 'alert intake' }, channel: 'intake' }

interface Pending {
  source: KnownSource
  by: By
  delivery: AcceptedDelivery
  resolve: (received: Received) => void
  reject: (error: Error) => void
}

const mostTogether = 500
const mostListed = 5
const lanes = 2

/**
 * Takes deliveries whose proof was right. Those that arrive while the last ones are being written are written together,
 * in one commit: the more arrive, the less each costs. Whoever calls hears of it after that commit, never before.
 */
export class Receiver {
  readonly #base: { db: Db; clock: Clock; queue: Queue }
  readonly #onWritten: (workspaceId: string) => void
  #pending: Pending[] = []
  /** Batches that are being written. While one waits for the disk, another is put together. */
  readonly #writing = new Set<Promise<void>>()

  /** `onWritten` hears of workspaces in which something waits. It may be lost with this process: the sweeper looks. */
  constructor(base: { db: Db; clock: Clock; queue: Queue; onWritten: (workspaceId: string) => void }) {
    const { onWritten, ...rest } = base
    this.#base = rest
    this.#onWritten = onWritten
  }

  /** A person who sends a test has it recorded under their own name. */
  receive(source: KnownSource, reading: Reading, tester?: By): Promise<Received> {
    const by = tester ?? theIntake
    const receivedAt = this.#base.clock.now()
    const delivery: AcceptedDelivery = {
      id: newId(receivedAt),
      workspaceId: source.workspaceId,
      sourceId: source.id,
      key: keyOf(reading),
      receivedAt,
      alerts: reading.alerts,
      test: reading.test || tester !== undefined,
      problem: source.paused ? 'The source is paused.' : reading.problem,
      handshake: reading.handshake,
      waits: !source.paused && (reading.handshake !== null || (!reading.test && reading.alerts.length > 0)),
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ source, by, delivery, resolve, reject })
      if (this.#writing.size < lanes) this.#writeSoon()
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#writing)
  }

  /** At the end of this turn, so that everything that arrived in it goes together. */
  #writeSoon(): void {
    const writing = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#writeAll())
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, mostTogether)
      try {
        await this.#writeInItsMonth(batch)
      } catch (error) {
        await this.#writeApart(batch, error as Error)
      }
    }
  }

  /** Some senders never try again, so a clock that went far ahead must not cost them an alert. */
  async #writeInItsMonth(batch: Pending[]): Promise<void> {
    try {
      await this.#write(batch)
    } catch (error) {
      if (!lacksMonth(error)) throw error
      const { db, clock } = this.#base
      await prepareMonths(db, clock)
      await prepareDeliveryMonths(db, clock)
      await this.#write(batch)
    }
  }

  /** One that cannot be written must not take the others with it. When the database is away, nothing is tried again. */
  async #writeApart(batch: Pending[], error: Error): Promise<void> {
    const isOurs = /^2[23]/.test((error as { code?: string }).code ?? '')
    for (const one of batch) {
      if (!isOurs || batch.length === 1) one.reject(error)
      else await this.#write([one]).catch(one.reject)
    }
  }

  async #write(batch: Pending[]): Promise<void> {
    const ids = await changeTogether(this.#base, async (tx) => {
      const written = await insertDeliveriesOfAllWorkspaces(
        tx,
        batch.map(({ delivery }) => delivery),
      )
      const fresh = batch.filter(({ delivery }) => idOf(delivery, written) === delivery.id)
      return { value: written, audit: fresh.map((one) => this.#entryOf(one)) }
    })
    for (const { delivery, resolve } of batch) {
      resolve({ deliveryId: idOf(delivery, ids), accepted: delivery.alerts.length })
      if (delivery.waits) this.#onWritten(delivery.workspaceId)
    }
  }

  #entryOf({ source, by, delivery }: Pending) {
    const { actor, channel, origin } = by
    const ctx: Context = {
      ...this.#base,
      workspaceId: source.workspaceId,
      actor,
      channel,
      ...(origin ? { origin } : {}),
    }
    return {
      ctx,
      entry: {
        event: 'signal_received',
        entity: { type: 'signal_source', id: source.id, name: source.name },
        details: {
          kind: source.kind,
          delivery: delivery.id,
          alerts: delivery.alerts.length,
          // What it was understood to say; of a long delivery, its beginning.
          told: delivery.alerts
            .slice(0, mostListed)
            .map(({ title, status, severity }) => ({ title: title.slice(0, 120), status, severity })),
          ...(delivery.test ? { test: true as const } : {}),
          ...(delivery.problem ? { problem: delivery.problem } : {}),
          ...(delivery.handshake ? { handshake: delivery.handshake.type } : {}),
        },
      } as const,
    }
  }
}

/** What tells a repeated delivery from a new one, in the same room whatever its length. */
const keyOf = ({ deliveryId }: Reading) =>
  deliveryId === null ? null : createHash('sha256').update(`id ${deliveryId}`).digest()

const idOf = ({ id }: AcceptedDelivery, known: ReadonlyMap<string, string>) => known.get(id) ?? id
