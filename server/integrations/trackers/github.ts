import type { Connection } from '../../domain/ports/connection.ts'
import type {
  ChangedIssues,
  Issue,
  Tracker,
  TrackerProject,
  TrackerStatus,
} from '../../domain/ports/tracker.ts'
import type { Call } from '../connections/call.ts'
import { bodyOf, commentMarker, partsOf } from './block.ts'
import { fits } from './label.ts'
import { orNull } from './or-null.ts'
import { shortToken } from './token.ts'

interface GitHubIssue {
  number: number
  html_url: string
  title: string
  body: string | null
  state: 'open' | 'closed'
  state_reason?: string | null
  labels: (string | { name?: string })[]
  updated_at: string
  user: { login: string } | null
  pull_request?: unknown
  repository_url?: string
  /** Not there on servers that know no dependencies. */
  issue_dependencies_summary?: { blocked_by: number }
}

/** The URL of a page stays the same while nothing has changed, so that its ETag still fits. */
interface Cursor {
  since: string | null
  page: number
  /** All open issues are being read, since the tool's time `began`. */
  importing: boolean
  began: string | null
  newest: string | null
  etag: string | null
}

const start: Cursor = { since: null, page: 1, importing: true, began: null, newest: null, etag: null }
const perPage = 100
/** Two changes within a second, or a clock of theirs that is behind another: what was seen is seen again. */
const overlapMs = 5 * 60_000

/** Where an issue stands is said by its labels and by whether it is closed. */
const labels: TrackerStatus[] = [
  { id: 'open', name: 'Open, without a label below', guess: 'backlog' },
  { id: 'signalbox:refining', name: 'signalbox:refining', guess: 'refining' },
  { id: 'signalbox:ready', name: 'signalbox:ready', guess: 'ready' },
  { id: 'signalbox:in-progress', name: 'signalbox:in-progress', guess: 'in_progress' },
  { id: 'signalbox:review', name: 'signalbox:review', guess: 'review' },
  { id: 'closed', name: 'Closed as completed', guess: 'done' },
]
const isLabel = (status: string) => status !== 'open' && status !== 'closed'

