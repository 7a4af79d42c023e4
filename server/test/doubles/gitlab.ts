import { Double, type DoubleRequest, pageOf } from './double.ts'
import {
  hookEventOf,
  hookOf,
  personOf,
  projectOf,
  type ShownHookEvent,
  type ShownProject,
} from './gitlab-shapes.ts'

export interface DoubleProject extends ShownProject {
  /** What the account may do there; 30: push. */
  access: number
}

/** GitLab, as far as connecting needs it: tokens with scopes, projects, hooks. */
export class GitlabDouble extends Double {
  readonly tokens = new Map<string, { username: string; scopes: string[] }>()
  readonly projects: DoubleProject[] = []
  readonly hooks = new Map<number, Record<string, unknown>[]>()
  /** What was sent to hooks, by hook. */
  readonly hookEvents = new Map<number, ShownHookEvent[]>()
  limit = { left: 2_000, of: 2_000 }
  lastId = 100

  constructor() {
    super()
    this.always = () => ({
      'ratelimit-limit': `${this.limit.of}`,
      'ratelimit-remaining': `${this.limit.left}`,
      'ratelimit-reset': `${Math.floor(Date.now() / 1000) + 60}`,
    })
    this.guard = (request) => {
      if (!request.path.startsWith('/api/v4/')) return undefined
      if (!this.tokenOf(request)) return { status: 401, json: { message: '401 Unauthorized' } }
      if (this.limit.left <= 0)
        return { status: 429, headers: { 'retry-after': '30' }, text: 'Retry later\n' }
      this.limit.left -= 1
      return undefined
    }
    this.on('GET', /^\/api\/v4\/user$/, (request) => ({
      json: {
        ...personOf(this.url, this.tokenOf(request)!.username, 7),
        bot: false,
        email: 'bot@example.com',
      },
    }))
    this.on('GET', /^\/api\/v4\/personal_access_tokens\/self$/, (request) => ({
      json: {
        ...{ id: 1, name: 'signalbox', active: true, revoked: false, user_id: 7 },
        scopes: this.tokenOf(request)!.scopes,
      },
    }))
    this.on('GET', /^\/api\/v4\/projects$/, ({ query }) => {
      const words = (query.get('search') ?? '').toLowerCase()
      const found = this.projects.filter(
        ({ path_with_namespace: path, access }) =>
          path.toLowerCase().includes(words) && access >= Number(query.get('min_access_level') ?? 0),
      )
      return { json: pageOf(found, query, 20).map((project) => projectOf(this.url, project)) }
    })
    this.#serveHooks()
  }

  nextId(): number {
    this.lastId += 1
    return this.lastId
  }

  addToken(token: string, { username = 'signalbox', scopes = ['api'] } = {}): void {
    this.tokens.set(token, { username, scopes })
  }

  addProject(path: string, access = 40): DoubleProject {
    const made = { id: this.nextId(), path_with_namespace: path, default_branch: 'main', access }
    this.projects.push(made)
    return made
  }

  tokenOf({ headers }: Pick<DoubleRequest, 'headers'>) {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    return this.tokens.get(bearer ?? `${headers['private-token'] ?? ''}`)
  }

  /** By its number, or by its path. */
  projectOf(id: string | undefined): DoubleProject | undefined {
    return this.projects.find((one) => `${one.id}` === id || one.path_with_namespace === id)
  }

  #serveHooks(): void {
    const of = (id: number) => this.hooks.get(id) ?? this.hooks.set(id, []).get(id)!
    const missing = { status: 404, json: { message: '404 Project Not Found' } }
    this.on('GET', /^\/api\/v4\/projects\/([^/]+)\/hooks$/, ({ params: [id] }) => {
      const project = this.projectOf(id)
      return project ? { json: of(project.id).map((hook) => hookOf(project.id, hook)) } : missing
    })
    this.on('POST', /^\/api\/v4\/projects\/([^/]+)\/hooks$/, ({ params: [id], body }) => {
      const project = this.projectOf(id)
      if (!project) return missing
      const made = { alert_status: 'executable', ...body, id: this.nextId() }
      of(project.id).push(made)
      return { status: 201, json: hookOf(project.id, made) }
    })
    this.on('PUT', /^\/api\/v4\/projects\/([^/]+)\/hooks\/(\d+)$/, ({ params: [id, hook], body }) => {
      const project = this.projectOf(id)
      const found = project && of(project.id).find((one) => `${one.id}` === hook)
      return found ? { json: hookOf(project!.id, Object.assign(found, body)) } : missing
    })
    const one = (id: string | undefined, hook: string | undefined) =>
      [...this.hooks.values()].flat().find((each) => `${each.id}` === hook && this.projectOf(id))
    const path = '^/api/v4/projects/([^/]+)/hooks/(\\d+)'
    this.on('GET', new RegExp(`${path}$`), ({ params: [id, hook] }) => {
      const found = one(id, hook)
      return found ? { json: hookOf(this.projectOf(id)!.id, found) } : missing
    })
    // A test that succeeds turns the hook on again.
    this.on('POST', new RegExp(`${path}/test/(\\w+)$`), async ({ params: [id, hook, trigger] }) => {
      const found = one(id, hook)
      if (!found) return missing
      if (trigger === 'push_events')
        return { status: 422, json: { message: 'Ensure the project has at least one commit.' } }
      const answer = await this.#ping(found)
      if (answer < 300) found.alert_status = 'executable'
      return answer < 300
        ? { status: 201, json: { message: '201 Created' } }
        : { status: 422, json: { message: `Hook executed but returned HTTP ${answer}` } }
    })
    this.on('GET', new RegExp(`${path}/events$`), ({ params: [id, hook], query }) => {
      const found = one(id, hook)
      if (!found) return missing
      // Of these there are no longer pages.
      if (Number(query.get('per_page') ?? 20) > 20)
        return { status: 400, json: { error: 'per_page does not have a valid value' } }
      const events = pageOf(this.hookEvents.get(Number(hook)) ?? [], query, 20)
      return { json: events.map((event) => hookEventOf(`${found.url}`, event)) }
    })
    this.on('POST', new RegExp(`${path}/events/(\\d+)/resend$`), async ({ params: [id, hook, event] }) => {
      const found = one(id, hook)
      const sent = this.hookEvents.get(Number(hook))?.find((each) => `${each.id}` === event)
      if (!found || !sent) return missing
      const status = await this.#ping(found)
      this.hookEvents.get(Number(hook))!.unshift({
        ...{ id: this.nextId(), created_at: new Date().toISOString(), response_status: `${status}` },
      })
      return { status: 201, json: { response_status: status } }
    })
  }

  async #ping(hook: Record<string, unknown>): Promise<number> {
    const answer = await fetch(`${hook.url}`, {
      ...{ method: 'POST', body: JSON.stringify({ object_kind: 'issue', project: { id: 1 } }) },
      headers: {
        ...{ 'content-type': 'application/json', 'x-gitlab-event': 'Issue Hook' },
        ...{ 'x-gitlab-token': `${hook.token}`, 'idempotency-key': `${this.nextId()}` },
      },
    }).catch(() => null)
    return answer?.status ?? 502
  }
}
