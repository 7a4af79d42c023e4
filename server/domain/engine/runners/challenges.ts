import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { MacKeys } from '../../../infra/secrets.ts'

/** What a challenge is for: the next registration of one start of an instance. */
export interface Asked {
  workspaceId: string
  instance: string
  boot: string
  /** How often the instance has registered. */
  registrations: number
}

const goodForMs = 60_000

/**
 * What runners are asked to sign before they are let in. A challenge carries a MAC of what it is for and nothing else,
 * so that every node knows it and none keeps it. It counts the registrations of its instance: the first one that is
 * taken makes all that were given out before worthless, whatever their age.
 */
export class Challenges {
  readonly #keys: MacKeys

  constructor(keys: MacKeys) {
    this.#keys = keys
  }

  make(asked: Asked, now: Date): string {
    const until = (now.getTime() + goodForMs).toString(36)
    return `${until}.${macOf(this.#keys()[0], asked, until)}`
  }

  isFor(text: string, asked: Asked, now: Date): boolean {
    const [, until, mac] = /^([0-9a-z]{1,12})\.([\w-]{43})$/.exec(text) ?? []
    if (!until || !mac || Number.parseInt(until, 36) <= now.getTime()) return false
    const given = Buffer.from(mac)
    return this.#keys().some((key) => timingSafeEqual(given, Buffer.from(macOf(key, asked, until))))
  }
}

function macOf(key: KeyObject, { workspaceId, instance, boot, registrations }: Asked, until: string): string {
  const said = [workspaceId, instance, boot, registrations, until].join(' ')
  return createHmac('sha256', key).update(said).digest('base64url')
}
