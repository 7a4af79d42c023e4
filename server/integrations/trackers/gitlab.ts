import type { Tracker, TrackerProject, TrackerStatus } from '../../domain/ports/tracker.ts'
import type { Call } from '../connections/call.ts'
import { partsOf } from './block.ts'
import { fits } from './label.ts'
import { isOurs, LabelledIssues, type LabelTool } from './labelled-issues.ts'
import { orNull } from './or-null.ts'

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

interface Note {
  id: number
  body: string
  author: { username: string } | null
}

/** Scoped labels: the tool takes the old one away when a new one of the scope is added. */
const statuses: TrackerStatus[] = [
  { id: 'opened', name: 'Open, without a label below', guess: 'backlog' },
  { id: 'workflow::refining', name: 'workflow::refining', guess: 'refining' },
  { id: 'workflow::ready', name: 'workflow::ready', guess: 'ready' },
  { id: 'workflow::in progress', name: 'workflow::in progress', guess: 'in_progress' },
  { id: 'workflow::review', name: 'workflow::review', guess: 'review' },
  { id: 'closed', name: 'Closed', guess: 'done' },
]
const isLabel = (status: string) => status !== 'opened' && status !== 'closed'

const root = ({ project }: TrackerProject) => `/api/v4/projects/${encodeURIComponent(project.id)}`
const issues = (at: TrackerProject) => `${root(at)}/issues`

const gitlab: LabelTool<GitLabIssue, Note> = {
  statuses,
  issues,
  labels: (at) => `${root(at)}/labels`,
  comments: (at, issue) => `${issues(at)}/${issue}/notes`,
  comment: (at, issue, ref) => `${issues(at)}/${issue}/notes/${ref}`,
  commentQuery: { sort: 'desc', order_by: 'created_at' },
  editsWith: 'PUT',
  bodyField: 'description',
  keepsEtags: false,

  list: ({ state, by, direction, since, label, author }) => ({
    ...{ scope: 'all', order_by: `${by}_at`, sort: direction },
    state: state === 'open' ? 'opened' : 'all',
    updated_after: since ?? undefined,
    labels: label ?? undefined,
    author_username: author ?? undefined,
  }),

  isIssue: () => true,

  idOf: ({ iid }) => `${iid}`,

  asIssue({ connection, project, label }, issue) {
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
      // The list of issues does not include blockers; they are fetched separately.
      blockedBy: null,
      updatedAt: new Date(issue.updated_at),
      wish: isOurs(connection, issue.author?.username) ? wish : null,
    }
  },

  authorOf: ({ author }) => author?.username,

  labelled: (label) => label,

  moved(issue, to, others) {
    if (to === 'closed') return { state_event: 'close' }
    const removed = others.filter((other) => isLabel(other) && other !== to)
    return {
      ...(issue.statuses.includes('closed') ? { state_event: 'reopen' } : {}),
      ...(isLabel(to) ? { add_labels: to } : {}),
      ...(removed.length > 0 ? { remove_labels: removed.join(',') } : {}),
    }
  },

  instant: (date) => date.toISOString(),

  totalIn(headers) {
    const said = Number(headers['x-total'])
    return Number.isSafeInteger(said) && said > 0 ? said : null
  },

  async blockers(call, at, id) {
    const answer = await orNull(() => call(at.connection, { path: `${issues(at)}/${id}/links` }))
    return (
      answer &&
      (answer.body as LinkedIssue[])
        .filter(({ link_type: type, state }) => type === 'is_blocked_by' && state === 'opened')
        .map(({ references, iid }) => references?.full ?? `#${iid}`)
    )
  },

  hints(_, body) {
    const { object_kind, object_attributes, project, issue } = body as {
      object_kind?: string
      object_attributes?: { iid?: number }
      issue?: { iid?: number }
      project?: { id?: number; path_with_namespace?: string }
    }
    const isOfIssue = ['issue', 'work_item'].includes(object_kind ?? '')
    const iid = object_kind === 'note' ? issue?.iid : isOfIssue ? object_attributes?.iid : undefined
    const projects = [`${project?.id ?? ''}`, project?.path_with_namespace ?? ''].filter(Boolean)
    return iid ? [{ projects, issue: `${iid}` }] : []
  },
}

export const gitlabIssues = (call: Call): Tracker => new LabelledIssues(call, gitlab)
