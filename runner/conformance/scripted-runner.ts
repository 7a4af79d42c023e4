import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { rawKey } from '@signalbox/contract/dsse.ts'
import { hashOfToken, signEnrolment } from '@signalbox/contract/runner/enrolment.ts'
import {
  type Challenged,
  type Isolation,
  type Order,
  protocolVersion,
  type Registered,
  relayFeature,
  sessionHeader,
} from '@signalbox/contract/runner/messages.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'

export interface Reply {
  status: number
  headers: Headers
  body: Record<string, unknown>
  bytes: Buffer
}

const facts = (holds: boolean) => ({
  ...{ environmentCleared: holds, descendantsReaped: holds, writesOutsideBlocked: holds },
  ...{ deniedPathsBlocked: holds, secretsUnreadable: holds, networkOnlyToGateway: holds },
})

/** What it says of its box. */
export const isolationOf: Record<'box' | 'none', Isolation> = {
  box: { backend: 'bubblewrap', version: '0.8.0', ...facts(true) },
  none: { backend: null, version: null, ...facts(false) },
}

/** A runner that does exactly what it is told to, right or wrong, to see what a server makes of it. */
export class ScriptedRunner {
  readonly url: string
  readonly token: string
  readonly instance: string = randomUUID()
  boot: string = randomUUID()
  /** What the instance belongs to, or what is to be tried instead. */
  key: KeyObject = generateKeyPairSync('ed25519').privateKey
  session: number | null = null

  constructor(url: string, token: string) {
    this.url = trimEnd(url, '/')
    this.token = token
  }

  async call(
    path: string,
    message: unknown,
    { method = 'POST', token = this.token, gzip = false, bytes, prefer }: CallOptions = {},
  ): Promise<Reply> {
    const text = JSON.stringify(message)
    const body = bytes ?? (gzip ? gzipSync(text) : text)
    const response = await fetch(`${this.url}/runner/v1/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': bytes ? 'application/octet-stream' : 'application/json',
        'signalbox-runner': '1.0.0',
        ...(gzip ? { 'content-encoding': 'gzip' } : {}),
        ...(prefer ? { prefer } : {}),
        ...(this.session === null ? {} : { [sessionHeader]: `${this.session}` }),
      },
      ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      signal: AbortSignal.timeout(120_000),
    })
    const received = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body: parsed(received), bytes: received }
  }

  /** Asks what is to be signed, and signs it. */
  async proof(): Promise<{ challenge: string; signature: string }> {
    const { instance, boot } = this
    const { body } = await this.call('challenge', { instance, boot })
    const challenge = `${(body as Partial<Challenged>).challenge}`
    const tokenHash = hashOfToken(this.token)
    const said = { challenge, instance, boot, evidenceKey: rawKey(this.key), tokenHash }
    return { challenge, signature: signEnrolment(said, this.key) }
  }

  /** What the server tells everyone who has a token, as often as it likes to be asked. */
  async look(path: string): Promise<Reply> {
    const response = await fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${this.token}` } })
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after') ?? 5)
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
      return this.look(path)
    }
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body: parsed(bytes), bytes }
  }

  async register(more: Record<string, unknown> = {}): Promise<Reply> {
    const told = await this.call('register', {
      ...('proof' in more ? {} : { proof: await this.proof() }),
      instance: this.instance,
      boot: this.boot,
      name: 'conformance kit',
      version: '1.0.0',
      protocol: { least: protocolVersion, most: protocolVersion },
      features: [relayFeature],
      os: 'linux',
      arch: 'x64',
      slots: 1,
      labels: [],
      executors: [{ name: 'scripted', via: 'scripted', version: null }],
      isolation: isolationOf.box,
      evidenceKey: rawKey(this.key),
      holds: [],
      ...more,
    })
    if (told.status === 200) this.session = (told.body as Partial<Registered>).session ?? null
    return told
  }

  acquire(ask: string): Promise<Reply> {
    return this.call('acquire', { ask, free: 1 })
  }

  beat(...orders: { run: string; fence: number }[]): Promise<Reply> {
    const pulses = orders.map(({ run, fence }) => ({
      run,
      fence,
      phase: 'working',
      lastEventAt: null,
      reportNext: 1,
      logNext: 1,
      spentMicros: 0,
    }))
    return this.call('beat', { orders: pulses, free: 0, diskFree: null, drains: false })
  }

  report(
    order: Pick<Order, 'run' | 'fence'>,
    ...reports: [number, Record<string, unknown>][]
  ): Promise<Reply> {
    return this.call(`${under(order)}/reports`, {
      reports: reports.map(([number, event]) => ({ number, event })),
    })
  }

  log(order: Pick<Order, 'run' | 'fence'>, number: number, ...lines: string[]): Promise<Reply> {
    return this.call(`${under(order)}/log`, { number, lines }, { gzip: true })
  }

  keep(order: Pick<Order, 'run' | 'fence'>, bytes: Buffer, sha256 = hashOf(bytes)): Promise<Reply> {
    return this.call(`${under(order)}/files/${sha256}`, null, { method: 'PUT', bytes })
  }

  fetchFile(order: Pick<Order, 'run' | 'fence'>, sha256: string): Promise<Reply> {
    return this.call(`${under(order)}/files/${sha256}`, null, { method: 'GET' })
  }
}

interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT'
  token?: string
  gzip?: boolean
  bytes?: Buffer
  prefer?: string
}

const under = ({ run, fence }: { run: string; fence: number }) => `orders/${run}/${fence}`

export const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString()) ?? {}
  } catch {
    return {}
  }
}
