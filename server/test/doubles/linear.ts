import { Double, type DoubleAnswer, type DoubleRequest } from './double.ts'
import { fieldsOf } from './linear-query.ts'

export interface DoubleLinearTeam {
  id: string
  key: string
  name: string
}

/** What a field is, by its arguments. Throws a LinearRefusal. */
type Resolver = (args: Record<string, unknown>, request: DoubleRequest) => unknown

/** What Linear does not do; the answer's status is 200 all the same. */
export class LinearRefusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Linear, as far as connecting needs it: one path, and documents of GraphQL that are read as such. */
export class LinearDouble extends Double {
  readonly keys = new Map<string, { email: string; admin: boolean }>()
  readonly teams: DoubleLinearTeam[] = []
  readonly webhooks: Record<string, unknown>[] = []
  limit = { left: 2_500, of: 2_500 }
  readonly #resolvers = new Map<string, Resolver>()
  lastId = 0

  constructor() {
    super()
    this.always = () => ({
      'x-ratelimit-requests-limit': `${this.limit.of}`,
      'x-ratelimit-requests-remaining': `${this.limit.left}`,
      'x-ratelimit-requests-reset': `${Date.now() + 3_600_000}`,
    })
    this.on('POST', /^\/graphql$/, async (request) => {
      if (!this.keyOf(request)) return failed(401, 'AUTHENTICATION_ERROR', 'Authentication required')
      if (this.limit.left <= 0) return failed(400, 'RATELIMITED', 'Rate limit exceeded')
      this.limit.left -= 1
      return this.#answer(request)
    })
    this.resolve('organization', () => ({ urlKey: 'halden' }))
    this.resolve('viewer', (_, request) => {
      const { email } = this.keyOf(request)!
      return { id: 'user-1', displayName: email.split('@')[0], email }
    })
    this.resolve('teams', ({ filter, first }) => {
      const words = wordsIn(filter)
      const found = this.teams.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(words))
      return { nodes: found.slice(0, Number(first ?? 50)) }
    })
    this.resolve('webhooks', ({ first }, request) => {
      this.#requireAdmin(request)
      return { nodes: this.webhooks.slice(0, Number(first ?? 50)) }
    })
    this.resolve('webhookCreate', ({ input }, request) => {
      this.#requireAdmin(request)
      const { teamId, ...rest } = input as Record<string, unknown>
      this.webhooks.push({ enabled: true, ...rest, id: this.nextId(), team: { id: teamId } })
      return { success: true }
    })
    this.resolve('webhookUpdate', ({ id, input }) => {
      const found = this.webhooks.find((hook) => hook.id === id)
      if (!found) throw new LinearRefusal('INPUT_ERROR', 'Entity not found')
      Object.assign(found, input)
      return { success: true }
    })
  }

  async #answer(request: DoubleRequest): Promise<DoubleAnswer> {
    const { query, variables } = request.body ?? {}
    const fields = await fieldsOf(`${query ?? ''}`, variables ?? {})
    const unknown = fields?.find(({ name }) => !this.#resolvers.has(name))
    if (!fields || unknown)
      return failed(400, 'GRAPHQL_VALIDATION_FAILED', `Cannot query field "${unknown?.name ?? ''}"`)
    try {
      const said = fields.map(({ name, as, args, selected }) => [
        as,
        selected(this.#resolvers.get(name)!(args, request)),
      ])
      return { json: { data: Object.fromEntries(said) } }
    } catch (error) {
      if (error instanceof LinearRefusal) return failed(200, error.code, error.message)
      throw error
    }
  }

  #requireAdmin(request: DoubleRequest): void {
    if (!this.keyOf(request)!.admin) throw new LinearRefusal('FORBIDDEN', 'You need to be an admin')
  }

  nextId(): string {
    this.lastId += 1
    return `00000000-0000-4000-8000-${`${this.lastId}`.padStart(12, '0')}`
  }

  /** What a field of a query or a mutation is. */
  resolve(field: string, resolver: Resolver): this {
    this.#resolvers.set(field, resolver)
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

const failed = (status: number, code: string, message: string): DoubleAnswer => ({
  status,
  json: { errors: [{ message, extensions: { code, type: code.toLowerCase() } }] },
})

const wordsIn = (filter: unknown): string =>
  (
    filter as { or?: { name?: { containsIgnoreCase?: string } }[] } | undefined
  )?.or?.[0]?.name?.containsIgnoreCase?.toLowerCase() ?? ''
