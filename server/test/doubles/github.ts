import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto'
import { Double, type DoubleRequest, pageOf } from './double.ts'
import {
  deliveryOf,
  hookOf,
  installationOf,
  integrationOf,
  ownUser,
  repositoryOf,
  type ShownDelivery,
  type ShownHook,
  type ShownInstallation,
  type ShownRepository,
  wholeRepositoryOf,
} from './github-shapes.ts'

interface DoubleToken {
  login: string
  /** Null: a fine-grained token, which does not say what it may do. */
  scopes: string[] | null
  push: boolean
}

interface DoubleDelivery extends ShownDelivery {
  body: string
}

/** What a token of an installation was narrowed to. */
interface DoubleScope {
  repositories: string[] | null
  contents: string
}

/** GitHub, as far as connecting needs it: tokens, an app, repositories, hooks. */
export class GithubDouble extends Double {
  readonly tokens = new Map<string, DoubleToken>()
  readonly scoped = new Map<string, DoubleScope>()
  readonly repositories: ShownRepository[] = []
  readonly hooks = new Map<string, ShownHook[]>()
  /** By hook; 0 is the app's. */
  readonly deliveries = new Map<number, DoubleDelivery[]>()
  /** Codes that wait to be turned into an app, once. */
  readonly codes = new Map<string, Record<string, unknown>>()
  app: {
    id: string
    publicKey: string
    installations: ShownInstallation[]
    slug?: string
    setupUrl?: string
  } | null = null
  appHook: Record<string, string> | null = null
  /** How repositories are merged here. */
  merging = { merge: true, squash: true }
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
        json: ownUser(this.url, token.login),
        headers: token.scopes ? { 'x-oauth-scopes': token.scopes.join(', ') } : {},
      }
    })
    this.on('GET', this.path('/user/repos'), (request) => ({ json: this.#listed(request) }))
    this.on('GET', this.path('/installation/repositories'), (request) => ({
      json: { total_count: this.repositories.length, repositories: this.#listed(request) },
    }))
    this.on('GET', this.path('/repos/([^/]+/[^/]+)'), (request) => {
      const found = this.repositories.find((one) => one.full_name === request.params[0])
      const push = this.tokenOf(request)?.push ?? true
      return found ? { json: wholeRepositoryOf(this.url, found, { ...this.merging, push }) } : notFound
    })
    this.#serveHooks()
    this.#serveApp()
    this.#serveManifests()
  }

  /** Sends what a hook is to bring, as GitHub does: once, whatever comes of it. */
  async deliver(hook: number, event: string, payload: unknown, guid: string = randomUUID()): Promise<number> {
    return this.#send(hook, event, JSON.stringify(payload), guid, false)
  }

  async #send(hook: number, event: string, body: string, guid: string, redelivery: boolean): Promise<number> {
    const config =
      hook === 0 ? this.appHook : [...this.hooks.values()].flat().find(({ id }) => id === hook)?.config
    const signature = createHmac('sha256', config?.secret ?? '')
      .update(body)
      .digest('hex')
    const answer = await fetch(config!.url!, {
      ...{ method: 'POST', body },
      headers: {
        ...{ 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': guid },
        'x-hub-signature-256': `sha256=${signature}`,
      },
    }).catch(() => null)
    const status = answer?.status ?? 502
    const sent = {
      ...{ id: this.nextId(), guid, delivered_at: new Date().toISOString(), redelivery, event, body },
      ...{ status: answer?.ok ? 'OK' : 'Invalid HTTP Response', status_code: status },
    }
    this.deliveries.set(hook, [sent, ...(this.deliveries.get(hook) ?? [])])
    return status
  }

  /** The pages on which a person creates and installs an app: the browser posts, confirms, and is sent back. */
  #serveManifests(): void {
    this.on('POST', /^(?:\/organizations\/[^/]+)?\/settings\/apps\/new$/, ({ raw, query }) => {
      const manifest = JSON.parse(new URLSearchParams(raw.toString('utf8')).get('manifest') ?? 'null')
      const hook = manifest?.hook_attributes?.url
      if (!manifest?.url || !manifest.redirect_url || `${manifest.name ?? ''}`.length > 34)
        return { status: 422, text: 'Manifest is invalid' }
      if (hook && /localhost|127\.0\.0\.1/.test(hook))
        return { status: 422, text: 'Hook url is not reachable over the public Internet' }
      const code = randomUUID().replaceAll('-', '')
      this.codes.set(code, manifest)
      const back = new URL(manifest.redirect_url)
      back.searchParams.set('code', code)
      back.searchParams.set('state', query.get('state') ?? '')
      return { status: 302, headers: { location: back.href } }
    })
    this.on('POST', this.path('/app-manifests/([^/]+)/conversions'), ({ params: [code] }) => {
      const manifest = this.codes.get(code!)
      if (!manifest) return notFound
      this.codes.delete(code!)
      const { publicKey, privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      })
      const id = this.nextId()
      const slug = `${manifest.name}`.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')
      this.app = {
        ...{ id: `${id}`, publicKey, slug, installations: [] },
        setupUrl: `${manifest.setup_url}`,
      }
      const hook = manifest.hook_attributes as { url: string } | undefined
      const secret = hook ? randomUUID() : null
      this.appHook = hook ? { url: hook.url, secret: secret! } : null
      return {
        status: 201,
        json: {
          ...{ ...integrationOf(this.url, slug), id, name: manifest.name, pem: privateKey },
          ...{ client_id: `Iv23${id}`, client_secret: 'never kept', webhook_secret: secret },
        },
      }
    })
    this.on('GET', /^\/apps\/([^/]+)\/installations\/new$/, ({ params: [slug], query }) => {
      if (this.app?.slug !== slug) return { status: 404, text: 'Not Found' }
      const made = { id: this.nextId(), app_slug: slug!, permissions: allOfApp }
      this.app!.installations.push(made)
      const back = new URL(this.app!.setupUrl!)
      back.searchParams.set('installation_id', `${made.id}`)
      back.searchParams.set('setup_action', 'install')
      back.searchParams.set('state', query.get('state') ?? '')
      return { status: 302, headers: { location: back.href } }
    })
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

  addRepository(fullName: string, departures: Partial<ShownRepository> = {}): ShownRepository {
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

  #listed(request: DoubleRequest) {
    const push = this.tokenOf(request)?.push ?? true
    return pageOf(this.repositories, request.query).map((repo) => repositoryOf(this.url, repo, push))
  }

  #guard(request: DoubleRequest) {
    const path = request.path.replace(/^\/api\/v3/, '')
    if (!/^\/(user|repos|repositories|installation|app|graphql|search)\b/.test(path)) return undefined
    const bad = { status: 401, json: { message: 'Bad credentials', status: '401' } }
    if (path.startsWith('/app-manifests/')) return undefined
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
    const shown = (one: ShownInstallation) => installationOf(this.url, this.app!.id, one)
    this.on('GET', this.path('/app/installations'), () => ({ json: this.app!.installations.map(shown) }))
    this.on('GET', this.path('/app/installations/(\\d+)'), ({ params: [id] }) => {
      const found = installation(id)
      return found ? { json: shown(found) } : notFound
    })
    // Narrowed to what was asked for.
    this.on('POST', this.path('/app/installations/(\\d+)/access_tokens'), ({ params: [id], body }) => {
      const found = installation(id)
      if (!found) return notFound
      const token = `ghs_${this.nextId()}secret${this.nextId()}`
      this.addToken(token, { login: `${found.app_slug}[bot]`, scopes: null })
      this.scoped.set(token, {
        repositories: body?.repositories ?? null,
        contents: body?.permissions?.contents ?? found.permissions.contents ?? 'write',
      })
      const expires = new Date(Date.now() + 3_600_000).toISOString()
      const permissions = body?.permissions ?? found.permissions
      return { status: 201, json: { token, expires_at: expires, permissions } }
    })
    this.on('GET', this.path('/app/hook/config'), () =>
      this.appHook ? { json: { ...this.appHook, secret: '********' } } : notFound,
    )
    this.#serveDeliveries('/app/hook', () => 0)
    this.on('PATCH', this.path('/app/hook/config'), ({ body }) => {
      this.appHook = body
      return { json: { ...body, secret: '********' } }
    })
  }

  #serveHooks(): void {
    const of = (name: string) => this.hooks.get(name) ?? this.hooks.set(name, []).get(name)!
    this.on('GET', this.path('/repos/([^/]+/[^/]+)/hooks'), ({ params: [name] }) => ({
      json: of(name!).map((hook) => hookOf(this.url, name!, hook)),
    }))
    this.on('POST', this.path('/repos/([^/]+/[^/]+)/hooks'), ({ path, params: [name], body }) => {
      const { hostname } = new URL(body.config.url)
      // An Enterprise Server, whose API is under a path, runs in a private network and may send there.
      const isServer = path.startsWith('/api/v3/')
      if (!isServer && /^(?:localhost|127\.|10\.|192\.168\.|\[)/.test(hostname))
        return refusedHook(
          `url is not supported because it isn't reachable over the public Internet (${hostname})`,
        )
      if (of(name!).some(({ config }) => config.url === body.config.url))
        return refusedHook('Hook already exists on this repository')
      const made = { id: this.nextId(), active: true, events: body.events, config: body.config }
      of(name!).push(made)
      return { status: 201, json: hookOf(this.url, name!, made) }
    })
    this.on('PATCH', this.path('/repos/([^/]+/[^/]+)/hooks/(\\d+)'), ({ params: [name, id], body }) => {
      const found = of(name!).find((hook) => `${hook.id}` === id)
      if (!found) return notFound
      const { active, events, config } = body
      Object.assign(found, { active: active ?? found.active }, events && { events }, config && { config })
      return { json: hookOf(this.url, name!, found) }
    })
    this.#serveDeliveries('/repos/[^/]+/[^/]+/hooks/(\\d+)', ([id]) => Number(id))
  }

  #serveDeliveries(path: string, hookOf: (params: string[]) => number): void {
    const shown = ({ body: _, ...delivery }: DoubleDelivery) => deliveryOf(delivery)
    this.on('GET', this.path(`${path}/deliveries`), ({ params, query }) => ({
      json: pageOf(this.deliveries.get(hookOf(params)) ?? [], query).map(shown),
    }))
    this.on('POST', this.path(`${path}/deliveries/(\\d+)/attempts`), async ({ params }) => {
      const hook = hookOf(params)
      const found = this.deliveries.get(hook)?.find(({ id }) => `${id}` === params.at(-1))
      if (!found) return notFound
      await this.#send(hook, found.event, found.body, found.guid, true)
      return { status: 202, json: {} }
    })
  }
}

export const notFound = {
  status: 404,
  json: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
}

const refusedHook = (message: string) => ({
  status: 422,
  json: { message: 'Validation Failed', errors: [{ resource: 'Hook', code: 'custom', message }] },
})

const allOfApp = { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' }
