import type { Repository } from '@signalbox/contract/service.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { type History, type Merge, NotRead } from '../../ports/history.ts'
import type { MergedRun } from '../../work/runs/list-merged.ts'
import type { KnownMerge } from './finding.ts'

/** What was merged lately: by people and by runs, as far as it can be seen. */
export interface Looked {
  merges: KnownMerge[]
  /** What each repository showed, told for the timeline. */
  steps: string[]
  /** Repositories that could not be read. */
  unread: string[]
  /** Where each merge was read. What is known only of a run was read nowhere. */
  readIn: Map<KnownMerge, Repository>
  /** Runs that have merged, by key. */
  runs: Map<string, MergedRun>
}

const atOnce = 4
const mostMerges = 400
/** A pull request that a run made and one that git reports are the same when they were merged at about the same time. */
const sameTimeMs = 3_600_000

/**
 * A repository that cannot be read, or not in time, is reported and is no reason to give up. Of some addresses the team
 * has a name, by which they go.
 */
export async function findRecentMerges(
  history: History,
  repositories: Repository[],
  runs: readonly MergedRun[],
  { since, patienceMs, names }: { since: Date; patienceMs: number; names: ReadonlyMap<string, string> },
): Promise<Looked> {
  const found = await readAll(history, repositories, since, patienceMs)
  const nameOf = (url: string) => names.get(url) ?? addressOf(url)
  const steps = found.map(({ repository, merges, why }) => {
    const name = repository.path ? `${nameOf(repository.url)} (${repository.path})` : nameOf(repository.url)
    if (!merges) return `${name} could not be read${why ? `: ${why}` : ''}`
    return `${name}: ${merges.length} ${merges.length === 1 ? 'merge' : 'merges'}`
  })
  const unread = found.filter(({ merges }) => !merges).map(({ repository }) => nameOf(repository.url))
  const isOnly = new Set(repositories.map(({ url }) => url)).size === 1
  const tied = new Set<MergedRun>()
  const known = new Map<string, KnownMerge>()
  const readIn = new Map<KnownMerge, Repository>()
  for (const { repository, merges } of found) {
    for (const merge of merges ?? []) {
      const name = `${repository.url} ${merge.commit}`
      const before = known.get(name)
      if (before) {
        before.paths = [...new Set([...before.paths, ...merge.paths])]
        continue
      }
      const run = runs.find((one) => isMergeOf(one, merge, repository.url, isOnly))
      if (run) tied.add(run)
      const made = { ...merge, repository: nameOf(repository.url), run: run?.key ?? null }
      known.set(name, made)
      readIn.set(made, repository)
    }
  }
  // What every repository of the service was read without is in none of them.
  const isComplete = repositories.length > 0 && unread.length === 0
  const others = isComplete ? [] : runs.filter((run) => !tied.has(run)).map(mergeOf)
  if (others.length > 0)
    steps.push(`${others.length} ${others.length === 1 ? 'merge' : 'merges'} by runs of the team`)
  return {
    merges: [...known.values(), ...others]
      .toSorted((a, b) => b.mergedAt.getTime() - a.mergedAt.getTime())
      .slice(0, mostMerges),
    steps,
    unread,
    readIn,
    runs: new Map(runs.map((run) => [run.key, run])),
  }
}

interface Found {
  repository: Repository
  merges: Merge[] | null
  /** Why there are none, where that may be shown. What git prints may hold more than it should. */
  why?: string
}

async function readAll(
  history: History,
  repositories: Repository[],
  since: Date,
  patienceMs: number,
): Promise<Found[]> {
  const found: Found[] = []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Pick<Found, 'merges' | 'why'>>((resolve) => {
    timer = setTimeout(() => resolve({ merges: null, why: 'it took too long' }), patienceMs)
  })
  const waiting = repositories.entries()
  const reader = async () => {
    for (const [index, repository] of waiting) {
      const reading = history.recentMerges(repository, since).then(
        (merges) => ({ merges }),
        (error) => ({ merges: null, ...(error instanceof NotRead ? { why: error.message } : {}) }),
      )
      found[index] = { repository, ...(await Promise.race([reading, late])) }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, reader))
    return found
  } finally {
    clearTimeout(timer)
  }
}

function isMergeOf(run: MergedRun, merge: Merge, url: string, isOnly: boolean): boolean {
  if (run.commit === merge.commit) return true
  if (run.pullRequest.number !== merge.pullRequest) return false
  if (Math.abs(run.mergedAt.getTime() - merge.mergedAt.getTime()) > sameTimeMs) return false
  // Numbers repeat from one repository to the next.
  return isOnly || `${pathOf(run.pullRequest.url)}/`.startsWith(`${pathOf(url)}/`)
}

const mergeOf = ({
  key,
  commit,
  repository,
  mergedAt,
  story,
  pullRequest,
  paths,
}: MergedRun): KnownMerge => ({
  commit,
  mergedAt,
  author: '',
  title: `${story.key}: ${story.title}`,
  paths,
  pullRequest: pullRequest.number,
  repository,
  run: key,
})

/** An address that is safe to show: people who read an incident must not see the repository's credentials. */
function addressOf(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed || !/^(https?|ssh|git):$/.test(parsed.protocol)) return url
  parsed.password = ''
  if (parsed.protocol !== 'ssh:') parsed.username = ''
  parsed.search = ''
  parsed.hash = ''
  return parsed.href
}

/** Host and path, however the address is written: `git@host:a/b.git` is `https://host/a/b`. */
const pathOf = (url: string) =>
  trimEnd(url, '/')
    .replace(/^\w+:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(?!\d)/, '$1/')
    .replace(/\.git$/, '')
    .toLowerCase()
