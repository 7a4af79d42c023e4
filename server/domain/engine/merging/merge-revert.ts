import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { findPullRequest, openReverts } from '../../work/pull-requests/find.ts'
import { repositoriesOf, repositoryOf } from '../../work/repositories/of-team.ts'
import { lockTeam, lockTeamById } from '../../work/teams/lock.ts'
import { requireTeam } from '../../work/teams/read.ts'
import { noteMain } from '../lifecycle/report-main.ts'

/** Pull requests that revert a merge, in a repository whose host has no page for them. */
export async function listReverts(ctx: Context, slug: string) {
  await requireTeam(ctx, slug)
  const all = await repositoriesOf(ctx.db, ctx.workspaceId, slug)
  const found = []
  for (const { name } of all.filter(({ connectionId }) => connectionId === null))
    for (const { number, title, base } of await openReverts(ctx.db, ctx.workspaceId, name))
      found.push({ number, title, base, repository: name })
  return found
}

/**
 * Merges such a pull request, for a person who has the right to approve the revert. The main branch was green before the
 * merge that it reverts, so merges go on; the check after the next one would find out otherwise.
 */
export async function mergeRevert(
  ctx: Context,
  gitHost: Pick<GitHost, 'merge'> | null,
  slug: string,
  number: number,
  name?: string,
): Promise<{ commit: string }> {
  requireRole(ctx, 'admin', 'merge a revert')
  await requireTeam(ctx, slug)
  const { workspaceId } = ctx
  const repository = await repositoryOf(ctx.db, workspaceId, slug, name)
  const kept =
    repository && !repository.connectionId
      ? await findPullRequest(ctx.db, workspaceId, repository.name, number)
      : undefined
  if (!gitHost || !repository || !kept?.isRevert)
    throw new DomainError('not_found', `The team has no revert #${number} to merge.`)
  const by = ctx.actor.type === 'human' ? ctx.actor.name : 'Signalbox'
  const result = await gitHost.merge({
    key: `merge_revert/${workspaceId}/${repository.name}/${number}`,
    ...{ workspaceId, team: slug, story: 'A revert', run: `merged by ${by}`, repository },
    pullRequest: { number, url: '' },
    head: kept.head,
    // It is the host's own: it was made there, and is measured there.
    verified: null,
  })
  const about = { number, repository: repository.name, branch: kept.base }
  await change(ctx, async (tx) => {
    const { id } = await lockTeam(tx, workspaceId, slug)
    const team = (await lockTeamById(tx, workspaceId, id))!
    const entry = {
      event: 'pull_request_merged',
      team: slug,
      entity: { type: 'team', id: slug, name: team.name },
    } as const
    if (!result.merged)
      return {
        value: null,
        audit: { ...entry, result: 'failure', details: { ...about, reason: result.reason } },
      }
    const noted = team.mainRedSince
      ? await noteMain(ctx, tx, team, { state: 'green', repository: repository.name })
      : []
    return { value: null, audit: [{ ...entry, details: { ...about, commit: result.commit } }, ...noted] }
  })
  if (!result.merged) throw new DomainError('conflict', `#${number} was not merged: ${result.reason}`)
  return { commit: result.commit }
}
