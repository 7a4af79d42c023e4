import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type {
  ChangedIssues,
  Issue,
  Tracker,
  TrackerProject,
  TrackerStatus,
} from '../../domain/ports/tracker.ts'
import type { Call } from '../connections/call.ts'
import { isJiraCloud } from '../connections/jira.ts'
import { fits } from './label.ts'
import { orNull } from './or-null.ts'
import { shortToken } from './token.ts'
import { fromWiki, isPlainWiki, toWiki } from './wiki.ts'

/**
 * Version 2 of the API: the cloud and the data center both have it, and its texts are wiki markup, in which mentions and
 * media are words that stay where they are as long as nobody writes the description.
 */
const api = '/rest/api/2'
const fields = [
  'summary',
  'description',
  'status',
  'updated',
  'project',
  'labels',
  'resolution',
  'creator',
  'comment',
]

interface JiraUser {
  accountId?: string
  name?: string
  key?: string
  displayName?: string
  emailAddress?: string
}

interface JiraComment {
  id: string
  author?: JiraUser
  body: string
}

interface JiraIssue {
  id: string
  key: string
  fields: {
    summary: string
    description: string | null
    status: { id: string; name: string; statusCategory?: { key: string } }
    updated: string
    project: { id: string; key: string }
    labels?: string[]
    resolution?: { name: string } | null
    creator?: JiraUser | null
    comment?: { comments: JiraComment[] }
  }
}

interface Cursor {
  /** Milliseconds of the tool's clock; null: from the beginning. */
  since: number | null
  importing: boolean
  began: number | null
  newest: number | null
  /** What continues the page: a token in the cloud, a number in a data center. */
  next: string | number | null
  /** Of the tool's clock, ahead of ours. */
  skewMs: number
}

const start: Cursor = { since: null, importing: true, began: null, newest: null, next: null, skewMs: 0 }
const perPage = 100
const overlapMs = 5 * 60_000
const blockHeading = 'h3. Signalbox story'

