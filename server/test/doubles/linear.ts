import { Double, type DoubleAnswer, type DoubleRequest } from './double.ts'

export interface DoubleLinearTeam {
  id: string
  key: string
  name: string
}

type Resolver = (variables: Record<string, unknown>, request: DoubleRequest) => DoubleAnswer

/** Linear, as far as connecting needs it: one path, told apart by the fields that are asked for. */
export class LinearDouble extends Double {
  readonly keys = new Map<string, { email: string; admin: boolean }>()
  readonly teams: DoubleLinearTeam[] = []
  readonly webhooks: Record<string, unknown>[] = []
  limit = { left: 2_500, of: 2_500 }
  readonly #resolvers: { field: RegExp; resolve: Resolver }[] = []
  lastId = 0

  constructor() {
    super()
    this.always = () => ({
      'x-ratelimit-requests-limit': `${this.limit.of}`,
      'x-ratelimit-requests-remaining': `${this.limit.left}`,
      'x-ratelimit-requests-reset': `${Date.now() + 3_600_000}`,
    })
    this.on('POST', /^\/graphql$/, (request) => {
      if (!this.keyOf(request)) return failed(401, 'AUTHENTICATION_ERROR', 'Authentication required')
      if (this.limit.left <= 0) return failed(400, 'RATELIMITED', 'Rate limit exceeded')
      this.limit.left -= 1
      const query = `${request.body?.query ?? ''}`
      const found = this.#resolvers.find(({ field }) => field.test(query))
      return found
        ? found.resolve(request.body.variables ?? {}, request)
        : failed(400, 'GRAPHQL_VALIDATION_FAILED', 'Cannot query that')
    })
    const organization = { urlKey: 'halden' }
    this.resolve(/\bviewer\b/, (_, request) => {
      const { email } = this.keyOf(request)!
      return data({ viewer: { id: 'user-1', displayName: email.split('@')[0], email }, organization })
    })
    this.resolve(/\bteams\s*\(/, ({ filter }) => {
      const words = wordsIn(filter)
      const nodes = this.teams.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(words))
      return data({ organization, teams: { nodes } })
    })
    this.resolve(/\bwebhooks\s*\(/, (_, request) =>
      this.keyOf(request)!.admin ? data({ webhooks: { nodes: this.webhooks } }) : forbidden,
    )
    this.resolve(/\bwebhookCreate\b/, ({ input }, request) => {
      if (!this.keyOf(request)!.admin) return forbidden
      const { teamId, ...rest } = input as Record<string, unknown>
      this.webhooks.push({ enabled: true, ...rest, id: this.nextId(), team: { id: teamId } })
      return data({ webhookCreate: { success: true } })
    })
    this.resolve(/\bwebhookUpdate\b/, ({ id, input }) => {
      const found = this.webhooks.find((hook) => hook.id === id)
      if (!found) return failed(200, 'INPUT_ERROR', 'Entity not found')
      Object.assign(found, input)
      return data({ webhookUpdate: { success: true } })
    })
  }

  nextId(): string {
    this.lastId += 1
    return `00000000-0000-4000-8000-${`${this.lastId}`.padStart(12, '0')}`
  }

  /** The newest one wins. */
  resolve(field: RegExp, resolve: Resolver): this {
    this.#resolvers.unshift({ field, resolve })
    return this
  }

  addKey(key: string, { email = 'bot@example.com', admin = true } = {}): void {
    this.keys.set(key, { email, admin })
  }

  addTeam(key: string, name: string): DoubleLinearTeam {
    const made = { id: this.nextId(), key, name }
    this.teams.push(made)
    return made
  }

  keyOf({ headers }: Pick<DoubleRequest, 'headers'>) {
    return this.keys.get(`${headers.authorization ?? ''}`.replace(/^Bearer /, ''))
  }
}

export const data = (value: unknown): DoubleAnswer => ({ json: { data: value } })

export const failed = (status: number, code: string, message: string): DoubleAnswer => ({
  status,
  json: { errors: [{ message, extensions: { code, type: code.toLowerCase() } }] },
})

const forbidden = failed(200, 'FORBIDDEN', 'You need to be an admin')

const wordsIn = (filter: unknown): string =>
  (
    filter as { or?: { name?: { containsIgnoreCase?: string } }[] } | undefined
  )?.or?.[0]?.name?.containsIgnoreCase?.toLowerCase() ?? ''
