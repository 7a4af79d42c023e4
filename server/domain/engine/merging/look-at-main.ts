import { asService, type Context } from '../../context.ts'
import { ToolRefused } from '../../ports/connection.ts'
import type { GitHost, MainNow, MainRequest } from '../../ports/git-host.ts'
import { repositoriesOf, repositoryOf } from '../../work/repositories/of-team.ts'
import { reportMain } from '../lifecycle/report-main.ts'
import { selectRedTeamsOfAllWorkspaces } from '../lifecycle/team-store.ts'

/**
 * Asks the host how the main branch of one of a team's repositories is now, and takes it. Says in a word what it is; null:
 * the host does not know.
 */
export async function lookAtMain(
  ctx: Context,
  gitHost: Pick<GitHost, 'readMain'>,
  team: string,
  name?: string,
): Promise<'green' | 'red' | 'pending' | null> {
  const { workspaceId } = ctx
  const repository = await repositoryOf(ctx.db, workspaceId, team, name)
  const main = await mainIfAllowed(gitHost, { workspaceId, team, repository })
  if (!main || main.state === 'unchecked') return null
  if (main.state !== 'pending')
    await reportMain(ctx, team, { ...main, ...(name === undefined ? {} : { repository: name }) })
  return main.state
}

/** For those who can go on without: a refusal stands at the connection. Null: it could not be read. */
export async function mainIfAllowed(
  gitHost: Pick<GitHost, 'readMain'>,
  request: MainRequest,
): Promise<MainNow | null> {
  try {
    return await gitHost.readMain(request)
  } catch (error) {
    if (error instanceof ToolRefused) return null
    throw error
  }
}

/** How many are looked at in one pass. */
const most = 200

/** Looks after main branches that are red: a webhook that says otherwise may never come. */
export async function lookAtRedMains(
  base: Pick<Context, 'db' | 'clock' | 'queue'>,
  gitHost: Pick<GitHost, 'readMain'>,
  onError: (error: Error) => void,
): Promise<void> {
  for (const { workspaceId, slug } of await selectRedTeamsOfAllWorkspaces(base.db, most))
    for (const name of await namesOf(base.db, workspaceId, slug))
      await lookAtMain(asService(base, workspaceId), gitHost, slug, name).catch(onError)
}

/** Each repository of a team; where there is none, the host is asked all the same. */
async function namesOf(
  db: Context['db'],
  workspaceId: string,
  team: string,
): Promise<(string | undefined)[]> {
  const all = await repositoriesOf(db, workspaceId, team)
  return all.length === 0 ? [undefined] : all.map(({ name }) => name)
}
