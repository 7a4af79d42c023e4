import type { Tracker, TrackerProject, TrackerStatus } from '../../domain/ports/tracker.ts'
import type { Call } from '../connections/call.ts'
import { partsOf } from './block.ts'
import { fits } from './label.ts'
import { isOurs, itemsOf, LabelledIssues, type LabelTool } from './labelled-issues.ts'
import { orNull } from './or-null.ts'

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

interface GitHubComment {
  id: number
  body: string
  user: { login: string } | null
}

/** An issue's status follows from its labels and from whether it is closed. */
const statuses: TrackerStatus[] = [
  { id: 'open', name: 'Open, without a label below', guess: 'backlog' },
  { id: 'signalbox:refining', name: 'signalbox:refining', guess: 'refining' },
  { id: 'signalbox:ready', name: 'signalbox:ready', guess: 'ready' },
  { id: 'signalbox:in-progress', name: 'signalbox:in-progress', guess: 'in_progress' },
  { id: 'signalbox:review', name: 'signalbox:review', guess: 'review' },
  { id: 'closed', name: 'Closed as completed', guess: 'done' },
]
const isLabel = (status: string) => status !== 'open' && status !== 'closed'

const issues = ({ project }: TrackerProject) => `/repos/${project.key}/issues`

const github: LabelTool<GitHubIssue, GitHubComment> = {
  statuses,
  issues,
  labels: ({ project }) => `/repos/${project.key}/labels`,
  comments: (at, issue) => `${issues(at)}/${issue}/comments`,
  comment: (at, _, ref) => `${issues(at)}/comments/${ref}`,
  commentQuery: {},
  editsWith: 'PATCH',
  bodyField: 'body',
  keepsEtags: true,

  list: ({ state, by, direction, since, label, author }) => ({
    ...{ state, sort: by, direction },
    ...{ since: since ?? undefined, labels: label ?? undefined, creator: author ?? undefined },
  }),

  isIssue: ({ pull_request }) => !pull_request,

  idOf: ({ number }) => `${number}`,

  asIssue({ connection, project, label: wanted }, issue) {
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
  },

  /** The call follows a transferred issue to its new repository, where it is none of ours. */
  asFetched(at, issue) {
    const found = github.asIssue(at, issue)
    const isHere = issue.repository_url?.toLowerCase().endsWith(`/repos/${at.project.key}`.toLowerCase())
    return isHere === false ? { ...found, left: 'moved' } : found
  },

  authorOf: ({ user }) => user?.login,

  labelled: (label) => [label],

  moved(issue, to, others) {
    const leaves = new Set([...others, to])
    const kept = issue.statuses.filter((status) => isLabel(status) && !leaves.has(status))
    const state = to === 'closed' ? { state: 'closed', state_reason: 'completed' } : { state: 'open' }
    return { ...state, labels: isLabel(to) ? [...kept, to] : kept }
  },

  /** GitHub counts in seconds. */
  instant: (date) => `${date.toISOString().slice(0, 19)}Z`,

  blockers: (call, at, id) =>
    orNull(async () => {
      const open: string[] = []
      const path = `${issues(at)}/${id}/dependencies/blocked_by`
      for await (const { number, state, repository_url: url } of itemsOf<GitHubIssue>(call, at, path, {}))
        if (state === 'open') open.push(`${url?.split('/').slice(-2).join('/') ?? at.project.key}#${number}`)
      return open
    }),

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

export const githubIssues = (call: Call): Tracker => new LabelledIssues(call, github)