export function githubIssues(call: Call): Tracker {
  const issues = ({ project }: TrackerProject) => `/repos/${project.key}/issues`

  const asIssue = ({ connection, project, label: wanted }: TrackerProject, issue: GitHubIssue): Issue => {
    const { description, block, wish } = partsOf(issue.body ?? '')
    const names = issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')))
    const isClosed = issue.state === 'closed'
    return {
      id: `${issue.number}`,
      key: `${project.key}#${issue.number}`,
      url: issue.html_url,
      title: issue.title,
      description,
      block,
      statuses: [...names, isClosed ? 'closed' : 'open'],
      left: isClosed && ['not_planned', 'duplicate'].includes(issue.state_reason ?? '') ? 'closed' : null,
      fits: fits(wanted, names),
      blockedBy: issue.issue_dependencies_summary?.blocked_by ? 'some' : [],
      updatedAt: new Date(issue.updated_at),
      wish: isOurs(connection, issue.user?.login) ? wish : null,
    }
  }

  const send = async (at: TrackerProject, id: string, json: object): Promise<Issue> => {
    const { body } = await call(at.connection, { method: 'PATCH', path: `${issues(at)}/${id}`, json })
    return asIssue(at, body as GitHubIssue)
  }

  const tracker: Tracker = {
    token: shortToken,

    async statuses({ connection, project }) {
      const others: TrackerStatus[] = []
      for (let page = 1; page <= 5; page += 1) {
        const query = { per_page: `${perPage}`, page: `${page}` }
        const { body } = await call(connection, {
          method: 'GET',
          path: `/repos/${project.key}/labels`,
          query,
        })
        const named = body as { name: string }[]
        others.push(...named.map(({ name }) => ({ id: name, name, guess: null })))
        if (named.length < perPage) break
      }
      return [...labels, ...others.filter(({ id }) => !labels.some((label) => label.id === id))]
    },

    async changed(at, given): Promise<ChangedIssues> {
      const cursor = (given as Cursor | null) ?? start
      const { since, page, importing } = cursor
      const response = await call(at.connection, {
        method: 'GET',
        path: issues(at),
        query: {
          state: importing ? 'open' : 'all',
          sort: 'updated',
          direction: 'asc',
          per_page: `${perPage}`,
          page: `${page}`,
          ...(since ? { since } : {}),
          ...(at.label ? { labels: at.label } : {}),
        },
        ...(cursor.etag ? { headers: { 'if-none-match': cursor.etag } } : {}),
      })
      if (response.status === 304) return { issues: [], cursor, more: false, total: null }
      const found = response.body as GitHubIssue[]
      const began = cursor.began ?? iso(new Date(response.headers.date ?? Date.now()))
      const last = found.at(-1)?.updated_at ?? null
      const newest = latest(cursor.newest, last)
      const next = { ...cursor, began, newest, etag: null }
      const more = found.length === perPage
      const ours = found.filter((issue) => !issue.pull_request).map((issue) => asIssue(at, issue))
      if (more) {
        // From the last one on, rather than by number: what is changed meanwhile moves to the end and shifts the pages.
        const moved = last && last !== since ? { since: last, page: 1 } : { page: page + 1 }
        return { issues: ours, cursor: { ...next, ...moved }, more, total: null }
      }
      // What was closed while the open ones were read is not among them.
      const known = importing ? began : newest
      const from = known && iso(new Date(Date.parse(known) - overlapMs))
      const stays = !importing && page === 1 && from === since
      const rest = { page: 1, importing: false, since: from ?? since }
      return {
        issues: ours,
        cursor: { ...next, ...rest, etag: stays ? (response.headers.etag ?? null) : null },
        more,
        total: null,
      }
    },

    async fetch(at, id) {
      return orNull(async () => {
        const { status, body } = await call(at.connection, { method: 'GET', path: `${issues(at)}/${id}` })
        if (status !== 200) return null
        const issue = body as GitHubIssue
        if (issue.pull_request) return null
        const found = asIssue(at, issue)
        // The call follows a transferred issue to its new repository, where it is none of ours.
        const isHere = issue.repository_url?.toLowerCase().endsWith(`/repos/${at.project.key}`.toLowerCase())
        return isHere === false ? { ...found, left: 'moved' } : found
      })
    },

    async blockers(at, id) {
      const open: string[] = []
      for (let page = 1; ; page += 1) {
        const query = { per_page: `${perPage}`, page: `${page}` }
        const path = `${issues(at)}/${id}/dependencies/blocked_by`
        const found = ((await orNull(() => call(at.connection, { path, query })))?.body ??
          []) as GitHubIssue[]
        for (const { number, state, repository_url: url } of found)
          if (state === 'open')
            open.push(`${url?.split('/').slice(-2).join('/') ?? at.project.key}#${number}`)
        if (found.length < perPage) return open
      }
    },

    async openIds(at, given) {
      const page = (given as number | null) ?? 1
      const query = {
        state: 'open',
        sort: 'created',
        direction: 'asc',
        per_page: `${perPage}`,
        page: `${page}`,
        ...(at.label ? { labels: at.label } : {}),
      }
      const { body } = await call(at.connection, { method: 'GET', path: issues(at), query })
      const found = body as GitHubIssue[]
      return {
        ids: found.filter((issue) => !issue.pull_request).map(({ number }) => `${number}`),
        cursor: found.length === perPage ? page + 1 : null,
      }
    },

    async create(at, { token, title, description, block, look }) {
      const { connection } = at
      if (look) {
        const query = {
          state: 'all',
          sort: 'created',
          direction: 'desc',
          per_page: `${perPage}`,
          ...(connection.account ? { creator: connection.account } : {}),
        }
        const { body } = await call(connection, { method: 'GET', path: issues(at), query })
        const made = (body as GitHubIssue[]).map((issue) => asIssue(at, issue))
        const found = made.find(({ wish }) => wish === token)
        if (found) return found
      }
      const json = {
        title,
        body: bodyOf({ description, block, wish: token }),
        ...(at.label ? { labels: [at.label] } : {}),
      }
      const { body } = await call(connection, { method: 'POST', path: issues(at), json })
      return asIssue(at, body as GitHubIssue)
    },

    update(at, issue, { title, description, block }) {
      const changesBody = description !== undefined || block !== undefined
      return send(at, issue.id, {
        ...(title === undefined ? {} : { title }),
        ...(changesBody
          ? {
              body: bodyOf({
                description: description ?? issue.description,
                block: block ?? issue.block,
                wish: issue.wish,
              }),
            }
          : {}),
      })
    },

    async move(at, issue, to, others) {
      const leaves = new Set([...others, to])
      const kept = issue.statuses.filter((status) => isLabel(status) && !leaves.has(status))
      const state = to === 'closed' ? { state: 'closed', state_reason: 'completed' } : { state: 'open' }
      const labels = isLabel(to) ? [...kept, to] : kept
      return { issue: await send(at, issue.id, { ...state, labels }) }
    },

    async comment(at, id, { token, text, ref, look }) {
      const { connection, project } = at
      const json = { body: `${text}\n\n${commentMarker(token)}` }
      if (ref !== null) {
        const path = `/repos/${project.key}/issues/comments/${ref}`
        const edited = await orNull(() => call(connection, { method: 'PATCH', path, json }))
        if (edited) return ref
      }
      const path = `${issues(at)}/${id}/comments`
      if (look) {
        // The oldest come first, and ours is the newest: that it is not on a page says nothing about the next.
        for (let page = 1; ; page += 1) {
          const query = { per_page: `${perPage}`, page: `${page}` }
          const { body } = await call(connection, { method: 'GET', path, query })
          const comments = body as { id: number; body: string; user: { login: string } | null }[]
          const found = comments.find(
            ({ user, body: text }) => isOurs(connection, user?.login) && text.includes(commentMarker(token)),
          )
          if (found) return `${found.id}`
          if (comments.length < perPage) break
        }
      }
      const { body } = await call(connection, { method: 'POST', path, json })
      return `${(body as { id: number }).id}`
    },

    hints(event, body) {
      const { issue, repository } = body as {
        issue?: GitHubIssue
        repository?: { id?: number; full_name?: string }
      }
      if (!['issues', 'issue_comment'].includes(event) || !issue?.number || issue.pull_request) return []
      const projects = [`${repository?.id ?? ''}`, repository?.full_name ?? ''].filter(Boolean)
      return [{ projects, issue: `${issue.number}` }]
    },
  }
  return tracker
}

const isOurs = ({ account }: Connection, login: string | undefined): boolean =>
  account !== null && login?.toLowerCase() === account.toLowerCase()

/** GitHub counts in seconds. */
const iso = (date: Date) => `${date.toISOString().slice(0, 19)}Z`

const latest = (one: string | null, other: string | null): string | null =>
  one && other ? (Date.parse(one) >= Date.parse(other) ? one : other) : (one ?? other)
