import type { Clock } from '../../infra/clock.ts'
import { type DoubleLinearTeam, type LinearDouble, LinearRefusal } from './linear.ts'

interface StoredIssue {
  id: string
  identifier: string
  title: string
  description: string | null
  stateId: string
  teamId: string
  trashed: boolean
  labelIds: string[]
  createdAt: string
  updatedAt: string
}

interface Created {
  id?: string
  teamId: string
  title: string
  description?: string
  labelIds?: string[]
}

const notFound = new LinearRefusal('INPUT_ERROR', 'Entity not found: Issue')

/** The issues of one team, as Linear's GraphQL has them: newest first, states, comments and attachments with ids of ours. */
export class LinearIssues {
  readonly issues = new Map<string, StoredIssue>()
  /** Called on every change, no matter who made it: webhooks and pages follow from it. */
  changed: (id: string) => void = () => {}
  readonly comments = new Map<string, { issueId: string; body: string }>()
  readonly attachments: { issueId: string; url: string; title: string }[] = []
  readonly states = [
    { id: 'state-backlog', name: 'Backlog', type: 'backlog', position: 0 },
    { id: 'state-todo', name: 'Todo', type: 'unstarted', position: 1 },
    { id: 'state-doing', name: 'In Progress', type: 'started', position: 2 },
    { id: 'state-review', name: 'In Review', type: 'started', position: 3 },
    { id: 'state-done', name: 'Done', type: 'completed', position: 4 },
    { id: 'state-canceled', name: 'Canceled', type: 'canceled', position: 5 },
  ]
  /** Of the workspace, of this team and of others; names may be the same. */
  readonly labels: { id: string; name: string; teamId: string | null; isGroup: boolean }[] = []
  readonly #related: { id: string; by: string; type: 'blocks' | 'related' }[] = []
  readonly #double: LinearDouble
  readonly #team: DoubleLinearTeam
  readonly #clock: Clock

  constructor(double: LinearDouble, team: DoubleLinearTeam, clock: Clock) {
    this.#double = double
    this.#team = team
    this.#clock = clock
    this.#serveIssues()
    this.#serveLabels()
    this.#serveComments()
  }

