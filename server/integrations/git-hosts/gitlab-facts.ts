import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { HostFacts } from '../../domain/ports/git-host.ts'
import { type Checks, everyPage, fewNames, noChecks, orNull } from './remote.ts'

/** What is asked of GitLab before a merge. What it does not tell is thrown as ToolBusy: a merge waits for it. */

/** How one project is read. */
export interface GitLabReader {
  read<T>(path: string, query?: Record<string, string | number>): Promise<T>
  now: () => Date
}

export interface Pipeline {
  id: number
  /** Of a merged-results pipeline that of the merge it tries, not of the branch. */
  sha: string
  ref?: string
  source?: string
  status: string
  name?: string | null
}

interface Job {
  name: string
  allow_failure: boolean
}

const page = 100
const mostPages = 20
/** The least level of access with which one may push. */
export const developer = 30

/**
 * Everything that ran for the head of a merge request: the pipeline that GitLab shows beside it, which may have tried
 * the merge rather than the branch, and the newest of each kind on the branch.
 */
export async function readHeadChecks(
  reader: GitLabReader,
  request: { sha: string; head_pipeline?: Pipeline | null },
): Promise<Checks> {
  const { sha, head_pipeline: shown } = request
  const ran = newestOfEach(await ofCommit(reader, { sha }))
  if (shown && !ran.some(({ id }) => id === shown.id)) {
    if (!(await isAbout(reader, shown, sha)))
      return { ...noChecks(), running: ['pipeline of its newest commit, which has not begun'] }
    // Fetched separately: the copy in the merge request may be slightly out of date.
    ran.unshift((await orNull(reader.read<Pipeline>(`/pipelines/${shown.id}`))) ?? shown)
  }
  return resultsOf(reader, ran)
}

async function resultsOf(reader: GitLabReader, pipelines: readonly Pipeline[]): Promise<Checks> {
  const checks = noChecks()
  for (const pipeline of pipelines) {
    const found = await resultOf(reader, pipeline)
    for (const kind of Object.keys(checks) as (keyof Checks)[]) checks[kind].push(...found[kind])
  }
  return checks
}

/** The same of a branch: a scheduled pipeline that passed says nothing of the one of the push. */
export async function readBranchChecks(reader: GitLabReader, sha: string, ref: string): Promise<Checks> {
  return resultsOf(reader, newestOfEach(await ofCommit(reader, { sha, ref })))
}

const ofCommit = (reader: GitLabReader, which: { sha: string; ref?: string }) =>
  everyPage('pipelines', pagesOf(reader), (number) =>
    reader.read<Pipeline[]>('/pipelines', {
      ...{ ...which, order_by: 'id', sort: 'desc', per_page: page, page: number },
    }),
  )

const pagesOf = ({ now }: GitLabReader) => ({ size: page, most: mostPages, now: now() })

/** A branch and its merge request may each have one; a newer one of the same kind takes the place of the older. */
const newestOfEach = (pipelines: Pipeline[]): Pipeline[] => [
  ...new Map(pipelines.toReversed().map((one) => [`${one.ref} ${one.source}`, one])).values(),
]

/** Whether it tried that commit: as it is, or merged with the branch it goes into. */
async function isAbout(reader: GitLabReader, { sha }: Pipeline, head: string): Promise<boolean> {
  if (sha === head) return true
  const tried = await orNull(
    reader.read<{ parent_ids: string[] }>(`/repository/commits/${encodeURIComponent(sha)}`),
  )
  return tried?.parent_ids.includes(head) ?? false
}

/** How final statuses count. A job that waits for a person to start it has not ended. */
const ends: Record<string, keyof Checks> = dictionary({
  success: 'passed',
  skipped: 'skipped',
  canceled: 'cancelled',
  canceling: 'cancelled',
})

/** Statuses of other tools are jobs of a pipeline too. */
async function resultOf(reader: GitLabReader, pipeline: Pipeline): Promise<Checks> {
  const { id, status } = pipeline
  const name = pipeline.name || `pipeline ${id}`
  if (status === 'manual')
    return { ...noChecks(), running: [`${name}, which is waiting for a job to be started manually`] }
  if (status !== 'failed') return { ...noChecks(), [ends[status] ?? 'running']: [name] }
  const jobs = await everyPage('jobs', pagesOf(reader), (number) =>
    reader.read<Job[]>(`/pipelines/${id}/jobs`, { 'scope[]': 'failed', per_page: page, page: number }),
  )
  const failed = jobs.filter(({ allow_failure }) => !allow_failure).map((job) => job.name)
  if (failed.length > 0) return { ...noChecks(), failed }
  // No job did, but a pipeline that one of them started, or the file that describes it. What it is called must not have
  // its number in it: the same failure on another commit could not be told to be the same.
  return { ...noChecks(), failed: [pipeline.name || `pipeline (${pipeline.source ?? 'push'})`] }
}

interface Approvals {
  approved_by?: { user: { username: string } }[]
  approvals_required?: number
  approvals_left?: number
}
interface Reviewer {
  user: { id: number; username: string }
  state: string
}

export interface Opinions extends NonNullable<HostFacts['reviews']> {
  /** Those who may push there. */
  changesRequestedBy: string[]
  /** How many approvals its rules still want. */
  left: number
}

/** Who approved and who asked for changes. GitLab lets that keep a merge back only in its paid editions. */
export async function readApprovals(reader: GitLabReader, iid: number): Promise<Opinions> {
  const approvals = await orNull(reader.read<Approvals>(`/merge_requests/${iid}/approvals`))
  const reviewers = await everyPage('reviewers', pagesOf(reader), async (number) => {
    const asked = reader.read<Reviewer[]>(`/merge_requests/${iid}/reviewers`, {
      ...{ per_page: page, page: number },
    })
    // Older versions have no such list.
    return (await orNull(asked)) ?? []
  })
  const against = reviewers.filter(({ state }) => state === 'requested_changes')
  const heard: string[] = []
  const withoutWeight: string[] = []
  for (const { user } of against)
    ((await mayPush(reader, user.id)) ? heard : withoutWeight).push(user.username)
  return {
    approvedBy: fewNames((approvals?.approved_by ?? []).map(({ user }) => user.username)),
    withoutWeight: fewNames(withoutWeight),
    changesRequestedBy: heard,
    isRequired: (approvals?.approvals_required ?? 0) > 0,
    left: approvals?.approvals_left ?? 0,
  }
}

export async function mayPush(reader: GitLabReader, user: number): Promise<boolean> {
  const member = await orNull(reader.read<{ access_level: number }>(`/members/all/${user}`))
  return (member?.access_level ?? 0) >= developer
}
