import { createPublicKey, verify } from 'node:crypto'
import { Double, type DoubleRequest, pageOf } from './double.ts'

export interface DoubleRepository {
  id: number
  full_name: string
  default_branch: string
  has_issues: boolean
  archived?: boolean
}

interface DoubleToken {
  login: string
  /** Null: a fine-grained token, which does not say what it may do. */
  scopes: string[] | null
  push: boolean
}

interface DoubleInstallation {
  id: number
  app_slug: string
  permissions: Record<string, string>
}

/** GitHub, as far as connecting needs it: tokens, an app, repositories, hooks. */
export class GithubDouble extends Double {
  readonly tokens = new Map<string, DoubleToken>()
  readonly repositories: DoubleRepository[] = []
  readonly hooks = new Map<string, { id: number; events: string[]; config: Record<string, string> }[]>()
  app: { id: string; publicKey: string; installations: DoubleInstallation[] } | null = null
  appHook: Record<string, string> | null = null
  limit = { left: 5_000, of: 5_000, resetsAt: Math.floor(Date.now() / 1000) + 3_600 }
  lastId = 1_000

  constructor() {
    super()
    this.always = () => ({
      'x-ratelimit-limit': `${this.limit.of}`,
      'x-ratelimit-remaining': `${this.limit.left}`,
      'x-ratelimit-reset': `${this.limit.resetsAt}`,
    })
    this.guard = (request) => this.#guard(request)
    this.on('GET', this.path('/user'), (request) => {
      const token = this.tokenOf(request)!
      return {
        json: { login: token.login, id: 1, type: 'User' },
        headers: token.scopes ? { 'x-oauth-scopes': token.scopes.join(', ') } : {},
      }
    })
    this.on('GET', this.path('/user/repos'), (request) => ({ json: this.#listed(request) }))
    this.on('GET', this.path('/installation/repositories'), (request) => ({
      json: { total_count: this.repositories.length, repositories: this.#listed(request) },
    }))
    this.on('GET', this.path('/repositories/(\\d+)'), ({ params: [id] }) => {
      const found = this.repositories.find((one) => `${one.id}` === id)
      return found ? { json: this.rendered(found) } : { status: 404, json: { message: 'Not Found' } }
    })
    this.#serveHooks()
    this.#serveApp()
  }

  /** GitHub Enterprise has its API under a path; both are answered. */
  protected path(pattern: string): RegExp {
    return new RegExp(`^(?:/api/v3)?${pattern}$`)
  }

  nextId(): number {
    this.lastId += 1
    return this.lastId
  }

  addToken(
    token: string,
    { login = 'signalbox-bot', scopes = ['repo'] as string[] | null, push = true } = {},
  ): void {
    this.tokens.set(token, { login, scopes, push })
  }

  addRepository(fullName: string, departures: Partial<DoubleRepository> = {}): DoubleRepository {
    const made = {
      ...{ id: this.nextId(), full_name: fullName, default_branch: 'main', has_issues: true },
      ...departures,
    }
    this.repositories.push(made)
    return made
  }

  tokenOf({ headers }: Pick<DoubleRequest, 'headers'>): DoubleToken | undefined {
    return this.tokens.get(/^(?:Bearer|token) (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
  }

  rendered(repo: DoubleRepository, push = true) {
    return {
      ...repo,
      name: repo.full_name.split('/')[1],
      html_url: `${this.url}/${repo.full_name}`,
      clone_url: `${this.url}/${repo.full_name}.git`,
      permissions: { pull: true, push },
    }
  }

  #listed(request: DoubleRequest) {
    const push = this.tokenOf(request)?.push ?? true
    return pageOf(this.repositories, request.query).map((repo) => this.rendered(repo, push))
  }

  #guard(request: DoubleRequest) {
    const path = request.path.replace(/^\/api\/v3/, '')
    if (!/^\/(user|repos|repositories|installation|app|graphql|search)\b/.test(path)) return undefined
    const bad = { status: 401, json: { message: 'Bad credentials', status: '401' } }
    if (path.startsWith('/app')) return this.#isApp(request) ? undefined : bad
    if (!this.tokenOf(request)) return bad
    if (this.limit.left <= 0)
      return { status: 403, json: { message: 'API rate limit exceeded for user ID 1.' } }
    this.limit.left -= 1
    return undefined
  }

  /** The app proves itself with a token that it has signed. */
  #isApp({ headers }: DoubleRequest): boolean {
    const [head, claims, signature] = (headers.authorization ?? '').replace(/^Bearer /, '').split('.')
    if (!this.app || !head || !claims || !signature) return false
    const { iss, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const now = Date.now() / 1000
    if (`${iss}` !== this.app.id || exp < now || exp - iat > 660) return false
    const key = createPublicKey(this.app.publicKey)
    return verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))
  }

  #serveApp(): void {
    const installation = (id: string | undefined) => this.app?.installations.find((one) => `${one.id}` === id)
    this.on('GET', this.path('/app/installations/(\\d+)'), ({ params: [id] }) => {
      const found = installation(id)
      return found ? { json: found } : { status: 404, json: { message: 'Not Found' } }
    })
    this.on('POST', this.path('/app/installations/(\\d+)/access_tokens'), ({ params: [id] }) => {
      const found = installation(id)
      if (!found) return { status: 404, json: { message: 'Not Found' } }
      const token = `ghs_${this.nextId()}`
      this.addToken(token, { login: `${found.app_slug}[bot]`, scopes: null })
      const expires = new Date(Date.now() + 3_600_000).toISOString()
      return { status: 201, json: { token, expires_at: expires, permissions: found.permissions } }
    })
    this.on('PATCH', this.path('/app/hook/config'), ({ body }) => {
      this.appHook = body
      return { json: { ...body, secret: '********' } }
    })
  }

  #serveHooks(): void {
    const of = (name: string) => this.hooks.get(name) ?? this.hooks.set(name, []).get(name)!
    const shown = (hook: { id: number; config: Record<string, string> }) => ({
      ...hook,
      config: { ...hook.config, secret: '********' },
    })
    this.on('GET', this.path('/repos/([^/]+/[^/]+)/hooks'), ({ params: [name] }) => ({
      json: of(name!).map(shown),
    }))
    this.on('POST', this.path('/repos/([^/]+/[^/]+)/hooks'), ({ params: [name], body }) => {
      if (of(name!).some(({ config }) => config.url === body.config.url))
        return {
          status: 422,
          json: { message: 'Validation Failed', errors: [{ message: 'Hook already exists' }] },
        }
      const made = { id: this.nextId(), events: body.events, config: body.config }
      of(name!).push(made)
      return { status: 201, json: shown(made) }
    })
    this.on('PATCH', this.path('/repos/([^/]+/[^/]+)/hooks/(\\d+)'), ({ params: [name, id], body }) => {
      const found = of(name!).find((hook) => `${hook.id}` === id)
      if (!found) return { status: 404, json: { message: 'Not Found' } }
      Object.assign(found, { events: body.events, config: body.config })
      return { json: shown(found) }
    })
  }
}
