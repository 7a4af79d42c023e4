import type { IncomingHttpHeaders } from 'node:http'
import type { Connection } from '../../domain/ports/connection.ts'
import type {
  ChangedIssues,
  Issue,
  IssueChanges,
  Tracker,
  TrackerProject,
  TrackerStatus,
} from '../../domain/ports/tracker.ts'
import type { Call, ToolRequest } from '../connections/call.ts'
import { bodyOf, commentMarker } from './block.ts'
import { orNull } from './or-null.ts'
import { shortToken } from './token.ts'

type Query = NonNullable<ToolRequest['query']>

/** How a list of issues is asked for. */
interface ListOf {
  state: 'open' | 'all'
  by: 'updated' | 'created'
  direction: 'asc' | 'desc'
  since?: string | null
  label?: string | null
  author?: string | null
}

/** What GitHub and GitLab say differently. */
export interface LabelTool<Raw, Comment> {
  /** What the statuses of ours are called, furthest back first. */
  statuses: TrackerStatus[]
  issues(at: TrackerProject): string
  labels(at: TrackerProject): string
  comments(at: TrackerProject, issue: string): string
  comment(at: TrackerProject, issue: string, ref: string): string
  commentQuery: Query
  editsWith: 'PATCH' | 'PUT'
  list(of: ListOf): Query
  isIssue(found: Raw): boolean
  idOf(found: Raw): string
  asIssue(at: TrackerProject, found: Raw): Issue
  /** As it is found by its id, which may lead elsewhere. */
  asFetched?(at: TrackerProject, found: Raw): Issue
  authorOf(comment: Comment): string | undefined
  bodyField: 'body' | 'description'
  /** Of a new issue. */
  labelled(label: string): unknown
  /** What an edit says that takes an issue to a status. */
  moved(issue: Issue, to: string, others: string[]): object
  /** A time as precise as the tool's own. */
  instant(date: Date): string
  /** How many there are in all, where an answer says so. */
  totalIn?(headers: IncomingHttpHeaders): number | null
  /** A page that has not changed is answered without one. */
  keepsEtags: boolean
  blockers(call: Call, at: TrackerProject, issue: string): Promise<string[] | null>
  hints: Tracker['hints']
}

/** The URL of a page stays the same while nothing has changed, so that its ETag still fits. */
interface Cursor {
  since: string | null
  page: number
  /** All open issues are being read, since the tool's time `began`. */
  importing: boolean
  began: string | null
  newest: string | null
  etag?: string | null
}

const start: Cursor = { since: null, page: 1, importing: true, began: null, newest: null, etag: null }
const perPage = 100
/** Two changes within a second, or a clock of theirs that is behind another: what was seen is seen again. */
const overlapMs = 5 * 60_000
const mostPagesOfLabels = 5

