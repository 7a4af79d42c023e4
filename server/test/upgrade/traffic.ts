import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeProcess } from './node-process.ts'

interface Source {
  path: string
  secret: string
}

export interface Accepted {
  deliveryId: string
  fingerprint: string
  by: string
}

interface Pending {
  data: { key: string }[]
}

interface Asked {
  decision: { options: { id: string }[] }
}

/** A workspace in use: senders, people who answer, on whichever node has its turn. */
export class Traffic {
  /** Those that take requests; the test changes it. */
  readonly nodes: NodeProcess[]
  readonly accepted: Accepted[] = []
  /** Each decision with the node that took its answer. */
  readonly answered = new Map<string, string>()
  /** Incidents that were opened, each of which asks something. */
  opened = 0
  /** Requests that a node which was stopping has broken off; they were made again. */
  brokenOff = 0
  /** What went wrong otherwise: nothing should. */
  readonly failures: string[] = []
  readonly #cookies = new Map<string, string>()
  readonly #ending: Promise<unknown>[] = []
  #source!: Source
  #turn = 0
  #hasStopped = false

  constructor(nodes: NodeProcess[]) {
    this.nodes = nodes
  }

  /** Founds the workspace, as its first owner does. */
  async prepare(code: string): Promise<void> {
    const person = { email: 'ada@example.com', password: 'a password of some length' }
    const workspace = { name: 'Acme', slug: 'acme' }
    await this.#post('/api/setup', { code, name: 'Ada Example', ...person, workspace })
    this.#cookies.clear()
    await this.#post('/api/auth/sign-in/email', person)
    await this.write('teams.create', { name: 'Web', slug: 'web', keyPrefix: 'WEB', preset: 'balanced' })
    this.#source = await this.#aSource('calm')
  }

  begin(senders = 4): void {
    for (let n = 0; n < senders; n += 1) this.#repeat(() => this.#sendOne())
    this.#repeat(() => this.#openOne())
    this.#repeat(() => this.#answerAll())
  }

  /** Ends the senders, then waits until everything that was asked is answered. */
  async end(): Promise<void> {
    this.#hasStopped = true
    await Promise.all(this.#ending)
  }

  async answerTheRest(): Promise<number> {
    await this.#answerAll()
    return this.answered.size
  }

  write = <T>(operation: string, input: unknown): Promise<T> => this.#post(`/api/w/acme/${operation}`, input)

  #repeat(work: () => Promise<void>): void {
    const working = async () => {
      while (!this.#hasStopped) await work().catch((error: Error) => this.#fail(error))
    }
    this.#ending.push(working())
  }

  #fail(error: Error): Promise<void> {
    this.failures.push(`${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`)
    return sleep(50)
  }

  async #aSource(name: string): Promise<Source> {
    const service = await this.write<{ id: string }>('services.create', { name, team: 'web' })
    const source = await this.write<{ url: string; secret: string }>('sources.add', {
      ...{ kind: 'generic', name },
      services: [service.id],
    })
    return { path: new URL(source.url).pathname, secret: source.secret }
  }

  async #sendOne(): Promise<void> {
    await this.#deliver(this.#source, { title: 'Slow', severity: 'info' })
  }

  /** On a service of its own, so that each is another incident. */
  async #openOne(): Promise<void> {
    const source = await this.#aSource(`service-${this.opened}`)
    await this.#deliver(source, {
      ...{ title: 'No space left on device', status: 'firing', severity: 'critical' },
      description: 'write failed: no space left on device on /var/lib/orders',
    })
    this.opened += 1
    await sleep(200)
  }

  async #deliver(source: Source, alert: Record<string, string>): Promise<void> {
    const fingerprint = randomUUID()
    const body = JSON.stringify({ ...alert, fingerprint })
    const signature = createHmac('sha256', source.secret).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` }
    const { response, node } = await this.#ask(source.path, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 202)
      throw new Error(`${node.name} refused a delivery: ${response.status} ${text}`)
    this.accepted.push({ deliveryId: JSON.parse(text).deliveryId, fingerprint, by: node.name })
  }

  async #answerAll(): Promise<void> {
    const { data } = await this.#get<Pending>('decisions.list?status=pending')
    for (const { key } of data) {
      const { decision } = await this.#get<Asked>(`decisions.read?key=${key}`)
      const body = JSON.stringify({ key, optionId: decision.options.at(-1)!.id, note: 'Seen.' })
      const { response, node } = await this.#ask('/api/w/acme/decisions.resolve', this.#init(body))
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${node.name}, ${key}: ${response.status} ${text}`)
      if (this.answered.has(key)) throw new Error(`${key} was answered twice`)
      this.answered.set(key, node.name)
    }
    await sleep(100)
  }

  async #get<T>(operation: string): Promise<T> {
    const { response } = await this.#ask(`/api/w/acme/${operation}`, this.#init())
    if (response.status !== 200) throw new Error(`${operation}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  async #post<T>(path: string, input: unknown): Promise<T> {
    const { response, node } = await this.#ask(path, this.#init(JSON.stringify(input)))
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      this.#cookies.set(name!, value!)
    }
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${node.name}, ${path}: ${response.status} ${text}`)
    return text === '' ? (null as T) : JSON.parse(text)
  }

  #init(body?: string): RequestInit {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    return body === undefined
      ? { headers: { cookie } }
      : { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body }
  }

  /** As a client behind a load balancer: a connection that breaks off because its node stops is made to another. */
  async #ask(path: string, init: RequestInit): Promise<{ response: Response; node: NodeProcess }> {
    for (;;) {
      this.#turn += 1
      const node = this.nodes[this.#turn % this.nodes.length]!
      const headers = { ...(init.headers as Record<string, string>), origin: node.url }
      try {
        return { node, response: await fetch(node.url + path, { ...init, headers }) }
      } catch (error) {
        if (!node.isStopping) throw error
        this.brokenOff += 1
      }
    }
  }
}
