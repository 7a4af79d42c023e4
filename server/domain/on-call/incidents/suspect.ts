import type { Context } from '../../context.ts'
import type { History, MergeDiff } from '../../ports/history.ts'
import { listGitHosts } from '../../tools/connections/list-git-hosts.ts'
import { type CodePage, codePageOf } from '../../work/repositories/code-page.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import type { KnownMerge } from './finding.ts'
import type { Looked } from './recent-merges.ts'

/** What people are shown of a merge before they are asked whether to revert it. */
export interface ShownSuspect {
  /** Null: a run of ours has it, or it could not be read. */
  diff: MergeDiff | null
  page: CodePage | null
}

/** Reads what a suspected merge changed, unless a run of ours made it, and finds the page that shows it. */
export async function lookAtSuspect(
  ctx: Context,
  history: History,
  teamId: string,
  suspect: KnownMerge | null,
  { readIn }: Looked,
  patienceMs: number,
): Promise<ShownSuspect> {
  if (!suspect) return { diff: null, page: null }
  const repository = readIn.get(suspect)
  const diff =
    repository && !suspect.run ? await inTime(history.diffOf(repository, suspect.commit), patienceMs) : null
  const named = async () =>
    (await teamRepositories(ctx.db, ctx.workspaceId, teamId)).find(({ name }) => name === suspect.repository)
  const address = repository?.url ?? (await named())?.address
  return {
    diff,
    page: address === undefined ? null : codePageOf(address, await listGitHosts(ctx.db, ctx.workspaceId)),
  }
}

/** What cannot be read, or not in time, is asked without: the merge is named all the same. */
async function inTime(reading: Promise<MergeDiff>, patienceMs: number): Promise<MergeDiff | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(late.resolve, patienceMs, null)
  try {
    return await Promise.race([reading.catch(() => null), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