/** Trackers in which an issue is open or closed, and labels say the rest. */
export class LabelledIssues<Raw extends { updated_at: string }, Comment extends { id: number; body: string }>
  implements Tracker
{
  readonly #call: Call
  readonly #tool: LabelTool<Raw, Comment>
  readonly token = shortToken
  readonly hints: Tracker['hints']

  constructor(call: Call, tool: LabelTool<Raw, Comment>) {
    this.#call = call
    this.#tool = tool
    this.hints = tool.hints
  }

  async statuses(at: TrackerProject): Promise<TrackerStatus[]> {
    const { statuses, labels } = this.#tool
    const others: TrackerStatus[] = []
    for await (const { name } of itemsOf<{ name: string }>(this.#call, at, labels(at), {}, mostPagesOfLabels))
      if (!statuses.some(({ id }) => id === name)) others.push({ id: name, name, guess: null })
    return [...statuses, ...others]
  }

  async changed(at: TrackerProject, given: unknown): Promise<ChangedIssues> {
    const tool = this.#tool
    const cursor = (given as Cursor | null) ?? start
    const { since, page, importing, etag } = cursor
    const listed = tool.list({
      ...{ state: importing ? 'open' : 'all', by: 'updated', direction: 'asc', since, label: at.label },
    })
    const { status, headers, body } = await this.#call(at.connection, {
      path: tool.issues(at),
      query: { ...listed, per_page: perPage, page },
      ...(etag ? { headers: { 'if-none-match': etag } } : {}),
    })
    if (status === 304) return { issues: [], cursor, more: false, total: null }
    const found = body as Raw[]
    const issues = found.filter(tool.isIssue).map((one) => tool.asIssue(at, one))
    const began = cursor.began ?? tool.instant(new Date(headers.date ?? Date.now()))
    const last = found.at(-1)?.updated_at ?? null
    const next = { ...cursor, began, newest: latest(cursor.newest, last), etag: null }
    const total = importing && since === null ? (tool.totalIn?.(headers) ?? null) : null
    if (found.length === perPage) {
      // From the last one on, rather than by number: what changes in between moves to the end and shifts the pages.
      const moved = last && last !== since ? { since: last, page: 1 } : { page: page + 1 }
      return { issues, cursor: { ...next, ...moved }, more: true, total }
    }
    // What was closed while the open ones were read is not among them.
    const known = importing ? began : next.newest
    const from = known && tool.instant(new Date(Date.parse(known) - overlapMs))
    const stays = tool.keepsEtags && !importing && page === 1 && from === since
    const rest = { page: 1, importing: false, since: from ?? since }
    return {
      issues,
      cursor: { ...next, ...rest, etag: stays ? (headers.etag ?? null) : null },
      more: false,
      total,
    }
  }

  async fetch(at: TrackerProject, id: string): Promise<Issue | null> {
    const { issues, isIssue, asIssue, asFetched = asIssue } = this.#tool
    const answer = await orNull(() => this.#call(at.connection, { path: `${issues(at)}/${id}` }))
    return answer?.status === 200 && isIssue(answer.body) ? asFetched(at, answer.body) : null
  }

  blockers(at: TrackerProject, id: string): Promise<string[] | null> {
    return this.#tool.blockers(this.#call, at, id)
  }

  async openIds(at: TrackerProject, given: unknown): Promise<{ ids: string[]; cursor: unknown }> {
    const { list, issues, isIssue, idOf } = this.#tool
    const page = (given as number | null) ?? 1
    const listed = list({ state: 'open', by: 'created', direction: 'asc', label: at.label })
    const query = { ...listed, per_page: perPage, page }
    const found = (await this.#call(at.connection, { path: issues(at), query })).body as Raw[]
    return { ids: found.filter(isIssue).map(idOf), cursor: found.length === perPage ? page + 1 : null }
  }

  async create(at: TrackerProject, wish: Parameters<Tracker['create']>[1]): Promise<Issue> {
    const { issues, asIssue, bodyField, labelled } = this.#tool
    const { token, title, description, block, look } = wish
    const made = look ? await this.#madeBefore(at, token) : null
    if (made) return made
    const json = {
      title,
      [bodyField]: bodyOf({ description, block, wish: token }),
      ...(at.label ? { labels: labelled(at.label) } : {}),
    }
    const { body } = await this.#call(at.connection, { method: 'POST', path: issues(at), json })
    return asIssue(at, body)
  }

  /** Ours may be old by now: that it is not on a page says nothing about the next. */
  async #madeBefore(at: TrackerProject, token: string): Promise<Issue | null> {
    const { list, issues, asIssue } = this.#tool
    const ours = list({ state: 'all', by: 'created', direction: 'desc', author: at.connection.account })
    for await (const found of itemsOf<Raw>(this.#call, at, issues(at), ours)) {
      const issue = asIssue(at, found)
      if (issue.wish === token) return issue
    }
    return null
  }

  update(at: TrackerProject, issue: Issue, { title, description, block }: IssueChanges): Promise<Issue> {
    const { description: former, block: formerBlock, wish } = issue
    const body = bodyOf({ description: description ?? former, block: block ?? formerBlock, wish })
    const changesBody = description !== undefined || block !== undefined
    return this.#edit(at, issue.id, {
      ...(title === undefined ? {} : { title }),
      ...(changesBody ? { [this.#tool.bodyField]: body } : {}),
    })
  }

  async move(at: TrackerProject, issue: Issue, to: string, others: string[]): Promise<{ issue: Issue }> {
    return { issue: await this.#edit(at, issue.id, this.#tool.moved(issue, to, others)) }
  }

  async #edit(at: TrackerProject, id: string, json: object): Promise<Issue> {
    const { issues, asIssue, editsWith: method } = this.#tool
    const { body } = await this.#call(at.connection, { method, path: `${issues(at)}/${id}`, json })
    return asIssue(at, body)
  }

  async comment(at: TrackerProject, id: string, wish: Parameters<Tracker['comment']>[2]): Promise<string> {
    const { comment, comments, commentQuery, authorOf, editsWith: method } = this.#tool
    const { token, text, ref, look } = wish
    const marker = commentMarker(token)
    const json = { body: `${text}\n\n${marker}` }
    if (ref !== null) {
      const path = comment(at, id, ref)
      if (await orNull(() => this.#call(at.connection, { method, path, json }))) return ref
    }
    const path = comments(at, id)
    if (look)
      for await (const found of itemsOf<Comment>(this.#call, at, path, commentQuery))
        if (isOurs(at.connection, authorOf(found)) && found.body.includes(marker)) return `${found.id}`
    const { body } = await this.#call(at.connection, { method: 'POST', path, json })
    return `${body.id}`
  }
}

/** Everything in a list, page by page. */
export async function* itemsOf<T>(
  call: Call,
  { connection }: TrackerProject,
  path: string,
  query: Query,
  mostPages = Number.POSITIVE_INFINITY,
): AsyncGenerator<T> {
  for (let page = 1; page <= mostPages; page += 1) {
    const { body } = await call(connection, { path, query: { ...query, per_page: perPage, page } })
    yield* body as T[]
    if (body.length < perPage) return
  }
}

export const isOurs = ({ account }: Connection, user: string | undefined): boolean =>
  account !== null && user?.toLowerCase() === account.toLowerCase()

const latest = (one: string | null, other: string | null): string | null =>
  one && other ? (Date.parse(one) >= Date.parse(other) ? one : other) : (one ?? other)
