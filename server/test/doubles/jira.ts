import { Double, type DoubleRequest } from './double.ts'

export interface DoubleJiraProject {
  id: string
  key: string
  name: string
}

/** Jira, in the cloud and in a data center, as far as connecting needs it. */
export class JiraDouble extends Double {
  /** By what is sent: `Basic …` in the cloud, `Bearer …` in a data center. */
  readonly accounts = new Map<
    string,
    { name: string; isCloud: boolean; permissions: Set<string>; admin: boolean }
  >()
  readonly projects: DoubleJiraProject[] = []
  readonly hooks: Record<string, unknown>[] = []
  /** Registered by an app: they end after thirty days. */
  /** The date in milliseconds, as Jira tells it. */
  readonly dynamicHooks: { id: number; url: string; expirationDate: number }[] = []
  lastId = 10_000

  constructor() {
    super()
    this.guard = (request) => {
      if (!request.path.startsWith('/rest/')) return undefined
      if (!this.accountOf(request))
        return { status: 401, json: { errorMessages: ['Client must be authenticated.'] } }
      return undefined
    }
    this.on('GET', /^\/rest\/api\/[23]\/myself$/, (request) => {
      const { name, isCloud } = this.accountOf(request)!
      return {
        json: {
          ...this.userNamed(name, isCloud),
          ...(isCloud && name.includes('@') ? { emailAddress: name } : {}),
        },
      }
    })
    this.on('GET', /^\/rest\/api\/[23]\/mypermissions$/, (request) => {
      const has = this.accountOf(request)!.permissions
      const asked = (request.query.get('permissions') ?? '').split(',')
      return {
        json: {
          permissions: Object.fromEntries(
            asked.map((key) => [key, { key, name: nameOf(key), havePermission: has.has(key) }]),
          ),
        },
      }
    })
    this.on('GET', /^\/rest\/api\/3\/project\/search$/, ({ query }) => {
      const words = (query.get('query') ?? '').toLowerCase()
      const values = this.projects.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(words))
      return { json: { startAt: 0, maxResults: 100, total: values.length, isLast: true, values } }
    })
    this.on('GET', /^\/rest\/api\/2\/project$/, () => ({ json: this.projects }))
    const onlyAdmins = { status: 403, json: { messages: [{ key: 'You do not have permission' }] } }
    const path = '/rest/webhooks/1.0/webhook'
    this.on('GET', new RegExp(`^${path}$`), (request) =>
      this.accountOf(request)!.admin ? { json: this.hooks } : onlyAdmins,
    )
    this.on('POST', new RegExp(`^${path}$`), (request) => {
      if (!this.accountOf(request)!.admin) return onlyAdmins
      const made = { enabled: true, ...request.body, self: `${this.url}${path}/${this.nextId()}` }
      this.hooks.push(made)
      return { status: 201, json: made }
    })
    this.on('PUT', new RegExp(`^${path}/(\\d+)$`), (request) => {
      if (!this.accountOf(request)!.admin) return onlyAdmins
      const found = this.hooks.find(({ self }) => `${self}`.endsWith(`/${request.params[0]}`))
      return found ? { json: Object.assign(found, request.body) } : { status: 404, json: {} }
    })
    const onlyApps = { status: 403, json: { errorMessages: ['The caller isn’t an app.'] } }
    this.on('GET', /^\/rest\/api\/3\/webhook$/, () =>
      this.dynamicHooks.length > 0 ? { json: pageOfHooks(this.dynamicHooks) } : onlyApps,
    )
    this.on('PUT', /^\/rest\/api\/3\/webhook\/refresh$/, ({ body }) => {
      const expirationDate = Date.now() + 30 * 86_400_000
      for (const hook of this.dynamicHooks)
        if ((body.webhookIds as number[]).includes(hook.id)) hook.expirationDate = expirationDate
      return { json: { expirationDate } }
    })
  }

  nextId(): number {
    this.lastId += 1
    return this.lastId
  }

  /** With an address for the cloud, without one for a data center. */
  addAccount(
    credentials: { email?: string; token: string },
    { name = credentials.email ?? 'signalbox', permissions = allPermissions, admin = true } = {},
  ): void {
    const { email, token } = credentials
    const sent = email ? `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}` : `Bearer ${token}`
    this.accounts.set(sent, { name, isCloud: email !== undefined, permissions: new Set(permissions), admin })
  }

  /** As others see a person: the cloud hides addresses, a data center has names. */
  userNamed(name: string, isCloud: boolean) {
    const self = `${this.url}/rest/api/2/user?${isCloud ? 'accountId' : 'username'}=${encodeURIComponent(name)}`
    const avatarUrls = { '48x48': `${this.url}/avatar.png` }
    const shown = { self, avatarUrls, displayName: name.split('@')[0]!, active: true, timeZone: 'Etc/UTC' }
    return isCloud
      ? { ...shown, accountId: `id-${name}`, accountType: 'atlassian' }
      : { ...shown, key: name, name, emailAddress: `${name}@example.com` }
  }

  /** Both kinds are asked the same way; which one it is shows in who asks. */
  isCloudFor(request: Pick<DoubleRequest, 'headers'>): boolean {
    return this.accountOf(request)?.isCloud ?? true
  }

  addProject(key: string, name: string): DoubleJiraProject {
    const made = { id: `${this.nextId()}`, key, name }
    this.projects.push(made)
    return made
  }

  accountOf({ headers }: Pick<DoubleRequest, 'headers'>) {
    return this.accounts.get(headers.authorization ?? '')
  }
}

const pageOfHooks = (hooks: JiraDouble['dynamicHooks']) => ({
  ...{ maxResults: 100, startAt: 0, total: hooks.length, isLast: true },
  values: hooks.map((hook) => ({ ...hook, events: ['jira:issue_updated'], jqlFilter: 'project = WEB' })),
})

const allPermissions = [
  'BROWSE_PROJECTS',
  'CREATE_ISSUES',
  'EDIT_ISSUES',
  'TRANSITION_ISSUES',
  'ADD_COMMENTS',
]

const nameOf = (key: string) => key[0] + key.slice(1).toLowerCase().replaceAll('_', ' ')