export function jiraIssues(call: Call, now: () => Date): Tracker {
  const asIssue = ({ connection, project, label }: TrackerProject, issue: JiraIssue): Issue => {
    const { fields: said } = issue
    const block = ours(connection, said.comment?.comments ?? []).find(({ body }) =>
      body.startsWith(blockHeading),
    )
    const token = said.labels?.find((label) => /^sb-[0-9a-f]{16}$/.test(label)) ?? null
    const isElsewhere = said.project.id !== project.id && said.project.key !== project.key
    const isDone = said.status.statusCategory?.key === 'done'
    return {
      id: issue.id,
      key: issue.key,
      url: `${connection.baseUrl}/browse/${issue.key}`,
      title: said.summary,
      description: fromWiki(said.description ?? ''),
      block: block ? fromWiki(block.body.slice(blockHeading.length)) : null,
      statuses: [said.status.id],
      left: isElsewhere
        ? 'moved'
        : isDone && /won.?t|duplicate|declined|cannot reproduce|obsolete/i.test(said.resolution?.name ?? '')
          ? 'closed'
          : null,
      fits: fits(label, said.labels ?? []),
      updatedAt: new Date(said.updated),
      wish: isUs(connection, said.creator) ? token : null,
    }
  }

  const read = async (at: TrackerProject, id: string): Promise<JiraIssue> => {
    const query = { fields: fields.join(',') }
    return (await call(at.connection, { path: `${api}/issue/${encodeURIComponent(id)}`, query })).body
  }

  /** Oldest change first. Both kinds of Jira answer the same question under different addresses. */
  const search = async (at: TrackerProject, jql: string, next: Cursor['next'], names = fields) => {
    const cloud = isJiraCloud(at.connection)
    const { body, headers } = await call(at.connection, {
      method: 'POST',
      path: cloud ? `${api}/search/jql` : `${api}/search`,
      json: {
        jql,
        fields: names,
        maxResults: perPage,
        ...(cloud ? (next === null ? {} : { nextPageToken: next }) : { startAt: next ?? 0 }),
      },
    })
    const found = (body.issues ?? []) as JiraIssue[]
    const seen = ((next as number | null) ?? 0) + found.length
    const following: Cursor['next'] = cloud
      ? (body.nextPageToken ?? null)
      : found.length > 0 && seen < (body.total ?? 0)
        ? seen
        : null
    return { found, next: following, total: (body.total as number | undefined) ?? null, date: headers.date }
  }

  const within = (at: TrackerProject) =>
    [`project = ${quoted(at.project.key)}`, ...(at.label ? [`labels = ${quoted(at.label)}`] : [])].join(
      ' AND ',
    )

  return {
    token: shortToken,

    async statuses({ connection, project }) {
      const path = `${api}/project/${encodeURIComponent(project.key)}/statuses`
      const { body } = await call(connection, { path })
      const types = body as { statuses: (JiraIssue['fields']['status'] & { name: string })[] }[]
      const byId = new Map(types.flatMap(({ statuses }) => statuses).map((status) => [status.id, status]))
      return [...byId.values()].map(({ id, name, statusCategory }) => ({
        id,
        name,
        guess: guessOf(statusCategory?.key, name),
      }))
    },

    async changed(at, given): Promise<ChangedIssues> {
      const cursor = (given as Cursor | null) ?? start
      // Minutes back from now need no time zone, which would be the account's.
      const minutes =
        cursor.since === null
          ? null
          : Math.max(1, Math.ceil((now().getTime() + cursor.skewMs - cursor.since) / 60_000))
      const jql = [
        within(at),
        ...(cursor.importing ? ['statusCategory != Done'] : []),
        ...(minutes === null ? [] : [`updated >= "-${minutes}m"`]),
      ].join(' AND ')
      const { found, next, total, date } = await search(at, `${jql} ORDER BY updated ASC`, cursor.next)
      const theirs = date ? Date.parse(date) : now().getTime()
      const skewMs = theirs - now().getTime()
      const began = cursor.began ?? theirs
      const last = found.at(-1)
      const newest = last ? Math.max(cursor.newest ?? 0, Date.parse(last.fields.updated)) : cursor.newest
      const issues = found.map((issue) => asIssue(at, issue))
      const importing = cursor.importing
      if (next !== null)
        return { issues, cursor: { ...cursor, began, newest, next, skewMs }, more: true, total }
      const known = importing ? began : newest
      const since = known === null ? cursor.since : known - overlapMs
      return {
        issues,
        cursor: { ...cursor, began, newest, skewMs, since, next: null, importing: false },
        more: false,
        total: importing ? total : null,
      }
    },

    async fetch(at, id) {
      const issue = await orNull(() => read(at, id))
      return issue && asIssue(at, issue)
    },

    async openIds(at, given) {
      const { found, next } = await search(
        at,
        `${within(at)} AND statusCategory != Done ORDER BY created ASC`,
        (given as Cursor['next']) ?? null,
        ['project'],
      )
      return { ids: found.map(({ id }) => id), cursor: next }
    },

    async create(at, { token, title, description, block, look }) {
      const { connection, project } = at
      let id: string | null = null
      if (look) {
        const { found } = await search(at, `${within(at)} AND labels = ${quoted(token)}`, null)
        id = found.find((issue) => isUs(connection, issue.fields.creator))?.id ?? null
      }
      if (id === null) {
        const { body } = await call(connection, {
          method: 'POST',
          path: `${api}/issue`,
          json: {
            fields: {
              project: { key: project.key },
              issuetype: { name: await typeOf(at) },
              summary: title,
              description: toWiki(description),
              labels: [token, ...(at.label ? [at.label] : [])],
            },
          },
        })
        id = `${body.id}`
      }
      await writeBlock(at, await read(at, id), block)
      return asIssue(at, await read(at, id))
    },

    async update(at, issue, { title, description, block }) {
      if (title !== undefined || description !== undefined) {
        await call(at.connection, {
          method: 'PUT',
          path: `${api}/issue/${issue.id}`,
          json: {
            fields: {
              ...(title === undefined ? {} : { summary: title }),
              ...(description === undefined ? {} : { description: toWiki(description) }),
            },
          },
        })
      }
      if (block !== undefined) await writeBlock(at, await read(at, issue.id), block)
      return asIssue(at, await read(at, issue.id))
    },

    async mayWriteDescription(at, id) {
      if (!isPlainWiki((await read(at, id)).fields.description ?? '')) return false
      if (!isJiraCloud(at.connection)) return true
      // The cloud keeps a document, and shows less of it as wiki markup than there is.
      const path = `/rest/api/3/issue/${encodeURIComponent(id)}`
      const { body } = await call(at.connection, { path, query: { fields: 'description' } })
      return isPlainDocument(body?.fields?.description)
    },

    async move(at, issue, to) {
      const path = `${api}/issue/${issue.id}/transitions`
      const { body } = await call(at.connection, { path, query: { expand: 'transitions.fields' } })
      const found = (body.transitions as Transition[]).filter((one) => one.to.id === to)
      if (found.length === 0)
        return { refused: `Jira has no transition from where ${issue.key} is now to that status.` }
      const asked = found.map(({ id, fields }) => ({ id, ...answersTo(fields ?? {}) }))
      const open = asked.find(({ unanswered }) => unanswered.length === 0)
      if (!open)
        return {
          refused: `To move ${issue.key} there, Jira asks for ${asked[0]!.unanswered.join(', ')}. Move it in Jira.`,
        }
      const { id, fields } = open
      const json = { transition: { id }, ...(Object.keys(fields).length > 0 ? { fields } : {}) }
      try {
        await call(at.connection, { method: 'POST', path, json })
      } catch (error) {
        // A rule of the workflow that is asked only now, or a person who was faster.
        if (!(error instanceof ToolRefused) || !['invalid', 'conflict'].includes(error.reason)) throw error
        return {
          refused: `Jira’s workflow doesn’t let ${issue.key} move to that status now. Move it in Jira.`,
        }
      }
      return { issue: asIssue(at, await read(at, issue.id)) }
    },

    async comment(at, id, { token, text, ref, look }) {
      const path = `${api}/issue/${id}/comment`
      const json = { body: `${toWiki(text)}\n\n{color:#cccccc}${token}{color}` }
      if (ref !== null) {
        const edited = await orNull(() =>
          call(at.connection, { method: 'PUT', path: `${path}/${ref}`, json }),
        )
        if (edited) return ref
      }
      if (look) {
        const { body } = await call(at.connection, { path, query: { orderBy: '-created', maxResults: 100 } })
        const found = ours(at.connection, body.comments as JiraComment[]).find((one) =>
          one.body.includes(token),
        )
        if (found) return found.id
      }
      const { body } = await call(at.connection, { method: 'POST', path, json })
      return `${body.id}`
    },

    async link(at, id, { url, title }) {
      await call(at.connection, {
        method: 'POST',
        path: `${api}/issue/${id}/remotelink`,
        json: { globalId: `signalbox=${url}`, object: { url, title } },
      })
    },

    hints(_, body) {
      const { issue } = body as {
        issue?: { id?: string; fields?: { project?: { id?: string; key?: string } } }
      }
      if (!issue?.id) return []
      const project = issue.fields?.project
      return [{ projects: [project?.id ?? '', project?.key ?? ''].filter(Boolean), issue: issue.id }]
    },
  }

  async function writeBlock(at: TrackerProject, issue: JiraIssue, block: string): Promise<void> {
    const path = `${api}/issue/${issue.id}/comment`
    const json = { body: `${blockHeading}\n\n${toWiki(block)}` }
    const before = ours(at.connection, issue.fields.comment?.comments ?? []).find(({ body }) =>
      body.startsWith(blockHeading),
    )
    if (before?.body === json.body) return
    if (before) await call(at.connection, { method: 'PUT', path: `${path}/${before.id}`, json })
    else await call(at.connection, { method: 'POST', path, json })
  }

  /** What the project calls a story. */
  async function typeOf({ connection, project }: TrackerProject): Promise<string> {
    const { body } = await call(connection, { path: `${api}/project/${encodeURIComponent(project.key)}` })
    const types = ((body.issueTypes ?? []) as { name: string; subtask?: boolean }[]).filter(
      (one) => !one.subtask,
    )
    return types.find(({ name }) => /^story$/i.test(name))?.name ?? types[0]?.name ?? 'Task'
  }
}

