import { dictionary } from '@signalbox/contract/dictionary.ts'
import { ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type { HostFacts } from '../../domain/ports/git-host.ts'
import {
  type Checks,
  everyPage,
  fewNames,
  noChecks,
  oneLine,
  orNull,
  orRefusal,
  sentence,
  verdictName,
} from './remote.ts'

/** What is asked of GitHub before a merge. What it does not tell is thrown as ToolBusy: a merge waits for it. */

/** How one repository is read, and GraphQL is asked. */
export interface GitHubReader {
  read<T>(path: string, query?: Record<string, string | number>): Promise<T>
  ask<T>(query: string, variables: object): Promise<GraphqlAnswer<T>>
  /** As GraphQL wants it. */
  repository: { owner: string; name: string }
  now: () => Date
}

/** GraphQL answers 200 to almost everything, and says in the body what it did not do. */
export interface GraphqlAnswer<T> {
  data: T | null
  errors: GraphqlError[]
}
export interface GraphqlError {
  message?: string
  type?: string
  extensions?: { code?: string; fieldName?: string }
}

/** What only GraphQL tells. */
export interface Queue {
  isInMergeQueue: boolean
  isMergeQueueEnabled: boolean
  mergeQueueEntry: { position: number } | null
  autoMergeRequest: { enabledAt: string } | null
  reviewDecision: 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null
  timelineItems: { nodes: { reason?: string | null }[] }
}

const queueFields = `isInMergeQueue isMergeQueueEnabled mergeQueueEntry { position }
    timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
      nodes { ... on RemovedFromMergeQueueEvent { reason } }
    }`
const asking = (fields: string) => `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    autoMergeRequest { enabledAt } reviewDecision ${fields}
  } }
}`
/** Of a server that has no merge queue yet. */
const noQueue = {
  ...{ isInMergeQueue: false, isMergeQueueEnabled: false, mergeQueueEntry: null },
  timelineItems: { nodes: [] },
}

type Asked = { repository: { pullRequest: Partial<Queue> | null } | null }

/** Queue, auto-merge and whether the host wants a review: all of it, or nothing is merged. */
export async function readQueue(reader: GitHubReader, number: number): Promise<Queue> {
  const { repository, now } = reader
  const variables = { ...repository, number }
  let answer = await reader.ask<Asked>(asking(queueFields), variables)
  const isTooOld = answer.errors.length > 0 && answer.errors.every(isUnknownField)
  if (isTooOld) answer = await reader.ask<Asked>(asking(''), variables)
  const found = answer.data?.repository?.pullRequest
  const told = isTooOld && found ? { ...noQueue, ...found } : found
  if (answer.errors.length > 0 || !isWhole(told))
    throw unread('its merge queue, auto-merge and reviews', answer.errors, now())
  return told
}

/** A document with a field that the server does not know is refused as a whole; each error names one. */
const isUnknownField = ({ extensions, message }: GraphqlError) =>
  extensions?.code === 'undefinedField' || /^Field '\w+' doesn't exist on type '\w+'$/.test(message ?? '')

/** Where a permission lacks, GitHub leaves a null; where a proxy cuts, less. Neither is an answer. */
function isWhole(told: Partial<Queue> | null | undefined): told is Queue {
  const isNull = (value: unknown) => value === null || typeof value === 'object'
  return (
    typeof told?.isInMergeQueue === 'boolean' &&
    typeof told.isMergeQueueEnabled === 'boolean' &&
    isNull(told.mergeQueueEntry) &&
    isNull(told.autoMergeRequest) &&
    (told.reviewDecision === null || typeof told.reviewDecision === 'string') &&
    Array.isArray(told.timelineItems?.nodes)
  )
}

/** What GitHub did not tell, with what it said instead. */
export function unread(what: string, errors: readonly GraphqlError[], now: Date): ToolBusy {
  if (errors.some(isLimit)) return new ToolBusy('GitHub says we called too often.', 60_000, now)
  const said = oneLine(errors[0]?.message)
  return new ToolBusy(`GitHub did not return ${what}${said ? `: ${sentence(said)}` : '.'}`, null, now)
}

/** Not a refusal of what was asked: the same may be done later. */
export const mayPass = (errors: readonly GraphqlError[]): boolean =>
  errors.some((error) => isLimit(error) || isTrouble(error))
const isLimit = ({ type, message }: GraphqlError) =>
  /^RATE_?LIMIT(ED)?$/i.test(type ?? '') || /rate limit/i.test(message ?? '')
const isTrouble = ({ type, message }: GraphqlError) =>
  /^(INTERNAL|SERVICE_UNAVAILABLE|LOADING|STALE_DATA)$/i.test(type ?? '') ||
  /something went wrong|timed? ?out/i.test(message ?? '')

interface CheckRun {
  name: string
  status: string
  conclusion: string | null
  check_suite?: { id: number } | null
}
interface CheckSuite {
  id: number
  status: string | null
  conclusion: string | null
  created_at?: string | null
  latest_check_runs_count?: number
  app?: { slug?: string; name?: string } | null
}

const page = 100
const mostPages = 30
const pagesAt = (now: Date) => ({ size: page, most: mostPages, now })

/** Both kinds: check runs of Apps, and statuses that anyone with a token can set. */
export async function readChecks({ read, now }: GitHubReader, commit: string): Promise<Checks> {
  const at = encodeURIComponent(commit)
  const checks = noChecks()
  const add = (name: string, result: keyof Checks) => {
    if (name !== verdictName) checks[result].push(name)
  }
  const pages = pagesAt(now())
  const runs = await everyPage('checks', pages, async (number) => {
    const query = { filter: 'latest', per_page: page, page: number }
    return (await read<{ check_runs: CheckRun[] }>(`/commits/${at}/check-runs`, query)).check_runs
  })
  for (const { name, status, conclusion } of runs)
    add(name, status === 'completed' ? concluded(conclusion) : 'running')
  for (const [name, result] of await readSuites({ read, now }, at)) add(name, result)
  // Without any status the combined one says `pending`, so only the single ones are read.
  const statuses = await everyPage('statuses', pages, async (number) => {
    type Combined = { statuses: { context: string; state: string }[] }
    return (await read<Combined>(`/commits/${at}/status`, { per_page: page, page: number })).statuses
  })
  for (const { context, state } of statuses) add(context, states[state] ?? 'failed')
  return checks
}

/**
 * Suites say what no check run says yet: that a workflow is about to begin, or could not. GitHub makes one for each App
 * that may write checks, and those that never run anything stay queued for good: they are waited for a moment only.
 */
async function readSuites(
  { read, now }: Pick<GitHubReader, 'read' | 'now'>,
  at: string,
): Promise<[string, keyof Checks][]> {
  const pages = pagesAt(now())
  const suites = await everyPage('check suites', pages, async (number) => {
    const asked = read<{ check_suites: CheckSuite[] }>(`/commits/${at}/check-suites`, {
      ...{ per_page: page, page: number },
    })
    return (await orNull(asked))?.check_suites ?? []
  })
  return suites.flatMap<[string, keyof Checks]>(
    ({ status, conclusion, created_at, latest_check_runs_count, app }) => {
      if ((latest_check_runs_count ?? 0) > 0) return []
      const name = app?.name ?? app?.slug ?? 'a check suite'
      if (status === 'completed') return concluded(conclusion) === 'failed' ? [[name, 'failed']] : []
      const age = created_at ? now().getTime() - Date.parse(created_at) : Number.POSITIVE_INFINITY
      return app?.slug === 'github-actions' || age < beginsWithinMs ? [[name, 'running']] : []
    },
  )
}
const beginsWithinMs = 2 * 60_000

function concluded(conclusion: string | null): keyof Checks {
  if (conclusion === 'success' || conclusion === 'neutral') return 'passed'
  if (conclusion === 'skipped') return 'skipped'
  return conclusion === null || conclusion === 'cancelled' || conclusion === 'stale' ? 'cancelled' : 'failed'
}
const states: Record<string, keyof Checks> = dictionary({ success: 'passed', pending: 'running' })

export interface PullReview {
  id: number
  user: { login: string } | null
  state: string
  author_association: string
  commit_id: string | null
  body: string | null
}

/** The last review of each person, without plain comments; a dismissed one counts as no review. */
export async function lastReviews({ read, now }: GitHubReader, number: number): Promise<PullReview[]> {
  const all = await everyPage('reviews', pagesAt(now()), (at) =>
    read<PullReview[]>(`/pulls/${number}/reviews`, { per_page: page, page: at }),
  )
  const last = new Map<string, PullReview>()
  for (const one of all)
    if (one.user && one.state !== 'COMMENTED' && one.state !== 'PENDING') last.set(one.user.login, one)
  return [...last.values()]
}

export interface Opinions extends NonNullable<HostFacts['reviews']> {
  /** Those who may write there. */
  changesRequestedBy: string[]
}

/**
 * Who approved and who asked for changes, at any commit: GitHub too keeps a review until it is dismissed. Its own
 * summary is null wherever reviews are not required.
 */
export async function readOpinions(
  reader: GitHubReader,
  number: number,
  decision: Queue['reviewDecision'],
): Promise<Opinions> {
  const last = await lastReviews(reader, number)
  const opinions: Opinions = {
    ...{ approvedBy: [], withoutWeight: [], changesRequestedBy: [], isRequired: decision !== null },
  }
  for (const { user, state, author_association } of last) {
    const { login } = user!
    if (state === 'APPROVED') opinions.approvedBy.push(login)
    if (state !== 'CHANGES_REQUESTED') continue
    const isHeard = await mayWrite(reader, login, author_association)
    opinions[isHeard ? 'changesRequestedBy' : 'withoutWeight'].push(login)
  }
  const { approvedBy, withoutWeight, ...rest } = opinions
  return { ...rest, approvedBy: fewNames(approvedBy), withoutWeight: fewNames(withoutWeight) }
}

/** Who may tell an agent what to do: people of the repository, not everyone who can read it. */
export const trusted = ['OWNER', 'MEMBER', 'COLLABORATOR']

/**
 * The association is what GitHub shows us: a member of an organization may hide that they are one, and not every member
 * may write. So we ask for their permission; if GitHub does not tell, everyone who belongs to the repository counts.
 */
async function mayWrite({ read, now }: GitHubReader, login: string, association: string): Promise<boolean> {
  const asked = read<{ permission?: string }>(`/collaborators/${encodeURIComponent(login)}/permission`)
  const found = await orRefusal(asked, 403, 404)
  if (!(found instanceof ToolRefused) && found?.permission)
    return found.permission === 'admin' || found.permission === 'write'
  if (trusted.includes(association)) return true
  if (found instanceof ToolRefused && found.status === 404) return false
  throw new ToolBusy(`GitHub did not say whether ${oneLine(login, 50)} may write.`, null, now())
}
