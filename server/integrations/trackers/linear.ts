import type {
  ChangedIssues,
  Issue,
  Tracker,
  TrackerProject,
  TrackerStatus,
} from '../../domain/ports/tracker.ts'
import type { Call } from '../connections/call.ts'
import { linearQuery } from '../connections/linear-query.ts'
import { bodyOf, partsOf } from './block.ts'
import { fits } from './label.ts'
import { orNull } from './or-null.ts'
import { uuidOf } from './token.ts'

interface LinearIssue {
  id: string
  identifier: string
  url: string
  title: string
  description: string | null
  updatedAt: string
  archivedAt: string | null
  trashed: boolean | null
  state: { id: string; type: string }
  team: { id: string }
  labels?: { nodes: { name: string }[] }
  /** What others say about it: they block it, or are related. */
  inverseRelations?: Relations
}

/** As many as were asked for: the one that blocks may come later. */
interface Relations {
  nodes: { type: string; issue: { identifier: string; state: { type: string } } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** Newest first is the only order there is: pages go back to `since`, and what was newest is where the next one ends. */
interface Cursor {
  since: string | null
  importing: boolean
  after: string | null
  newest: string | null
}

const start: Cursor = { since: null, importing: true, after: null, newest: null }
const perPage = 50
const ended = ['completed', 'canceled', 'duplicate']
const overlapMs = 5 * 60_000

const relationFields = 'nodes { type issue { identifier state { type } } } pageInfo { hasNextPage endCursor }'
const issueFields =
  'id identifier url title description updatedAt archivedAt trashed state { id type } team { id } labels(first: 250) { nodes { name } } ' +
  `inverseRelations(first: 50) { ${relationFields} }`

const queries = {
  changed: `query Changed($filter: IssueFilter, $first: Int, $after: String, $archived: Boolean) {
    issues(filter: $filter, orderBy: updatedAt, includeArchived: $archived, first: $first, after: $after) {
      nodes { ${issueFields} } pageInfo { hasNextPage endCursor } } }`,
  ids: `query Ids($filter: IssueFilter, $first: Int, $after: String) {
    issues(filter: $filter, first: $first, after: $after) {
      nodes { id } pageInfo { hasNextPage endCursor } } }`,
  issue: `query One($id: String!) { issue(id: $id) { ${issueFields} } }`,
  blockers: `query Blockers($id: String!, $after: String) {
    issue(id: $id) { inverseRelations(first: 250, after: $after) { ${relationFields} } } }`,
  states: `query States($id: String!) { team(id: $id) { states(first: 250) { nodes { id name type position } } } }`,
  labels: `query Labels($filter: IssueLabelFilter!, $after: String) {
    issueLabels(filter: $filter, first: 250, after: $after) {
      nodes { id isGroup team { id } } pageInfo { hasNextPage endCursor } } }`,
  create: `mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${issueFields} } } }`,
  update: `mutation Update($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { success issue { ${issueFields} } } }`,
  comment: `mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }`,
  editComment: `mutation EditComment($id: String!, $input: CommentUpdateInput!) {
    commentUpdate(id: $id, input: $input) { success comment { id } } }`,
  findComment: `query FindComment($id: String!) { comment(id: $id) { id } }`,
  attach: `mutation Attach($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success attachment { id } } }`,
}

export function linearIssues(call: Call, now: () => Date): Tracker {
  // biome-ignore lint/suspicious/noExplicitAny: what Linear answers has the shape that the query asks for
  const ask = (at: TrackerProject, query: string, variables: Record<string, unknown>): Promise<any> =>
    linearQuery(call, at.connection, query, variables)

  const asIssue = ({ project, label }: TrackerProject, issue: LinearIssue): Issue => {
    const { description, block } = partsOf(issue.description ?? '', 'visible')
    return {
      id: issue.id,
      key: issue.identifier,
      url: issue.url,
      title: issue.title,
      description,
      block,
      statuses: [issue.state.id],
      left: issue.trashed
        ? 'deleted'
        : issue.team.id !== project.id
          ? 'moved'
          : ['canceled', 'duplicate'].includes(issue.state.type)
            ? 'closed'
            : null,
      fits: fits(label, issue.labels?.nodes.map(({ name }) => name) ?? []),
      blockedBy: issue.inverseRelations?.pageInfo.hasNextPage
        ? 'some'
        : blockersIn(issue.inverseRelations?.nodes ?? []),
      updatedAt: new Date(issue.updatedAt),
      // The creator of an issue chooses its id, so one with the id of our wish was created by us.
      wish: issue.id,
    }
  }

  const filterOf = (at: TrackerProject, more: object) => ({
    team: { id: { eq: at.project.id } },
    ...(at.label ? { labels: { name: { eqIgnoreCase: at.label } } } : {}),
    ...more,
  })
  const isOpen = { state: { type: { nin: ended } } }

  const update = async (at: TrackerProject, id: string, input: object): Promise<Issue> =>
    asIssue(at, (await ask(at, queries.update, { id, input })).issueUpdate.issue)

  /** The team's own label before one of the whole workspace; another team's of the same name is none of ours. */
  const labelNamed = async (at: TrackerProject, name: string): Promise<string | null> => {
    const ofTeam = { team: { id: { eq: at.project.id } } }
    const filter = { name: { eqIgnoreCase: name }, or: [ofTeam, { team: { null: true } }] }
    const found: { id: string; isGroup: boolean; team: { id: string } | null }[] = []
    for (let after: string | null = null; ; ) {
      const { issueLabels } = await ask(at, queries.labels, { filter, after })
      found.push(...issueLabels.nodes)
      if (!issueLabels.pageInfo.hasNextPage) break
      after = issueLabels.pageInfo.endCursor
    }
    const usable = found.filter(
      ({ isGroup, team }) => !isGroup && (team === null || team.id === at.project.id),
    )
    return (usable.find(({ team }) => team !== null) ?? usable[0])?.id ?? null
  }

  return {
    token: uuidOf,

    async statuses(at) {
      const { team } = await ask(at, queries.states, { id: at.project.id })
      const states = team.states.nodes as { id: string; name: string; type: string; position: number }[]
      const order = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']
      return states
        .sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type) || a.position - b.position)
        .filter(({ type }) => !['canceled', 'duplicate'].includes(type))
        .map(({ id, name, type }) => ({ id, name, guess: guessOf(type, name) }))
    },

    async changed(at, given): Promise<ChangedIssues> {
      const cursor = (given as Cursor | null) ?? start
      const { since, importing, after } = cursor
      const { issues } = await ask(at, queries.changed, {
        filter: filterOf(at, importing ? isOpen : { updatedAt: { gte: since } }),
        first: perPage,
        after,
        archived: !importing,
      })
      const found = issues.nodes as LinearIssue[]
      const newest = cursor.newest ?? found[0]?.updatedAt ?? null
      if (issues.pageInfo.hasNextPage)
        return {
          issues: found.map((issue) => asIssue(at, issue)),
          cursor: { ...cursor, newest, after: issues.pageInfo.endCursor },
          more: true,
          total: null,
        }
      // An empty project has no time of its own to go on from.
      const known = newest ?? (importing ? now().toISOString() : null)
      return {
        issues: found.map((issue) => asIssue(at, issue)),
        cursor: {
          since: known ? new Date(Date.parse(known) - overlapMs).toISOString() : since,
          importing: false,
          after: null,
          newest: null,
        },
        more: false,
        total: null,
      }
    },

    async fetch(at, id) {
      const found = await orNull(() => ask(at, queries.issue, { id }))
      return found?.issue ? asIssue(at, found.issue) : null
    },

    blockers: (at, id) =>
      orNull(async () => {
        const open: string[] = []
        for (let after: string | null = null; ; ) {
          const { issue } = await ask(at, queries.blockers, { id, after })
          const { nodes, pageInfo } = issue.inverseRelations as Relations
          open.push(...blockersIn(nodes))
          if (!pageInfo.hasNextPage) return open
          after = pageInfo.endCursor
        }
      }),

    async openIds(at, given) {
      const variables = { filter: filterOf(at, isOpen), first: 250, after: given ?? null }
      const { issues } = await ask(at, queries.ids, variables)
      return {
        ids: (issues.nodes as { id: string }[]).map(({ id }) => id),
        cursor: issues.pageInfo.hasNextPage ? issues.pageInfo.endCursor : null,
      }
    },

    async create(at, { token, title, description, block, look }) {
      if (look) {
        const found = await orNull(() => ask(at, queries.issue, { id: token }))
        if (found?.issue) return asIssue(at, found.issue)
      }
      const label = at.label ? await labelNamed(at, at.label) : null
      const input = {
        id: token,
        teamId: at.project.id,
        title,
        description: bodyOf({ description, block, wish: null }, 'visible'),
        ...(label ? { labelIds: [label] } : {}),
      }
      return asIssue(at, (await ask(at, queries.create, { input })).issueCreate.issue)
    },

    update: (at, issue, { title, description, block }) =>
      update(at, issue.id, {
        ...(title === undefined ? {} : { title }),
        ...(description === undefined && block === undefined
          ? {}
          : {
              description: bodyOf(
                {
                  description: description ?? issue.description,
                  block: block ?? issue.block,
                  wish: null,
                },
                'visible',
              ),
            }),
      }),

    move: async (at, issue, to) => ({ issue: await update(at, issue.id, { stateId: to }) }),

    async comment(at, issueId, { token, text, ref, look }) {
      const known = ref ?? (look ? token : null)
      if (known !== null) {
        const found = await orNull(() => ask(at, queries.findComment, { id: known }))
        if (found?.comment) {
          await ask(at, queries.editComment, { id: known, input: { body: text } })
          return known
        }
      }
      // A comment that was deleted keeps its id: the next one gets another.
      const id = ref === token ? uuidOf(`${token}/again`) : token
      await ask(at, queries.comment, { input: { id, issueId, body: text } })
      return id
    },

    async link(at, issueId, { url, title }) {
      await ask(at, queries.attach, { input: { issueId, url, title } })
    },

    hints(_, body) {
      const { type, data } = body as {
        type?: string
        data?: {
          id?: string
          teamId?: string
          team?: { id?: string }
          issueId?: string
          issue?: { id?: string }
        }
      }
      const team = data?.teamId ?? data?.team?.id
      const issue =
        type === 'Issue' ? data?.id : type === 'Comment' ? (data?.issueId ?? data?.issue?.id) : null
      return issue ? [{ projects: team ? [team] : [], issue }] : []
    },
  }
}

const blockersIn = (relations: Relations['nodes']): string[] =>
  relations
    .filter(({ type, issue }) => type === 'blocks' && !ended.includes(issue.state.type))
    .map(({ issue }) => issue.identifier)

function guessOf(type: string, name: string): TrackerStatus['guess'] {
  if (type === 'completed') return 'done'
  if (type === 'started') return /review|test|\bqa\b/i.test(name) ? 'review' : 'in_progress'
  if (type === 'unstarted') return /refin/i.test(name) ? 'refining' : 'ready'
  return 'backlog'
}
