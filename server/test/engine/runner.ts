import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { rawKey } from '@signalbox/contract/dsse.ts'
import { hashOfToken, signEnrolment } from '@signalbox/contract/runner/enrolment.ts'
import type {
  Acquired,
  Beaten,
  Challenged,
  Isolation,
  Order,
  Register,
  Registered,
  RunnerEvent,
} from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../domain/context.ts'
import { change } from '../../domain/record/audit/change.ts'
import { tables } from '../tables.ts'

export const boxed: Isolation = {
  backend: 'bubblewrap',
  version: '0.8.0',
  environmentCleared: true,
  descendantsReaped: true,
  writesOutsideBlocked: true,
  deniedPathsBlocked: true,
  secretsUnreadable: true,
  networkOnlyToGateway: true,
}

/** The key of every runner by hand that has no other. */
export const handKey = generateKeyPairSync('ed25519').privateKey

/** The registration with its proof, as the runner that has the key and the token signs it. */
export const signed = (
  { proof: _, ...said }: Register,
  { challenge, token }: { challenge: string; token: string },
  key: KeyObject = handKey,
): Register => {
  const { instance, boot, evidenceKey } = said
  const tokenHash = hashOfToken(token)
  const signature = signEnrolment({ challenge, instance, boot, evidenceKey, tokenHash }, key)
  return { ...said, proof: { challenge, signature } }
}

export const registration = (given: Partial<Register> = {}): Register => ({
  instance: randomUUID(),
  boot: randomUUID(),
  name: 'build-1',
  version: '1.0.0',
  protocol: { least: 1, most: 1 },
  features: [],
  os: 'linux',
  arch: 'arm64',
  slots: 2,
  labels: [],
  executors: [{ name: 'scripted', via: 'scripted', version: null }],
  isolation: boxed,
  evidenceKey: rawKey(handKey),
  holds: [],
  ...given,
})

/** A team's repository, without which its work is not for runners. */
export const aRepository = (
  ctx: Context,
  team: { id: string; slug: string },
  address = '/srv/git/checkout-web.git',
): Promise<void> =>
  change(ctx, async (tx) => {
    await tables(tx)
      .insertInto('team_repositories')
      .values({
        ...{ workspace_id: ctx.workspaceId, team_id: team.id, host: 'local', branch: 'main' },
        ...{ name: 'halden/checkout-web', address },
      })
      .execute()
    return { value: undefined, audit: [] }
  })

/** A runner by hand, over HTTP: each call is made when the test says so. */
export class TestRunner {
  readonly registration: Register
  readonly #url: string
  readonly #token: string
  readonly #key: KeyObject
  session = 0
  id = ''

  constructor(url: string, token: string, given: Partial<Register> = {}, key: KeyObject = handKey) {
    this.#url = url
    this.#token = token
    this.#key = key
    this.registration = registration({ evidenceKey: rawKey(key), ...given })
  }

  call(
    path: string,
    body?: unknown,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.session ? { 'signalbox-session': String(this.session) } : {}),
      ...init.headers,
    }
    return fetch(`${this.#url}/runner/v1/${path}`, {
      method: 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
      headers,
    })
  }

  /** What it would register with, signed. */
  async signed(given: Partial<Register> = {}): Promise<Register> {
    const said = { ...this.registration, ...given }
    const { instance, boot } = said
    const response = await this.call('challenge', { instance, boot })
    if (response.status !== 200) throw new Error(`challenge: ${response.status} ${await response.text()}`)
    const { challenge } = (await response.json()) as Challenged
    return signed(said, { challenge, token: this.#token }, this.#key)
  }

  async register(given: Partial<Register> = {}): Promise<Registered> {
    const response = await this.call('register', await this.signed(given))
    if (response.status !== 200) throw new Error(`register: ${response.status} ${await response.text()}`)
    const registered = (await response.json()) as Registered
    this.session = registered.session
    this.id = registered.runner
    return registered
  }

  ask(ask: string = randomUUID(), seconds = 30): Promise<Response> {
    return this.call('acquire', { ask, free: 2 }, { headers: { prefer: `wait=${seconds}` } })
  }

  async acquire(ask?: string, seconds?: number): Promise<Order | null> {
    const response = await this.ask(ask, seconds)
    if (response.status === 204) return null
    if (response.status !== 200) throw new Error(`acquire: ${response.status} ${await response.text()}`)
    // One that knows surveys may be given one; a test that wants it says so.
    return ((await response.json()) as Acquired).order as Order
  }

  async beat(orders: { run: string; fence: number }[] = [], more: object = {}): Promise<Beaten> {
    const said = { phase: 'agent', lastEventAt: null, reportNext: 1, logNext: 1, spentMicros: 0 }
    const response = await this.call('beat', {
      orders: orders.map(({ run, fence }) => ({ run, fence, ...said })),
      ...{ free: 1, diskFree: null, drains: false, ...more },
    })
    if (response.status !== 200) throw new Error(`beat: ${response.status} ${await response.text()}`)
    return (await response.json()) as Beaten
  }

  report(
    { run, fence }: { run: string; fence: number },
    ...reports: [number, RunnerEvent][]
  ): Promise<Response> {
    return this.call(`orders/${run}/${fence}/reports`, {
      reports: reports.map(([number, event]) => ({ number, event })),
    })
  }

  file(
    { run, fence }: { run: string; fence: number },
    bytes: string | Buffer,
    sha256 = hash(bytes),
  ): Promise<Response> {
    return this.call(`orders/${run}/${fence}/files/${sha256}`, undefined, {
      ...{ method: 'PUT', body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes) },
    })
  }
}

export const hash = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
