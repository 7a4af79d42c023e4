import type { Clock } from '../../infra/clock.ts'
import type { DoubleAnswer, DoubleRequest } from './double.ts'
import type { DoubleJiraProject, JiraDouble } from './jira.ts'

interface StoredIssue {
  id: string
  key: string
  projectKey: string
  summary: string
  description: string | null
  /** What the cloud stores instead, where a person wrote more than wiki markup can say. */
  document: JiraNode | null
  status: string
  resolution: string | null
  labels: string[]
  creator: string
  created: string
  updated: string
  comments: { id: string; author: string; body: string }[]
  links: { globalId: string; object: { url: string; title: string } }[]
}

/** A node of the cloud's documents. */
export interface JiraNode {
  type: string
  text?: string
  attrs?: Record<string, unknown>
  marks?: { type: string; attrs?: Record<string, unknown> }[]
  content?: JiraNode[]
}

interface TransitionField {
  name: string
  required: boolean
  hasDefaultValue?: boolean
  allowedValues?: { id: string; name: string }[]
}

interface Status {
  id: string
  name: string
  statusCategory: { key: 'new' | 'indeterminate' | 'done' }
}

const status = (id: string, name: string, key: Status['statusCategory']['key']): Status => ({
  ...{ id, name, statusCategory: { key } },
})

/** How many of its comments come with an issue. */
const mostComments = 20

const missing: DoubleAnswer = { status: 404, json: { errorMessages: ['Issue does not exist'] } }

/** The issues of one project, as both Jiras have them: workflow, JQL as far as it is asked, comments, remote links. */
export class JiraIssues {
  readonly issues = new Map<string, StoredIssue>()
  /** Called on every change, no matter who made it: webhooks and pages follow from it. */
  changed: (id: string) => void = () => {}
  readonly statuses = [
    status('1', 'Backlog', 'new'),
    status('2', 'Selected for Development', 'new'),
    status('3', 'In Progress', 'indeterminate'),
    status('4', 'In Review', 'indeterminate'),
    status('5', 'Done', 'done'),
  ]
  /** Where an issue can go from each status. */
  workflow: Record<string, string[]> = {
    1: ['2'],
    2: ['1', '3'],
    3: ['2', '4', '5'],
    4: ['3', '5'],
    5: ['1'],
  }
  /** What the screen of a transition asks for, by from and to: `34`. */
  screens: Record<string, Record<string, TransitionField>> = {}
  /** Transitions refused by rules that are only checked on an attempt; the same names. */
  forbidden = new Set<string>()
  readonly #blocked: { id: string; by: string }[] = []
  readonly #double: JiraDouble
  readonly #project: DoubleJiraProject
  readonly #clock: Clock