interface Transition {
  id: string
  to: { id: string }
  /** What its screen asks for. */
  fields?: Record<
    string,
    {
      name: string
      required: boolean
      hasDefaultValue?: boolean
      allowedValues?: { id: string; name?: string }[]
    }
  >
}

/** What we can say where a transition asks: that the work is done. Whatever else it wants to know, people know. */
function answersTo(asked: NonNullable<Transition['fields']>) {
  const fields: Record<string, { id: string }> = dictionary()
  const unanswered: string[] = []
  for (const [key, { name, required, hasDefaultValue, allowedValues = [] }] of Object.entries(asked)) {
    if (!required || hasDefaultValue) continue
    const done =
      key === 'resolution' && allowedValues.find((one) => /^(done|fixed|resolved)$/i.test(one.name ?? ''))
    if (done) fields[key] = { id: done.id }
    else unanswered.push(name)
  }
  return { fields, unanswered }
}

interface Node {
  type?: string
  content?: Node[]
  marks?: { type?: string }[]
}

const plainNodes = new Set(
  'doc paragraph text hardBreak heading bulletList orderedList listItem codeBlock rule'.split(' '),
)
const plainMarks = new Set(['strong', 'em', 'code', 'link'])

/** Whether Markdown can say all of it. */
const isPlainDocument = (node: Node | null | undefined): boolean =>
  !node ||
  (plainNodes.has(node.type ?? '') &&
    (node.marks ?? []).every(({ type }) => plainMarks.has(type ?? '')) &&
    (node.content ?? []).every(isPlainDocument))

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** The account is an id, a name or an email address, as the connection's test found it. */
const isUs = ({ account }: Connection, user: JiraUser | null | undefined): boolean =>
  account !== null &&
  [user?.accountId, user?.name, user?.key, user?.displayName, user?.emailAddress].includes(account)

const ours = (connection: Connection, comments: JiraComment[]) =>
  comments.filter(({ author }) => isUs(connection, author))

function guessOf(category: string | undefined, name: string): TrackerStatus['guess'] {
  if (category === 'done') return 'done'
  if (category === 'indeterminate') return /review|test|\bqa\b/i.test(name) ? 'review' : 'in_progress'
  if (/refin|groom|analysis/i.test(name)) return 'refining'
  return /ready|selected/i.test(name) ? 'ready' : 'backlog'
}
