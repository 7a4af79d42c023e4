import type { Tx } from '../../../infra/db/db.ts'
import type { TeamRepository } from '../../ports/git-host.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import { storyRepositories } from '../../work/stories/set-repositories.ts'
import type { LockedRun } from '../machine/lock.ts'

/**
 * The team's repositories that the story of a run is about, by name: those that it names, else all; and whether the team
 * has more than one.
 */
export async function repositoriesFor(
  tx: Tx,
  workspaceId: string,
  { team, story }: Pick<LockedRun, 'team' | 'story'>,
): Promise<{ concerned: readonly TeamRepository[]; hasSeveral: boolean }> {
  const all = await teamRepositories(tx, workspaceId, team.id)
  const named = await storyRepositories(tx, workspaceId, story.id)
  const wanted = named ? all.filter(({ name }) => named.includes(name)) : all
  return { concerned: wanted.length > 0 ? wanted : all, hasSeveral: all.length > 1 }
}
