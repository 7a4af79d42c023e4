import { Double, type DoubleAnswer, type DoubleRequest } from './double.ts'

export type PagerState = 'triggered' | 'acknowledged' | 'resolved'

/** PagerDuty and Opsgenie as far as updating alerts needs them: keys, what a key may do, and alerts with their state. */
export class PagersDouble extends Double {
  readonly keys = new Map<string, { mayWrite: boolean }>()
  readonly alerts = new Map<string, PagerState>()
  /** What was changed, in order. */
  readonly changes: string[] = []

  constructor() {
    super()
    this.guard = (request) =>
      this.#keyOf(request) ? undefined : { status: 401, json: { message: 'Could not authenticate' } }
    this.on('GET', /^\/incidents\/([^/]+)$/, ({ params: [id] }) => this.#pagerduty(id!))
    this.on('PUT', /^\/incidents\/([^/]+)$/, (request) => {
      const id = request.params[0]!
      return this.#refusal(request, id) ?? this.#changed(id, request.body.incident.status, this.#pagerduty)
    })
    this.on('POST', /^\/v2\/alerts\/([^/]+)\/(acknowledge|close)$/, (request) => {
      const [id, verb] = request.params as [string, string]
      const to = verb === 'close' ? 'resolved' : 'acknowledged'
      return this.#refusal(request, id) ?? this.#changed(id, to, () => ({ status: 202, json: {} }))
    })
  }

  #keyOf({ headers: { authorization = '' } }: DoubleRequest) {
    return this.keys.get(authorization.replace(/^(?:Token token=|GenieKey )/, ''))
  }

  #refusal(request: DoubleRequest, id: string): DoubleAnswer | undefined {
    if (!this.#keyOf(request)!.mayWrite) return { status: 403, json: { message: 'Access denied' } }
    return this.alerts.has(id) ? undefined : { status: 404, json: { message: 'Not found' } }
  }

  readonly #pagerduty = (id: string): DoubleAnswer =>
    this.alerts.has(id)
      ? { json: { incident: { id, status: this.alerts.get(id) } } }
      : { status: 404, json: { error: { message: 'Not Found' } } }

  #changed(id: string, to: PagerState, answer: (id: string) => DoubleAnswer): DoubleAnswer {
    this.alerts.set(id, to)
    this.changes.push(`${id} ${to}`)
    return answer(id)
  }
}
