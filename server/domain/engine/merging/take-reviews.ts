import type { Context } from '../../context.ts'
import type { GitHost, Review } from '../../ports/git-host.ts'
import { change } from '../../record/audit/change.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import { advance } from '../lifecycle/advance.ts'
import { cancelDecisions } from '../lifecycle/cancel.ts'
import { lockRun } from '../machine/lock.ts'
import { requestOfPart, selectMergeRequest, selectRunOfPullRequest } from '../machine/run-store.ts'

/** What agents are told has an end. */
const longestGuidance = 20_000

/**
 * Takes what reviewers at the git host want changed: where the policy says so, the run that waits for its merge to be
 * approved begins another attempt with their words. Says what it did, for the log of deliveries.
 */
export async function takeReviews(
  ctx: Context,
  gitHost: Pick<GitHost, 'readReviews'>,
  team: string,
  named: { repository: string; number: number },
): Promise<string[]> {
  const { db, workspaceId } = ctx
  const id = await selectRunOfPullRequest(db, workspaceId, team, named)
  const run = id ? await selectMergeRequest(db, workspaceId, id) : undefined
  const part = run?.parts.find(({ name }) => name === named.repository)
  const row = run && part ? requestOfPart(run, part) : run
  if (!id || !row?.pullRequest) return []
  const repository = await teamRepository(db, workspaceId, row.teamId, row.at)
  const request = { ...row, pullRequest: row.pullRequest, key: `reviews/${id}`, workspaceId, repository }
  const reviews = await gitHost.readReviews(request)
  // What they said about an older commit was heard then, or was about something else.
  const wanted = reviews.filter(({ commit }) => commit === null || commit === row.head)
  if (wanted.length === 0) return []
  return change(ctx, async (tx) => {
    const run = await lockRun(tx, workspaceId, { id })
    const { phase, memory } = run.state
    const mayRework = phase === 'waiting' && memory.waitsFor === 'merge_approval' && run.policy.reworkOnReview
    if (!mayRework) return { value: [], audit: [] }
    const about = { id: run.id, key: run.key, team: run.team.slug }
    const cancelled = await cancelDecisions(ctx, tx, about, 'reviewed')
    const advanced = await advance(ctx, tx, run, { type: 'attempt_wanted', guidance: guidanceOf(wanted) })
    const names = wanted.map(({ author }) => author).join(', ')
    return {
      value: [`${run.key} begins another attempt after the review by ${names}.`],
      audit: [...cancelled, ...(advanced?.entries ?? [])],
    }
  })
}

const guidanceOf = (reviews: Review[]): string =>
  reviews
    .map(({ author, text }) => `A reviewer, ${author}, asked for changes:\n\n${text}`)
    .join('\n\n')
    .replaceAll('\0', '')
    .toWellFormed()
    .slice(0, longestGuidance)
