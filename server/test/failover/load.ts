import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decision } from '@signalbox/contract/decision.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { TestRunner } from '../engine/runner.ts'
import { Pulse } from './pulse.ts'

export interface Place {
  team: string
  stories: string[]
  source: { token: string; secret: string }
  /** Of the person whose agents ask, of the one who answers, and of the runners. */
  tokens: { agent: string; person: string; runner: string }
}

interface Asked {
  decision: string
  status: string
  answer: { optionId: string } | null
}

export const askers = 4
/** How soon a client tries again that was refused or cut off. */
const againMs = 100
/** A client gives up on a request that was not answered by then, and makes it again. */
const patienceMs = 15_000
const options = [
  { id: 'left', label: 'Left' },
  { id: 'right', label: 'Right' },
]

/**
 * What an installation is asked while its database fails over. Everything carries an identity of its own and is
 * sent until it is acknowledged, as senders, clients and runners do; what was acknowledged is counted at the end.
 */
export class Load {
  readonly alerts = new Pulse('alerts')
  readonly answers = new Pulse('answers')
  readonly reports = new Pulse('runner')
  /** Calls that do not wait, and those that wait for a person. */
  readonly calls = new Pulse('MCP call')
  readonly waits = new Pulse('MCP wait')
  readonly pulses = [this.alerts, this.answers, this.reports, this.calls, this.waits]
  /** Those that wait for the database alone, and not for a person as well. */
  readonly direct = [this.alerts, this.answers, this.reports, this.calls]

  /** What was acknowledged: the delivery of each fingerprint, the answer to each decision, … */
  readonly delivered = new Map<string, string>()
  readonly answered = new Map<string, string>()
  /** … the reports of each order that said what something cost, by run and fence, … */
  readonly reported = new Map<string, Set<number>>()
  /** … and what agents were told about their questions. */
  readonly asked = new Map<string, { decision: string; optionId: string }>()
  /** Responses that are neither what was asked for nor a request to come again. */
  readonly unexpected: string[] = []

  readonly #url: string
  readonly #place: Place
  readonly #answeredAt = new Map<string, number>()
  /** When agents were told, and how long after the person's answer was acknowledged. */
  readonly #told: { at: number; lateMs: number }[] = []
  readonly #ending: Promise<void>[] = []
  #isOver = false

  constructor(url: string, place: Place) {
    this.#url = url
    this.#place = place
  }

