import type { Role } from '@signalbox/contract/roles.ts'
import { type Actor, type Channel, type Context, theService } from '../../server/domain/context.ts'
import { change, type Entry } from '../../server/domain/record/audit/change.ts'
import type { Db, Tx } from '../../server/infra/db/db.ts'
import { silentQueue } from '../../server/infra/jobs/queue.ts'
import type { DemoActor } from '../script.ts'

/** One thing that happened: when, who, and what is done again now. */
interface Happening {
  minutesAgo: number
  actor: DemoActor
  channel: Channel
  again: (ctx: Context) => Promise<unknown>
}

interface Written extends Pick<Happening, 'minutesAgo'>, Partial<Pick<Happening, 'actor' | 'channel'>> {
  write?: (tx: Tx, at: Date) => Promise<void>
  /** Asked after the writing: ids and keys are known then. */
  audit: () => Entry
}

/**
 * What happened in one workspace. It is collected first and then played in the order of its time, with the clock set
 * to each moment, so that the demo's past is written the way its present is.
 */
export class Past {
  readonly workspaceId: string
  readonly teamIds = new Map<string, string>()
  /** By team and role, as in `checkout-web/ready`. */
  readonly columnIds = new Map<string, string>()
  readonly storyIds = new Map<string, string>()
  /** By the name that the data gives each. */
  readonly runs = new Map<string, { id: string; key: string }>()
  readonly #now: Date
  readonly #people = new Map<string, { id: string; name: string; role: Role }>()
  readonly #happenings: Happening[] = []

  constructor(workspaceId: string, now: Date) {
    this.workspaceId = workspaceId
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

  /** What a person did, through the verb that a person uses. */
  did(email: string, minutesAgo: number, again: Happening['again']): void {
    this.#happenings.push({ minutesAgo, actor: { type: 'human', email }, channel: 'app', again })
  }

  /** What no verb does, or none does in the past. The service did it unless it is said who. */
  wrote({ minutesAgo, actor = { type: 'service' }, channel, write, audit }: Written): void {
    this.#happenings.push({
      minutesAgo,
      actor,
      channel: channel ?? (actor.type === 'human' ? 'app' : 'schedule'),
      again: (ctx) =>
        change(ctx, async (tx) => {
          await write?.(tx, ctx.clock.now())
          return { value: null, audit: audit() }
        }),
    })
  }

  async play(db: Db): Promise<void> {
    for (const { minutesAgo, actor, channel, again } of this.#happenings.toSorted(
      (a, b) => b.minutesAgo - a.minutesAgo,
    )) {
      const at = this.at(minutesAgo)
      await again({
        db,
        workspaceId: this.workspaceId,
        clock: { now: () => at },
        actor: this.#actor(actor),
        channel,
        queue: silentQueue,
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
