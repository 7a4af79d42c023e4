import { createHash } from 'node:crypto'
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
  'issuelinks',
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
    /** Not all of them where there are many: `total` says how many there are. */
    comment?: Comments
    issuelinks?: IssueLink[]
  }
}

interface LinkedIssue {
  key: string
  fields?: { status?: { statusCategory?: { key: string } } }
}

/** Seen from the issue that it comes with: there is the other end, and what that is to it. */
interface IssueLink {
  type: { inward: string; outward: string }
  inwardIssue?: LinkedIssue
  outwardIssue?: LinkedIssue
}

interface Comments {
  comments: JiraComment[]
  total?: number
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
  const whoWeAre = rememberingUs(call)
  /** Which comment was the block when it was last seen, by issue: it is asked for by its id where a list is cut. */
  const blocks = new Map<string, string>()

  /** All comments, the oldest first. */
  async function* everyComment({ connection }: TrackerProject, id: string): AsyncGenerator<JiraComment> {
    for (let startAt = 0; ; ) {
      const query = { startAt, maxResults: perPage, orderBy: 'created' }
      const path = `${api}/issue/${encodeURIComponent(id)}/comment`
      const { comments = [], total = 0 } = (await call(connection, { path, query })).body as Comments
      yield* comments
      startAt += comments.length
      if (comments.length === 0 || startAt >= total) return
    }
  }

  /**
   * The comment with the block. An answer with an issue has only some of its comments where there are many, the newest:
   * that the block is not among those says nothing, so it is asked for.
   */
  const blockIn = async (at: TrackerProject, { id, fields: said }: JiraIssue, us: Us) => {
    const isBlock = ({ author, body }: JiraComment) => isUser(us, author) && body.startsWith(blockHeading)
    const name = `${at.connection.id}/${id}`
    const { comments = [], total } = said.comment ?? {}
    let found = comments.find(isBlock)
    if (!found && (total === undefined || total > comments.length)) {
      const known = blocks.get(name)
      const path = `${api}/issue/${encodeURIComponent(id)}/comment/${known}`
      const there = known ? await orNull(() => call(at.connection, { path })) : null
      if (there && isBlock(there.body)) found = there.body as JiraComment
      else for await (const one of everyComment(at, id)) if (!found && isBlock(one)) found = one
    }
    if (blocks.size >= mostRemembered) blocks.clear()
    if (found) blocks.set(name, found.id)
    return found
  }

  const asIssue = async (at: TrackerProject, issue: JiraIssue): Promise<Issue> => {
    const { connection, project, label } = at
    const { fields: said } = issue
    const us = await whoWeAre(connection)
    const block = await blockIn(at, issue, us)
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
      blockedBy: blockersIn(said.issuelinks ?? []),
      updatedAt: new Date(said.updated),
      wish: isUser(us, said.creator) ? token : null,
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
      const issues = await inTurn(found, (issue) => asIssue(at, issue))
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
        const us = await whoWeAre(connection)
        id = found.find((issue) => isUser(us, issue.fields.creator))?.id ?? null
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
      return { issue: await asIssue(at, await read(at, issue.id)) }
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
        const us = await whoWeAre(at.connection)
        for await (const one of everyComment(at, id))
          if (isUser(us, one.author) && one.body.includes(token)) return one.id
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
    const before = await blockIn(at, issue, await whoWeAre(at.connection))
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

/** What a link means is said by its type’s words for each end: sites rename types, and add their own. */
function blockersIn(links: readonly IssueLink[]): string[] {
  const isBlocked = (words: string) => /\bblocked by\b|\bdepends on\b/i.test(words)
  return links.flatMap(({ type, inwardIssue, outwardIssue }) => {
    const blocker =
      inwardIssue && isBlocked(type.inward)
        ? inwardIssue
        : outwardIssue && isBlocked(type.outward)
          ? outwardIssue
          : undefined
    return blocker && blocker.fields?.status?.statusCategory?.key !== 'done' ? [blocker.key] : []
  })
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** Who a person is at Jira, whatever they are called: an id in the cloud, a key or a name in a data center. */
type Us = Pick<JiraUser, 'accountId' | 'key' | 'name'>

const isUser = (us: Us, user: JiraUser | null | undefined): boolean => {
  if (!user) return false
  if (us.accountId !== undefined) return user.accountId === us.accountId
  return us.key !== undefined && user.key !== undefined ? user.key === us.key : user.name === us.name
}

const mostRemembered = 10_000

/** Asked once for each account: addresses and names are hidden from others, may change, and prove nothing. */
function rememberingUs(call: Call) {
  const known = new Map<string, Promise<Us>>()
  return (connection: Connection): Promise<Us> => {
    const name = createHash('sha256')
      .update(JSON.stringify([connection.id, connection.baseUrl, connection.credentials]))
      .digest('hex')
    const found = known.get(name)
    if (found) return found
    if (known.size >= mostRemembered) known.clear()
    const asked = call(connection, { path: `${api}/myself` }).then(({ body }) => body as Us)
    known.set(name, asked)
    asked.catch(() => known.delete(name))
    return asked
  }
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const one of all) done.push(await work(one))
  return done
}

function guessOf(category: string | undefined, name: string): TrackerStatus['guess'] {
  if (category === 'done') return 'done'
  if (category === 'indeterminate') return /review|test|\bqa\b/i.test(name) ? 'review' : 'in_progress'
  if (/refin|groom|analysis/i.test(name)) return 'refining'
  return /ready|selected/i.test(name) ? 'ready' : 'backlog'
}
