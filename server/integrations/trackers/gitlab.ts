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

/** Another issue, and what it is to this one. Only some plans know more than `relates_to`. */
interface LinkedIssue {
  iid: number
  state: string
  link_type: string
  references?: { full: string }
}

interface GitLabIssue {
  iid: number
  project_id: number
  web_url: string
  references?: { full?: string }
  title: string
  description: string | null
  state: 'opened' | 'closed'
  labels: string[]
  updated_at: string
  author: { username: string } | null
  moved_to_id: number | null
}

interface Cursor {
  since: string | null
  page: number
  importing: boolean
  began: string | null
  newest: string | null
}

const start: Cursor = { since: null, page: 1, importing: true, began: null, newest: null }
const perPage = 100
const overlapMs = 5 * 60_000

/** Scoped labels: the tool takes the old one away when a new one of the scope is added. */
const labels: TrackerStatus[] = [
  { id: 'opened', name: 'Open, without a label below', guess: 'backlog' },
  { id: 'workflow::refining', name: 'workflow::refining', guess: 'refining' },
  { id: 'workflow::ready', name: 'workflow::ready', guess: 'ready' },
  { id: 'workflow::in progress', name: 'workflow::in progress', guess: 'in_progress' },
  { id: 'workflow::review', name: 'workflow::review', guess: 'review' },
  { id: 'closed', name: 'Closed', guess: 'done' },
]
const isLabel = (status: string) => status !== 'opened' && status !== 'closed'