  begin(): void {
    const times = (count: number, work: (n: number) => Promise<void>) => {
      for (let n = 0; n < count; n += 1) this.#ending.push(work(n))
    }
    times(3, () => this.#sendAlerts())
    times(2, (n) => this.#answer(n, 2))
    times(askers, (n) => this.#ask(n))
    times(1, () => this.#call())
    times(2, (n) => this.#work(n))
  }

  /** Returns when everything that was begun has been acknowledged. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#ending)
  }

  /** The longest that an agent waited for an answer that had been given. */
  slowestToldSince(moment: number): number {
    return Math.max(0, ...this.#told.filter(({ at }) => at > moment).map(({ lateMs }) => lateMs))
  }

  async #sendAlerts(): Promise<void> {
    const { token, secret } = this.#place.source
    while (!this.#isOver) {
      const fingerprint = randomUUID()
      const body = JSON.stringify({ title: 'Queue is growing', severity: 'info', fingerprint })
      // The time is signed with the body: the same delivery, sent again, is recognised.
      const sentAt = String(Math.floor(Date.now() / 1000))
      const signature = createHmac('sha256', secret).update(`${sentAt}.${body}`).digest('hex')
      const headers = {
        ...{ 'content-type': 'application/json', 'x-service-timestamp': sentAt },
        'x-service-signature': `sha256=${signature}`,
      }
      const { deliveryId } = await this.#until<{ deliveryId: string }>(202, `/signals/${token}`, {
        ...{ method: 'POST', headers, body },
      })
      this.alerts.beat()
      this.delivered.set(fingerprint, deliveryId)
      await sleep(50)
    }
  }

  /** Each of several people answers a share of what waits. */
  async #answer(share: number, of: number): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.#place.tokens.person}`,
      'content-type': 'application/json',
    }
    while (!this.#isOver || this.#isAsking > 0) {
      const { data } = await this.#until<{ data: Decision[] }>(
        ...([200, '/v1/decisions?status=pending&limit=50', { headers }] as const),
      )
      const mine = data.filter(
        ({ key, kind }) => kind === 'clarification' && key.charCodeAt(key.length - 1) % of === share,
      )
      for (const { key, options } of mine) {
        const optionId = options[Math.floor(Math.random() * options.length)]!.id
        await this.#until(200, `/v1/decisions/${key}/resolve`, {
          ...{ method: 'POST', headers: { ...headers, 'idempotency-key': randomUUID() } },
          body: JSON.stringify({ optionId, note: 'Seen.' }),
        })
        this.answers.beat()
        this.answered.set(key, optionId)
        this.#answeredAt.set(key, performance.now())
        await sleep(150)
      }
      await sleep(50)
    }
  }

  #isAsking = 0

  /** An agent that asks and waits for the answer. What breaks off is asked again, in the same words. */
  async #ask(n: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const question = `Which way at crossing ${n}.${turn}?`
      const story = this.#place.stories[n]!
      this.#isAsking += 1
      let said: Asked
      do {
        said = await this.#tool<Asked>('request_human_input', {
          ...{ story, question, options, recommendation: 'left', waitSeconds: 10 },
        })
      } while (said.status === 'pending')
      this.#isAsking -= 1
      this.waits.beat()
      this.asked.set(question, { decision: said.decision, optionId: said.answer?.optionId ?? said.status })
      const at = performance.now()
      this.#told.push({ at, lateMs: at - (this.#answeredAt.get(said.decision) ?? at) })
    }
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      await this.#tool('get_story', { story: this.#place.stories[0]! })
      this.calls.beat()
      await sleep(100)
    }
  }

  async #tool<T>(name: string, given: object): Promise<T> {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
    for (;;) {
      const text = await this.#until<string>(200, '/mcp', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#place.tokens.agent}`,
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        },
        body: JSON.stringify(request),
      })
      const lines = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line!))
      const { result } = lines.find((line) => 'result' in line) ?? {}
      if (result && !result.isError) return result.structuredContent
      const code = result?.structuredContent?.error?.code
      if (result && code !== 'service_unavailable') this.unexpected.push(`${name}: ${JSON.stringify(result)}`)
      await sleep(againMs)
    }
  }

  /** A runner that takes orders, says what each costs, and gives it up. */
  async #work(n: number): Promise<void> {
    const runner = new TestRunner(this.#url, this.#place.tokens.runner, { name: `builder-${n}`, slots: 1 })
    await this.#insist(() => runner.register())
    while (!this.#isOver) {
      const ask = randomUUID()
      const order = await this.#insist(() => runner.acquire(ask, 2))
      if (order) await this.#workOn(runner, order)
    }
  }

  async #workOn(runner: TestRunner, order: Order): Promise<void> {
    const taken = new Set<number>()
    this.reported.set(`${order.run} ${order.fence}`, taken)
    let number = 1
    const report = async (event: Parameters<TestRunner['report']>[1][1]) => {
      await this.#insist(async () => {
        const response = await runner.report(order, [number, event])
        const text = await response.text()
        if (response.status !== 200) throw new Error(`reports: ${response.status} ${text}`)
      })
      this.reports.beat()
      if (event.type === 'usage') taken.add(number)
      number += 1
    }
    for (let n = 0; n < 100 && !this.#isOver; n += 1) {
      await report({ type: 'usage', amount: 0.0001, currency: 'EUR' })
      await sleep(50)
    }
    await report({ type: 'failed', failureClass: 'persistent', error: 'Given up on purpose.' })
  }

  async #insist<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await Promise.race([work(), tooLate()])
      } catch (error) {
        const { message } = error as Error
        const status = /: (\d{3}) /.exec(message)?.[1]
        if (status !== undefined && status !== '503' && status !== '502') this.#wonder(message)
        await sleep(againMs)
      }
    }
  }

  async #until<T>(wanted: number, path: string, init: RequestInit): Promise<T> {
    for (;;) {
      try {
        const response = await fetch(this.#url + path, { ...init, signal: AbortSignal.timeout(patienceMs) })
        const text = await response.text()
        if (response.status === wanted) return path === '/mcp' ? (text as T) : (JSON.parse(text) as T)
        if (![502, 503, 504].includes(response.status))
          this.#wonder(`${path.replace(/\/signals.*/, '/signals')}: ${response.status} ${text}`)
      } catch {
        // Cut off, or too late: it may have been done, and is asked for again.
      }
      await sleep(againMs)
    }
  }

  #wonder(what: string): void {
    if (this.unexpected.length < 100) this.unexpected.push(what)
  }
}

const tooLate = () =>
  sleep(patienceMs, undefined, { ref: false }).then(() => Promise.reject(new Error('Not answered in time.')))
