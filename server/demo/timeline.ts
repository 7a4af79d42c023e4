import type { Role } from '@signalbox/contract/roles.ts'
import { change, type Entry } from '../domain/audit/change.ts'
import { type Actor, type Channel, type Context, theService } from '../domain/context.ts'
import type { Db, Tx } from '../infra/db/db.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import type { DemoActor } from './script.ts'

/** One thing that happened: when, who, what it wrote, what the log says of it. */
export interface Happening {
  minutesAgo: number
  actor: DemoActor
  channel: Channel
  write?: (tx: Tx, at: Date) => Promise<void>
  audit: () => Entry
}

/**
 * Plays happenings in the order of their time, each through `change` with the clock set to its moment, so that the
 * demo's past is written the way its present is.
 */
export class Timeline {
  readonly #happenings: Happening[] = []
  readonly #now: Date
  readonly #people = new Map<string, { id: string; name: string; role: Role }>()

  constructor(now: Date) {
    this.#now = now
  }

  at(minutesAgo: number): Date {
    return new Date(this.#now.getTime() - minutesAgo * 60_000)
  }

  know(email: string, person: { id: string; name: string; role: Role }): void {
    this.#people.set(email, person)
  }

  personId(email: string): string {
    return this.#person(email).id
  }

  add(happening: Happening): void {
    this.#happenings.push(happening)
  }

  async play(db: Db, workspaceId: string): Promise<void> {
    for (const happening of this.#happenings.toSorted((a, b) => b.minutesAgo - a.minutesAgo)) {
      const at = this.at(happening.minutesAgo)
      const ctx: Context = {
        db,
        workspaceId,
        clock: { now: () => at },
        actor: this.#actor(happening.actor),
        channel: happening.channel,
        queue: silentQueue,
      }
      await change(ctx, async (tx) => {
        await happening.write?.(tx, at)
        return { value: null, audit: happening.audit() }
      })
    }
  }

  #actor(actor: DemoActor): Actor {
    if (actor.type === 'service') return theService
    if (actor.type === 'system') return actor
    const { id, name, role } = this.#person(actor.email)
    return { type: 'human', name, userId: id, role }
  }

  #person(email: string) {
    const person = this.#people.get(email)
    if (!person) throw new Error(`The demo has no person ${email}.`)
    return person
  }
}