export function gitlabIssues(call: Call): Tracker {
  const root = ({ project }: TrackerProject) => `/api/v4/projects/${encodeURIComponent(project.id)}`
  const issues = (at: TrackerProject) => `${root(at)}/issues`

  const asIssue = ({ connection, project, label }: TrackerProject, issue: GitLabIssue): Issue => {
    const { description, block, wish } = partsOf(issue.description ?? '')
    return {
      id: `${issue.iid}`,
      key: issue.references?.full ?? `${project.key}#${issue.iid}`,
      url: issue.web_url,
      title: issue.title,
      description,
      block,
      statuses: issue.state === 'closed' ? ['closed'] : [...issue.labels, 'opened'],
      left: issue.moved_to_id === null || issue.moved_to_id === undefined ? null : 'moved',
      fits: fits(label, issue.labels),
      // The list of issues does not say; who blocks it is asked for by itself.
      blockedBy: null,
      updatedAt: new Date(issue.updated_at),
      wish: isOurs(connection, issue.author?.username) ? wish : null,
    }
  }

  const send = async (at: TrackerProject, id: string, json: object): Promise<Issue> => {
    const { body } = await call(at.connection, { method: 'PUT', path: `${issues(at)}/${id}`, json })
    return asIssue(at, body)
  }

  return {
    token: shortToken,

    async statuses(at) {
      const query = { per_page: perPage, with_counts: false }
      const { body } = await call(at.connection, { path: `${root(at)}/labels`, query })
      const others = (body as { name: string }[]).map(({ name }) => ({ id: name, name, guess: null }))
      return [...labels, ...others.filter(({ id }) => !labels.some((label) => label.id === id))]
    },

    async changed(at, given): Promise<ChangedIssues> {
      const cursor = (given as Cursor | null) ?? start
      const { since, page, importing } = cursor
      const response = await call(at.connection, {
        path: issues(at),
        query: {
          scope: 'all',
          state: importing ? 'opened' : 'all',
          order_by: 'updated_at',
          sort: 'asc',
          per_page: perPage,
          page,
          updated_after: since ?? undefined,
          labels: at.label ?? undefined,
        },
      })
      const found = response.body as GitLabIssue[]
      const began = cursor.began ?? new Date(response.headers.date ?? Date.now()).toISOString()
      const last = found.at(-1)?.updated_at ?? null
      const newest = last ?? cursor.newest
      const more = found.length === perPage
      const next = { ...cursor, began, newest }
      const ours = found.map((issue) => asIssue(at, issue))
      const said = Number(response.headers['x-total'])
      const total = importing && since === null && Number.isSafeInteger(said) && said > 0 ? said : null
      if (more) {
        const moved = last && last !== since ? { since: last, page: 1 } : { page: page + 1 }
        return { issues: ours, cursor: { ...next, ...moved }, more, total }
      }
      const known = importing ? began : newest
      const from = known && new Date(Date.parse(known) - overlapMs).toISOString()
      return {
        issues: ours,
        cursor: { ...next, page: 1, importing: false, since: from ?? since },
        more,
        total,
      }
    },

    async fetch(at, id) {
      const answer = await orNull(() => call(at.connection, { path: `${issues(at)}/${id}` }))
      return answer && asIssue(at, answer.body)
    },

    async blockers(at, id) {
      const path = `${issues(at)}/${id}/links`
      const found = ((await orNull(() => call(at.connection, { path })))?.body ?? []) as LinkedIssue[]
      return found
        .filter(({ link_type: type, state }) => type === 'is_blocked_by' && state === 'opened')
        .map(({ references, iid }) => references?.full ?? `#${iid}`)
    },

    async openIds(at, given) {
      const page = (given as number | null) ?? 1
      const query = {
        scope: 'all',
        state: 'opened',
        order_by: 'created_at',
        sort: 'asc',
        per_page: perPage,
        page,
        labels: at.label ?? undefined,
      }
      const { body } = await call(at.connection, { path: issues(at), query })
      const found = body as GitLabIssue[]
      return {
        ids: found.map(({ iid }) => `${iid}`),
        cursor: found.length === perPage ? page + 1 : null,
      }
    },

    async create(at, { token, title, description, block, look }) {
      if (look) {
        const query = {
          scope: 'all',
          order_by: 'created_at',
          sort: 'desc',
          per_page: perPage,
          author_username: at.connection.account ?? undefined,
        }
        const { body } = await call(at.connection, { path: issues(at), query })
        const found = (body as GitLabIssue[])
          .map((issue) => asIssue(at, issue))
          .find(({ wish }) => wish === token)
        if (found) return found
      }
      const json = {
        title,
        description: bodyOf({ description, block, wish: token }),
        ...(at.label ? { labels: at.label } : {}),
      }
      const { body } = await call(at.connection, { method: 'POST', path: issues(at), json })
      return asIssue(at, body)
    },

    update(at, issue, { title, description, block }) {
      const changesBody = description !== undefined || block !== undefined
      return send(at, issue.id, {
        ...(title === undefined ? {} : { title }),
        ...(changesBody
          ? {
              description: bodyOf({
                description: description ?? issue.description,
                block: block ?? issue.block,
                wish: issue.wish,
              }),
            }
          : {}),
      })
    },

    async move(at, issue, to, others) {
      const removed = others.filter((other) => isLabel(other) && other !== to)
      if (to === 'closed') return { issue: await send(at, issue.id, { state_event: 'close' }) }
      return {
        issue: await send(at, issue.id, {
          ...(issue.statuses.includes('closed') ? { state_event: 'reopen' } : {}),
          ...(isLabel(to) ? { add_labels: to } : {}),
          ...(removed.length > 0 ? { remove_labels: removed.join(',') } : {}),
        }),
      }
    },

    async comment(at, id, { token, text, ref, look }) {
      const path = `${issues(at)}/${id}/notes`
      const json = { body: `${text}\n\n${commentMarker(token)}` }
      if (ref !== null) {
        const edited = await orNull(() =>
          call(at.connection, { method: 'PUT', path: `${path}/${ref}`, json }),
        )
        if (edited) return ref
      }
      if (look) {
        for (let page = 1; ; page += 1) {
          const query = { sort: 'desc', order_by: 'created_at', per_page: perPage, page }
          const { body } = await call(at.connection, { path, query })
          const notes = body as { id: number; body: string; author: { username: string } | null }[]
          const found = notes.find(
            ({ author, body: said }) =>
              isOurs(at.connection, author?.username) && said.includes(commentMarker(token)),
          )
          if (found) return `${found.id}`
          if (notes.length < perPage) break
        }
      }
      const { body } = await call(at.connection, { method: 'POST', path, json })
      return `${body.id}`
    },

    hints(_, body) {
      const { object_kind, object_attributes, project, issue } = body as {
        object_kind?: string
        object_attributes?: { iid?: number }
        issue?: { iid?: number }
        project?: { id?: number; path_with_namespace?: string }
      }
      const iid =
        object_kind === 'note'
          ? issue?.iid
          : ['issue', 'work_item'].includes(object_kind ?? '')
            ? object_attributes?.iid
            : undefined
      if (!iid) return []
      return [
        {
          projects: [`${project?.id ?? ''}`, project?.path_with_namespace ?? ''].filter(Boolean),
          issue: `${iid}`,
        },
      ]
    },
  }
}

const isOurs = ({ account }: Connection, username: string | undefined): boolean =>
  account !== null && username?.toLowerCase() === account.toLowerCase()
