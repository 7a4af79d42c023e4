import { createHash } from 'node:crypto'
import type { Clock } from '../../infra/clock.ts'
import { type DoubleAnswer, type DoubleRequest, pageOf } from './double.ts'
import { type GithubDouble, notFound } from './github.ts'
import { commentOf, issueOf, labelOf, type ShownIssue } from './github-shapes.ts'

interface StoredIssue
  extends Pick<ShownIssue, 'id' | 'number' | 'title' | 'body' | 'state' | 'state_reason' | 'created_at'> {
  labels: { name: string }[]
  user: { login: string }
  updated_at: string
  closed_at: string | null
  pull_request?: object
  comments: { id: number; body: string; user: { login: string }; at: string }[]
  /** Where it was transferred to, or that it was deleted. */
  gone?: { movedTo: string } | 'deleted'
}

interface Edit extends Partial<Pick<StoredIssue, 'title' | 'body' | 'state' | 'state_reason' | 'gone'>> {
  labels?: string[]
}

/** The issues of one repository, as GitHub's REST API has them: pages, ETags, redirects and refusals. */
export class GithubIssues {
  readonly issues = new Map<number, StoredIssue>()
  /** Called on every change, no matter who made it: webhooks and pages follow from it. */
  changed: (number: number, action: 'opened' | 'edited') => void = () => {}
  readonly #labels = new Set(['bug'])
  readonly #blocked: { number: number; by: number }[] = []
  readonly #double: GithubDouble
  readonly #repository: string
  readonly #clock: Clock

  constructor(double: GithubDouble, repository: string, clock: Clock) {
    this.#double = double
    this.#repository = repository
    this.#clock = clock
    const on = (method: string, rest: string, handler: (request: DoubleRequest) => DoubleAnswer) =>
      double.on(method, new RegExp(`^(?:/api/v3)?/repos/${repository}${rest}$`), handler)
    on('GET', '/labels', ({ query }) => ({
      json: pageOf([...this.#labels], query).map((name) =>
        labelOf(`${double.url}/repos/${repository}`, name),
      ),
    }))
    on('GET', '/issues', (request) => this.#list(request))
    on('POST', '/issues', (request) => this.#create(request))
    on('GET', '/issues/(\\d+)', (request) =>
      this.#found(request, (issue) => ({ json: this.#rendered(issue) })),
    )
    on('PATCH', '/issues/(\\d+)', (request) =>
      this.#found(request, (issue) => this.#change(issue, request.body)),
    )
    on('GET', '/issues/(\\d+)/dependencies/blocked_by', (request) =>
      this.#found(request, (issue) => ({
        json: pageOf(this.#blockersOf(issue.number), request.query).map((one) => this.#rendered(one)),
      })),
    )
    on('GET', '/issues/(\\d+)/comments', (request) =>
      this.#found(request, (issue) => ({
        json: pageOf(issue.comments, request.query).map((one) => this.#comment(issue, one)),
      })),
    )
    on('POST', '/issues/(\\d+)/comments', (request) =>
      this.#found(request, (issue) => {
        const comment = {
          id: double.nextId(),
          body: `${request.body.body}`,
          user: { login: this.#login(request) },
          at: this.#seconds(),
        }
        issue.comments.push(comment)
        this.#touch(issue)
        return { status: 201, json: this.#comment(issue, comment) }
      }),
    )
    on('PATCH', '/issues/comments/(\\d+)', ({ params: [id], body }) => {
      for (const issue of this.issues.values()) {
        const comment = issue.comments.find((one) => `${one.id}` === id)
        if (!comment) continue
        comment.body = body.body
        this.#touch(issue)
        return { json: this.#comment(issue, comment) }
      }
      return notFound
    })
  }

  /** What a person does over there. */
  open({ by = 'ada', ...given }: { title: string; body?: string; labels?: string[]; by?: string }): number {
    return this.#make({ ...given, by }).number
  }

  edit(number: number, { labels, ...changes }: Edit): void {
    const issue = this.issues.get(number)!
    Object.assign(issue, changes)
    if (changes.state === 'closed') {
      issue.state_reason = changes.state_reason ?? 'completed'
      issue.closed_at = this.#seconds()
    }
    if (labels) this.#label(issue, labels)
    this.#touch(issue)
  }

  get(number: number): StoredIssue {
    return this.issues.get(number)!
  }

  labelsOf(number: number): string[] {
    return this.get(number).labels.map(({ name }) => name)
  }

  /** What a webhook brings about an issue; it says little, and what it says may be old. */
  delivery(number: number, action = 'edited') {
    const title = this.issues.get(number)?.title ?? 'It is gone'
    return {
      event: 'issues',
      body: { action, issue: { number, title }, repository: { full_name: this.#repository } },
    }
  }

  #seconds(): string {
    return `${this.#clock.now().toISOString().slice(0, 19)}Z`
  }

  #touch(issue: StoredIssue): void {
    issue.updated_at = this.#seconds()
    this.changed(issue.number, 'edited')
  }

