import type { Clock } from '../../infra/clock.ts'
import { type DoubleAnswer, type DoubleRequest, pageOf } from './double.ts'
import type { DoubleProject, GitlabDouble } from './gitlab.ts'
import { issueOf, labelOf, linkOf, noteOf, type ShownIssue, type ShownNote } from './gitlab-shapes.ts'

interface StoredIssue extends ShownIssue {
  notes: ShownNote[]
  isDeleted?: boolean
}

const missing: DoubleAnswer = { status: 404, json: { message: '404 Not found' } }

/** The issues of one project, as GitLab's REST API has them: scoped labels, notes, moved issues. */
export class GitlabIssues {
  readonly issues = new Map<number, StoredIssue>()
  /** Called on every change, no matter who made it: webhooks and pages follow from it. */
  changed: (iid: number) => void = () => {}
  readonly #blocked: { iid: number; by: number }[] = []
  readonly #double: GitlabDouble
  readonly #project: DoubleProject
  readonly #clock: Clock

  constructor(double: GitlabDouble, project: DoubleProject, clock: Clock) {
    this.#double = double
    this.#project = project
    this.#clock = clock
    const on = (method: string, rest: string, handler: (request: DoubleRequest) => DoubleAnswer) =>
      double.on(method, new RegExp(`^/api/v4/projects/(?:${project.id})${rest}$`), handler)
    on('GET', '/labels', ({ query }) => ({ json: pageOf(this.#labels(), query, 20).map(labelOf) }))
    on('GET', '/issues', (request) => this.#list(request))
    on('POST', '/issues', (request) => this.#create(request))
    on('GET', '/issues/(\\d+)', (request) =>
      this.#found(request, (issue) => ({ json: this.#rendered(issue) })),
    )
    on('PUT', '/issues/(\\d+)', (request) =>
      this.#found(request, (issue) => this.#change(issue, request.body)),
    )
    on('GET', '/issues/(\\d+)/links', (request) =>
      this.#found(request, (issue) => ({
        json: this.#blocked.flatMap(({ iid, by }) => {
          if (iid === issue.iid) return [linkOf(this.#rendered(this.get(by)), 'is_blocked_by')]
          return by === issue.iid ? [linkOf(this.#rendered(this.get(iid)), 'blocks')] : []
        }),
      })),
    )
    on('GET', '/issues/(\\d+)/notes', (request) =>
      this.#found(request, (issue) => {
        const ordered = request.query.get('sort') === 'asc' ? issue.notes : issue.notes.toReversed()
        return { json: pageOf(ordered, request.query, 20).map((note) => this.#note(issue, note)) }
      }),
    )
    on('POST', '/issues/(\\d+)/notes', (request) =>
      this.#found(request, (issue) => {
        const author = { username: double.tokenOf(request)!.username }
        const note = { id: double.nextId(), body: `${request.body.body}`, author }
        issue.notes.push(note)
        this.#touch(issue)
        return { status: 201, json: this.#note(issue, note) }
      }),
    )
    on('PUT', '/issues/(\\d+)/notes/(\\d+)', (request) =>
      this.#found(request, (issue) => {
        const note = issue.notes.find(({ id }) => `${id}` === request.params[1])
        if (!note) return missing
        note.body = request.body.body
        this.#touch(issue)
        return { json: this.#note(issue, note) }
      }),
    )
  }

  /** What a person does over there. */
  open(given: { title: string; description?: string; labels?: string[]; by?: string }): number {
    const at = this.#clock.now().toISOString()
    const iid = this.issues.size + 1
    this.issues.set(iid, {
      id: this.#double.nextId(),
      iid,
      project_id: this.#project.id,
      title: given.title,
      description: given.description ?? null,
      state: 'opened',
      labels: given.labels ?? [],
      author: { username: given.by ?? 'ada' },
      moved_to_id: null,
      created_at: at,
      updated_at: at,
      notes: [],
    })
    this.changed(iid)
    return iid
  }

  edit(iid: number, changes: Partial<StoredIssue>): void {
    const issue = this.get(iid)
    Object.assign(issue, changes)
    this.#touch(issue)
  }

  get(iid: number): StoredIssue {
    return this.issues.get(iid)!
  }

  #touch(issue: StoredIssue): void {
    issue.updated_at = this.#clock.now().toISOString()
    this.changed(issue.iid)
  }

  /** One issue blocks another. */
  block(iid: number, by: number): void {
    this.#blocked.push({ iid, by })
  }

  #rendered({ notes, isDeleted: _, ...issue }: StoredIssue) {
    return issueOf(this.#double.url, this.#project.path_with_namespace, notes.length, issue)
  }

  #note({ id, iid, project_id: project }: StoredIssue, note: ShownNote) {
    return noteOf(this.#double.url, { type: 'Issue', id, iid, project }, note)
  }

  #labels(): string[] {
    return [...new Set(['bug', ...[...this.issues.values()].flatMap(({ labels }) => labels)])]
  }

  #found({ params: [iid] }: DoubleRequest, answer: (issue: StoredIssue) => DoubleAnswer): DoubleAnswer {
    const issue = this.issues.get(Number(iid))
    return issue && !issue.isDeleted ? answer(issue) : missing
  }

  #create(request: DoubleRequest): DoubleAnswer {
    const { title, description, labels } = request.body ?? {}
    if (!title) return { status: 400, json: { message: { title: ["can't be blank"] } } }
    const iid = this.open({
      title,
      description,
      labels: labels ? `${labels}`.split(',') : [],
      by: this.#double.tokenOf(request)!.username,
    })
    return { status: 201, json: this.#rendered(this.get(iid)) }
  }

  #change(issue: StoredIssue, body: Record<string, string>): DoubleAnswer {
    if (body.title !== undefined) issue.title = body.title
    if (body.description !== undefined) issue.description = body.description
    if (body.state_event) issue.state = body.state_event === 'close' ? 'closed' : 'opened'
    const removed = (body.remove_labels ?? '').split(',')
    issue.labels = issue.labels.filter((label) => !removed.includes(label))
    for (const added of (body.add_labels ?? '').split(',').filter(Boolean)) {
      // Of a scope an issue has one label.
      const scope = added.includes('::') ? added.slice(0, added.lastIndexOf('::') + 2) : null
      issue.labels = [...issue.labels.filter((label) => !scope || !label.startsWith(scope)), added]
    }
    this.#touch(issue)
    return { json: this.#rendered(issue) }
  }

  #list({ query }: DoubleRequest): DoubleAnswer {
    const state = query.get('state') ?? 'all'
    const since = query.get('updated_after')
    const author = query.get('author_username')
    const wanted = (query.get('labels') ?? '').split(',').filter(Boolean)
    const by = query.get('order_by') === 'updated_at' ? 'updated_at' : 'created_at'
    const direction = query.get('sort') === 'asc' ? 1 : -1
    const all = [...this.issues.values()]
      .filter((issue) => !issue.isDeleted && (state === 'all' || issue.state === state))
      .filter(
        (issue) => (!since || issue.updated_at >= since) && (!author || issue.author.username === author),
      )
      .filter(({ labels }) => wanted.every((name) => labels.includes(name)))
      .sort((a, b) => direction * (a[by].localeCompare(b[by]) || a.iid - b.iid))
    return {
      json: pageOf(all, query, 20).map((issue) => this.#rendered(issue)),
      headers: { 'x-total': `${all.length}`, date: this.#clock.now().toUTCString() },
    }
  }
}