  constructor(double: JiraDouble, project: DoubleJiraProject, clock: Clock) {
    this.#double = double
    this.#project = project
    this.#clock = clock
    const on = (method: string, rest: string, handler: (request: DoubleRequest) => DoubleAnswer) =>
      double.on(method, new RegExp(`^/rest/api/[23]${rest}$`), handler)
    on('GET', `/project/${project.key}`, () => ({
      json: {
        ...project,
        issueTypes: [{ name: 'Task' }, { name: 'Story' }, { name: 'Sub-task', subtask: true }],
      },
    }))
    on('GET', `/project/${project.key}/statuses`, () => ({
      json: [
        {
          ...{ id: '10001', name: 'Story', subtask: false, statuses: this.statuses },
          self: `${double.url}/rest/api/2/issuetype/10001`,
        },
      ],
    }))
    on('POST', '/search/jql', (request) => this.#search(request, true))
    on('POST', '/search', (request) => this.#search(request, false))
    on('POST', '/issue', (request) => this.#create(request))
    on('GET', '/issue/([^/]+)', (request) =>
      this.#found(request, (issue) => ({
        json: this.#rendered(issue, request, request.path.includes('/api/3/')),
      })),
    )
    on('PUT', '/issue/([^/]+)', (request) =>
      this.#found(request, (issue) => {
        Object.assign(issue, request.body.fields)
        // Whatever was there that wiki markup does not say is gone.
        if (request.body.fields.description !== undefined) issue.document = null
        this.#touch(issue)
        return { status: 204 }
      }),
    )
    on('GET', '/issue/([^/]+)/transitions', (request) =>
      this.#found(request, (issue) => ({
        json: {
          transitions: (this.workflow[issue.status] ?? []).map((to) => ({
            id: `${issue.status}${to}`,
            name: this.#statusOf(to).name,
            to: this.#statusOf(to),
            ...(request.query.get('expand')?.includes('transitions.fields')
              ? { fields: this.screens[`${issue.status}${to}`] ?? {} }
              : {}),
          })),
        },
      })),
    )
    on('POST', '/issue/([^/]+)/transitions', (request) =>
      this.#found(request, (issue) => {
        const to = (this.workflow[issue.status] ?? []).find(
          (one) => `${issue.status}${one}` === request.body.transition.id,
        )
        if (!to)
          return {
            status: 400,
            json: {
              errorMessages: ['It seems that you have tried to perform an illegal workflow operation.'],
            },
          }
        const way = `${issue.status}${to}`
        const given = (request.body.fields ?? {}) as Record<string, { id: string }>
        const unanswered = Object.entries(this.screens[way] ?? {}).filter(
          ([key, { required, hasDefaultValue }]) => required && !hasDefaultValue && !given[key],
        )
        if (unanswered.length > 0 || this.forbidden.has(way))
          return {
            status: 400,
            json: {
              errors: Object.fromEntries(unanswered.map(([key, { name }]) => [key, `${name} is required.`])),
            },
          }
        issue.status = to
        issue.resolution = this.#statusOf(to).statusCategory.key === 'done' ? 'Done' : null
        this.#touch(issue)
        return { status: 204 }
      }),
    )
    on('GET', '/issue/([^/]+)/comment', (request) =>
      this.#found(request, (issue) => {
        const startAt = Number(request.query.get('startAt') ?? 0)
        const maxResults = Math.min(Number(request.query.get('maxResults') ?? 50), 100)
        const ordered =
          request.query.get('orderBy') === '-created' ? issue.comments.toReversed() : issue.comments
        const comments = ordered
          .slice(startAt, startAt + maxResults)
          .map((one) => this.#comment(one, issue, request))
        return { json: { startAt, maxResults, total: issue.comments.length, comments } }
      }),
    )
    on('GET', '/issue/([^/]+)/comment/(\\d+)', (request) =>
      this.#found(request, (issue) => {
        const found = issue.comments.find(({ id }) => id === request.params[1])
        return found ? { json: this.#comment(found, issue, request) } : missing
      }),
    )
    on('POST', '/issue/([^/]+)/comment', (request) =>
      this.#found(request, (issue) => {
        const made = { id: `${double.nextId()}`, author: this.#who(request), body: `${request.body.body}` }
        issue.comments.push(made)
        this.#touch(issue)
        return { status: 201, json: this.#comment(made, issue, request) }
      }),
    )
    on('PUT', '/issue/([^/]+)/comment/(\\d+)', (request) =>
      this.#found(request, (issue) => {
        const found = issue.comments.find(({ id }) => id === request.params[1])
        if (!found) return missing
        found.body = request.body.body
        this.#touch(issue)
        return { json: this.#comment(found, issue, request) }
      }),
    )
    on('POST', '/issue/([^/]+)/remotelink', (request) =>
      this.#found(request, (issue) => {
        const { globalId } = request.body
        issue.links = [...issue.links.filter((link) => link.globalId !== globalId), request.body]
        return { status: 201, json: { id: 1 } }
      }),
    )
  }

  /** What a person does over there. */
  open(given: {
    summary: string
    description?: string
    document?: JiraNode
    status?: string
    labels?: string[]
    by?: string
  }): string {
    const at = this.#clock.now().toISOString()
    const id = `${this.#double.nextId()}`
    const key = `${this.#project.key}-${this.issues.size + 1}`
    this.issues.set(id, {
      ...{ id, key, projectKey: this.#project.key, summary: given.summary },
      ...{ description: given.description ?? null, document: given.document ?? null },
      ...{ status: given.status ?? '1', resolution: null },
      ...{
        labels: given.labels ?? [],
        creator: given.by ?? 'ada',
        created: at,
        updated: at,
        comments: [],
        links: [],
      },
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

  #statusOf(id: string): Status {
    return this.statuses.find((one) => one.id === id)!
  }

  #who(request: DoubleRequest): string {
    return this.#double.accountOf(request)!.name
  }

  #touch(issue: StoredIssue): void {
    issue.updated = this.#clock.now().toISOString()
    this.changed(issue.id)
  }

  #comment(
    { id, author, body }: StoredIssue['comments'][number],
    issue: StoredIssue,
    request: DoubleRequest,
  ) {
    const self = `${this.#double.url}/rest/api/2/issue/${issue.id}/comment/${id}`
    const by = this.#double.userNamed(author, this.#double.isCloudFor(request))
    return { self, id, body, author: by, updateAuthor: by, created: issue.created, updated: issue.updated }
  }

  /** One issue blocks another. */
  block(id: string, by: string): void {
    this.#blocked.push({ id, by })
  }

  #links(issue: StoredIssue) {
    const type = { id: '10000', name: 'Blocks', inward: 'is blocked by', outward: 'blocks' }
    const shown = (id: string) => {
      const { key, summary, status: at } = this.get(id)
      return { id, key, fields: { summary, status: this.#statusOf(at) } }
    }
    return this.#blocked.flatMap<object>(({ id, by }, index) =>
      id === issue.id
        ? [{ id: `${index}`, type, inwardIssue: shown(by) }]
        : by === issue.id
          ? [{ id: `${index}`, type, outwardIssue: shown(id) }]
          : [],
    )
  }

  /** With an issue come only the newest of its comments, as Jira cuts them. */
  #comments(issue: StoredIssue, request: DoubleRequest) {
    const total = issue.comments.length
    const newest = issue.comments.slice(-mostComments).map((one) => this.#comment(one, issue, request))
    return { comments: newest, maxResults: newest.length, total, startAt: total - newest.length }
  }

  #rendered(issue: StoredIssue, request: DoubleRequest, asDocument = false) {
    const { id, key, summary, updated, labels } = issue
    const description = asDocument
      ? (issue.document ?? documentOf(issue.description))
      : issue.document
        ? wikiOf(issue.document).trim()
        : issue.description
    return {
      id,
      key,
      fields: {
        ...{ summary, description, updated, labels, status: this.#statusOf(issue.status) },
        resolution: issue.resolution && { name: issue.resolution },
        project: issue.projectKey === this.#project.key ? this.#project : { id: '1', key: issue.projectKey },
        creator: this.#double.userNamed(issue.creator, this.#double.isCloudFor(request)),
        comment: this.#comments(issue, request),
        issuelinks: this.#links(issue),
      },
    }
  }

  #found({ params: [id] }: DoubleRequest, answer: (issue: StoredIssue) => DoubleAnswer): DoubleAnswer {
    const issue = [...this.issues.values()].find((one) => one.id === id || one.key === id)
    return issue ? answer(issue) : missing
  }

  #create(request: DoubleRequest): DoubleAnswer {
    const { project, issuetype, summary, description, labels } = request.body.fields
    if (project?.key !== this.#project.key || !issuetype?.name || !summary)
      return { status: 400, json: { errors: { summary: 'You must specify a summary of the issue.' } } }
    const id = this.open({ summary, description, labels, by: this.#who(request) })
    return {
      status: 201,
      json: { id, key: this.get(id).key, self: `${this.#double.url}/rest/api/2/issue/${id}` },
    }
  }

  /** Understands the JQL that we write, and refuses any other. */
  #search(request: DoubleRequest, isCloud: boolean): DoubleAnswer {
    const { body } = request
    const jql = /^project = "(\w+)"( AND .*?)?(?: ORDER BY (updated|created) ASC)?$/.exec(body.jql)
    if (!jql || !Array.isArray(body.fields))
      return { status: 400, json: { errorMessages: [`Error in the JQL Query: ${body.jql}`] } }
    const minutes = /updated >= "-(\d+)m"/.exec(jql[2] ?? '')?.[1]
    const label = /labels = "([^"]+)"/.exec(jql[2] ?? '')?.[1]
    const by = jql[3] === 'updated' ? 'updated' : 'created'
    // In steps of a minute.
    const now = Math.floor(this.#clock.now().getTime() / 60_000) * 60_000
    const found = [...this.issues.values()]
      .filter((issue) => issue.projectKey === jql[1])
      .filter((issue) => !minutes || Date.parse(issue.updated) >= now - Number(minutes) * 60_000)
      .filter((issue) => !label || issue.labels.includes(label))
      .filter(
        (issue) =>
          !/statusCategory != Done/.test(jql[2] ?? '') ||
          this.#statusOf(issue.status).statusCategory.key !== 'done',
      )
      .sort((a, b) => a[by].localeCompare(b[by]) || Number(a.id) - Number(b.id))
    const from = Number((isCloud ? body.nextPageToken : body.startAt) ?? 0)
    const issues = found.slice(from, from + body.maxResults).map((issue) => this.#rendered(issue, request))
    const next = from + issues.length
    const headers = { date: this.#clock.now().toUTCString() }
    return isCloud
      ? {
          headers,
          json: { issues, ...(next < found.length ? { nextPageToken: `${next}` } : { isLast: true }) },
        }
      : { headers, json: { issues, startAt: from, total: found.length } }
  }
}

/** Documents as the cloud shows them to a client that asks for wiki markup: not everything is told. */
function wikiOf({ type, text = '', attrs = {}, marks = [], content = [] }: JiraNode): string {
  const inside = (between = '') => content.map(wikiOf).join(between)
  switch (type) {
    case 'text':
      return marks.some((mark) => mark.type === 'strong') ? `*${text}*` : text
    case 'mention':
      return `[~accountid:${attrs.id}]`
    case 'media':
      return `!${attrs.alt}!`
    case 'panel':
      return `{panel}\n${inside()}{panel}\n`
    case 'tableHeader':
      return `||${inside().trim()}`
    case 'tableCell':
      return `|${inside().trim()}`
    case 'tableRow':
      return `${inside()}|\n`
    case 'paragraph':
      return `${inside()}\n\n`
    // A lozenge, a date and what can be folded away are words, or nothing.
    case 'status':
      return `${attrs.text}`
    default:
      return inside()
  }
}

const documentOf = (wiki: string | null): JiraNode | null =>
  wiki === null
    ? null
    : {
        type: 'doc',
        content: wiki
          .split('\n\n')
          .map((text) => ({ type: 'paragraph', content: text ? [{ type: 'text', text }] : [] })),
      }