  #serveIssues(): void {
    const team = this.#team
    this.#double.resolve('issues', (given) => this.#list(given))
    this.#double.resolve('issue', ({ id }) => this.#rendered(this.#found(id)))
    this.#double.resolve('team', ({ id }) => {
      if (id !== team.id) throw notFound
      return { ...team, states: { nodes: this.states } }
    })
    this.#double.resolve('issueCreate', ({ input }) => {
      const { id, teamId, title, description, labelIds = [] } = input as Created
      const isUsable = (label: string) =>
        this.labels.some((one) => one.id === label && (one.teamId === null || one.teamId === teamId))
      if (!labelIds.every(isUsable))
        throw new LinearRefusal('INPUT_ERROR', 'The label is not associated with the same team as the issue')
      if (teamId !== team.id || !title) throw new LinearRefusal('INPUT_ERROR', 'Argument Validation Error')
      if (id && this.issues.has(id)) throw new LinearRefusal('INPUT_ERROR', 'Entity already exists')
      const text = description ? { description: inItsHand(description) } : {}
      const made = this.open({ title, labelIds, ...text, ...(id ? { id } : {}) })
      return { success: true, issue: this.#rendered(this.get(made)) }
    })
    this.#double.resolve('issueUpdate', ({ id, input }) => {
      const issue = this.#found(id)
      const { description } = input as Partial<StoredIssue>
      Object.assign(issue, input, description ? { description: inItsHand(description) } : {})
      this.#touch(issue)
      return { success: true, issue: this.#rendered(issue) }
    })
  }

  #serveLabels(): void {
    this.#double.resolve('issueLabels', ({ filter }) => {
      const { name, or } = filter as { name: { eqIgnoreCase: string }; or?: object[] }
      const nodes = this.labels
        .filter((label) => label.name.toLowerCase() === name.eqIgnoreCase.toLowerCase())
        .filter(({ teamId }) => !or || teamId === null || teamId === this.#team.id)
        .map(({ teamId, ...label }) => ({ ...label, team: teamId && { id: teamId } }))
      return { nodes, pageInfo: { hasNextPage: false, endCursor: null } }
    })
  }

  #serveComments(): void {
    this.#double.resolve('comment', ({ id }) => {
      if (!this.comments.has(`${id}`)) throw notFound
      return { id }
    })
    this.#double.resolve('commentCreate', ({ input }) => {
      const { id, issueId, body } = input as Record<string, string>
      const issue = this.#found(issueId)
      if (this.comments.has(id!)) throw new LinearRefusal('INPUT_ERROR', 'Entity already exists')
      this.comments.set(id!, { issueId: issueId!, body: body! })
      this.#touch(issue)
      return { success: true, comment: { id } }
    })
    this.#double.resolve('commentUpdate', ({ id, input }) => {
      const comment = this.comments.get(`${id}`)
      if (!comment) throw notFound
      Object.assign(comment, input)
      return { success: true, comment: { id } }
    })
    this.#double.resolve('attachmentCreate', ({ input }) => {
      const made = input as (typeof this.attachments)[number]
      const before = this.attachments.find(({ issueId, url }) => issueId === made.issueId && url === made.url)
      if (before) Object.assign(before, made)
      else this.attachments.push(made)
      return { success: true, attachment: { id: 'attachment' } }
    })
  }

  #found(id: unknown): StoredIssue {
    const issue = this.issues.get(`${id}`)
    if (!issue) throw notFound
    return issue
  }

  /** What a person does over there. */
  open(given: {
    title: string
    description?: string
    stateId?: string
    id?: string
    labelIds?: string[]
  }): string {
    const at = this.#clock.now().toISOString()
    const id = given.id ?? this.#double.nextId()
    this.issues.set(id, {
      ...{ id, identifier: `${this.#team.key}-${this.issues.size + 1}`, title: given.title },
      ...{ description: given.description ?? null, stateId: given.stateId ?? 'state-backlog' },
      ...{ teamId: this.#team.id, trashed: false, createdAt: at, updatedAt: at },
      labelIds: given.labelIds ?? [],
    })
    this.changed(id)
    return id
  }

  edit(id: string, changes: Partial<StoredIssue>): void {
    Object.assign(this.get(id), changes)
    this.#touch(this.get(id))
  }

  get(id: string): StoredIssue {
    return this.issues.get(id)!
  }

  #touch(issue: StoredIssue): void {
    issue.updatedAt = this.#clock.now().toISOString()
    this.changed(issue.id)
  }

  /** One issue blocks another. */
  block(id: string, by: string): void {
    this.relate(id, by, 'blocks')
  }

  /** What another issue is to this one. */
  relate(id: string, by: string, type: 'blocks' | 'related'): void {
    this.#related.push({ id, by, type })
  }

  /** Adds a label; without a team it is the whole workspace's. */
  label(name: string, teamId: string | null, isGroup = false): string {
    const id = this.#double.nextId()
    this.labels.push({ id, name, teamId, isGroup })
    return id
  }

  #rendered({ stateId, teamId, labelIds, ...issue }: StoredIssue) {
    return {
      ...issue,
      url: `${this.#double.url}/halden/issue/${issue.identifier}`,
      archivedAt: issue.trashed ? issue.updatedAt : null,
      state: this.states.find(({ id }) => id === stateId),
      team: { id: teamId },
      inverseRelations: ({ first, after }: Record<string, unknown>) => {
        const all = this.#related.filter(({ id }) => id === issue.id)
        const from = Number(after ?? 0)
        const nodes = all.slice(from, from + Number(first ?? 50)).map(({ by, type }) => {
          const { identifier, stateId: at } = this.get(by)
          return { type, issue: { identifier, state: this.states.find(({ id }) => id === at) } }
        })
        const end = from + nodes.length
        return { nodes, pageInfo: { hasNextPage: end < all.length, endCursor: `${end}` } }
      },
      labels: { nodes: this.labels.filter(({ id }) => labelIds.includes(id)).map(({ name }) => ({ name })) },
    }
  }

  #list({ filter, first, after, includeArchived: archived }: Record<string, unknown>) {
    const { team, updatedAt, state, labels } = filter as {
      labels?: { name: { eqIgnoreCase: string } }
      team?: { id: { eq: string } }
      updatedAt?: { gte: string }
      state?: { type: { nin: string[] } }
    }
    const typeOf = (id: string) => this.states.find((one) => one.id === id)!.type
    const found = [...this.issues.values()]
      .filter((issue) => (archived || !issue.trashed) && (!team || issue.teamId === team.id.eq))
      .filter(
        ({ labelIds }) =>
          !labels ||
          this.labels.some(
            ({ id, name }) =>
              labelIds.includes(id) && name.toLowerCase() === labels.name.eqIgnoreCase.toLowerCase(),
          ),
      )
      .filter((issue) => !updatedAt || issue.updatedAt >= updatedAt.gte)
      .filter((issue) => !state?.type.nin.includes(typeOf(issue.stateId)))
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.id.localeCompare(a.id))
    const from = Number(after ?? 0)
    const nodes = found.slice(from, from + Number(first ?? 50)).map((issue) => this.#rendered(issue))
    const end = from + nodes.length
    return { nodes, pageInfo: { hasNextPage: end < found.length, endCursor: `${end}` } }
  }
}

/** It keeps a document, not the Markdown that was sent: what comes back has bullets of its own. */
const inItsHand = (markdown: string) => markdown.replace(/^(\s*)- (?!\[)/gm, '$1* ')
