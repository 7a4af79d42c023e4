import { Double, type DoubleRequest, pageOf } from './double.ts'

export interface DoubleProject {
  id: number
  path_with_namespace: string
  default_branch: string
}

/** GitLab, as far as connecting needs it: tokens with scopes, projects, hooks. */
export class GitlabDouble extends Double {
  readonly tokens = new Map<string, { username: string; scopes: string[] }>()
  readonly projects: DoubleProject[] = []
  readonly hooks = new Map<number, Record<string, unknown>[]>()
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
      json: { id: 7, username: this.tokenOf(request)!.username },
    }))
    this.on('GET', /^\/api\/v4\/personal_access_tokens\/self$/, (request) => ({
      json: { id: 1, active: true, scopes: this.tokenOf(request)!.scopes },
    }))
    this.on('GET', /^\/api\/v4\/projects$/, ({ query }) => {
      const words = (query.get('search') ?? '').toLowerCase()
      const found = this.projects.filter((one) => one.path_with_namespace.toLowerCase().includes(words))
      return { json: pageOf(found, query, 20).map((project) => this.rendered(project)) }
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

  addProject(path: string): DoubleProject {
    const made = { id: this.nextId(), path_with_namespace: path, default_branch: 'main' }
    this.projects.push(made)
    return made
  }

  tokenOf({ headers }: Pick<DoubleRequest, 'headers'>) {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    return this.tokens.get(bearer ?? `${headers['private-token'] ?? ''}`)
  }

  rendered(project: DoubleProject) {
    const path = project.path_with_namespace
    return {
      ...project,
      name: path.split('/').at(-1)!,
      web_url: `${this.url}/${path}`,
      http_url_to_repo: `${this.url}/${path}.git`,
    }
  }

  /** By its number, or by its path. */
  projectOf(id: string | undefined): DoubleProject | undefined {
    return this.projects.find((one) => `${one.id}` === id || one.path_with_namespace === id)
  }

  #serveHooks(): void {
    const of = (id: number) => this.hooks.get(id) ?? this.hooks.set(id, []).get(id)!
    const missing = { status: 404, json: { message: '404 Project Not Found' } }
    const shown = ({ token: _, signing_token: signing, ...hook }: Record<string, unknown>) => ({
      ...hook,
      signing_token_present: signing !== undefined,
    })
    this.on('GET', /^\/api\/v4\/projects\/([^/]+)\/hooks$/, ({ params: [id] }) => {
      const project = this.projectOf(id)
      return project ? { json: of(project.id).map(shown) } : missing
    })
    this.on('POST', /^\/api\/v4\/projects\/([^/]+)\/hooks$/, ({ params: [id], body }) => {
      const project = this.projectOf(id)
      if (!project) return missing
      const made = { ...body, id: this.nextId() }
      of(project.id).push(made)
      return { status: 201, json: shown(made) }
    })
    this.on('PUT', /^\/api\/v4\/projects\/([^/]+)\/hooks\/(\d+)$/, ({ params: [id, hook], body }) => {
      const project = this.projectOf(id)
      const found = project && of(project.id).find((one) => `${one.id}` === hook)
      return found ? { json: shown(Object.assign(found, body)) } : missing
    })
  }
}