  #login(request: DoubleRequest): string {
    return this.#double.tokenOf(request)!.login
  }

  #label(issue: StoredIssue, names: string[]): void {
    for (const name of names) this.#labels.add(name)
    issue.labels = names.map((name) => ({ name }))
  }

  #make(given: { title: string; body?: string | null; labels?: string[]; by: string }): StoredIssue {
    const at = this.#seconds()
    const issue: StoredIssue = {
      id: this.#double.nextId(),
      number: this.issues.size + 1,
      title: given.title,
      body: given.body ?? null,
      state: 'open',
      state_reason: null,
      labels: [],
      user: { login: given.by },
      created_at: at,
      updated_at: at,
      closed_at: null,
      comments: [],
    }
    this.#label(issue, given.labels ?? [])
    this.issues.set(issue.number, issue)
    this.changed(issue.number, 'opened')
    return issue
  }

  #rendered({ comments, gone: _, labels, user, pull_request: pull, ...issue }: StoredIssue) {
    const blocking = this.#blocked.filter(({ by }) => by === issue.number).length
    return issueOf(this.#double.url, this.#repository, {
      ...{ ...issue, comments: comments.length, login: user.login, isPull: pull !== undefined },
      labels: labels.map(({ name }) => name),
      summary: {
        blocked_by: this.#blockersOf(issue.number).filter(({ state }) => state === 'open').length,
        total_blocked_by: this.#blockersOf(issue.number).length,
        ...{ blocking, total_blocking: blocking },
      },
    })
  }

  #comment({ number }: StoredIssue, { user, ...comment }: StoredIssue['comments'][number]) {
    const issue = `${this.#double.url}/repos/${this.#repository}/issues/${number}`
    return commentOf(this.#double.url, issue, { ...comment, login: user.login })
  }

  #found({ params: [number] }: DoubleRequest, answer: (issue: StoredIssue) => DoubleAnswer): DoubleAnswer {
    const issue = this.issues.get(Number(number))
    if (!issue) return notFound
    if (issue.gone === 'deleted') return { status: 410, json: { message: 'This issue was deleted' } }
    if (issue.gone)
      return {
        status: 301,
        headers: { location: `/repos/${issue.gone.movedTo}` },
        json: { message: 'Moved Permanently' },
      }
    return answer(issue)
  }

  #create(request: DoubleRequest): DoubleAnswer {
    const { title, body, labels } = request.body ?? {}
    if (typeof title !== 'string' || title === '')
      return {
        status: 422,
        json: { message: 'Validation Failed', errors: [{ field: 'title', code: 'missing_field' }] },
      }
    const made = this.#make({ title, body, labels, by: this.#login(request) })
    return { status: 201, json: this.#rendered(made) }
  }

  #change(
    issue: StoredIssue,
    { title, body, state, state_reason: reason, labels }: Record<string, never>,
  ): DoubleAnswer {
    if (title !== undefined) issue.title = title
    if (body !== undefined) issue.body = body
    if (state !== undefined && state !== issue.state) {
      issue.state = state
      issue.state_reason = state === 'closed' ? (reason ?? 'completed') : 'reopened'
      issue.closed_at = state === 'closed' ? this.#seconds() : null
    }
    if (labels !== undefined) this.#label(issue, labels)
    this.#touch(issue)
    return { json: this.#rendered(issue) }
  }

  /** One issue blocks another. */
  block(number: number, by: number): void {
    this.#blocked.push({ number, by })
  }

  #blockersOf(number: number): StoredIssue[] {
    return this.#blocked.filter((one) => one.number === number).map(({ by }) => this.get(by))
  }

  #list({ query, headers }: DoubleRequest): DoubleAnswer {
    const state = query.get('state') ?? 'open'
    const since = query.get('since')
    const creator = query.get('creator')
    const wanted = (query.get('labels') ?? '').split(',').filter(Boolean)
    const by = query.get('sort') === 'updated' ? 'updated_at' : 'created_at'
    const direction = query.get('direction') === 'asc' ? 1 : -1
    const all = [...this.issues.values()]
      .filter((issue) => !issue.gone && (state === 'all' || issue.state === state))
      .filter((issue) => (!since || issue.updated_at >= since) && (!creator || issue.user.login === creator))
      .filter((issue) => wanted.every((name) => issue.labels.some((label) => label.name === name)))
      // Not by language: these are dates, and there may be many.
      .sort((a, b) => direction * (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.number - b.number))
    const json = pageOf(all, query).map((issue) => this.#rendered(issue))
    const etag = `"${createHash('sha256').update(JSON.stringify(json)).digest('hex').slice(0, 32)}"`
    const said = { etag, date: this.#clock.now().toUTCString() }
    if (headers['if-none-match'] === etag) return { status: 304, headers: said }
    return { json, headers: said }
  }
}
