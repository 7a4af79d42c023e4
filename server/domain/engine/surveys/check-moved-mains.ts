import { mainCheckFeature } from '@signalbox/contract/runner/messages.ts'
import { newId } from '../../../infra/ids.ts'
import { asService, type Context } from '../../context.ts'
import { nextKey } from '../../keys.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { currentPolicy } from '../../work/policies/current.ts'
import { mainLook } from '../../work/repositories/main-look.ts'
import { repositoryOf } from '../../work/repositories/of-team.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { selectWorkers } from '../orders/workforce-store.ts'
import { surveyName } from './end-survey.ts'
import { offerSurvey } from './offer-survey.ts'
import {
  insertSurvey,
  isBeingChecked,
  type LocalMain,
  selectLocalMainsOfAllWorkspaces,
} from './survey-store.ts'

/** How many are looked at in one pass. */
const most = 500
/** What could not be checked is tried again after a while; what was checked is known. */
const againMs = 3_600_000

/**
 * Notices that people have pushed to the main branch of a folder on the server, which no host checks and no hook tells
 * of, and has a runner run its gates: otherwise a red main would be found at the next merge.
 */
export async function checkMovedMains(
  base: Pick<Context, 'db' | 'clock' | 'queue'>,
  gitHost: Pick<GitHost, 'readMain'>,
  onError: (error: Error) => void,
): Promise<void> {
  for (const main of await selectLocalMainsOfAllWorkspaces(base.db, most))
    await checkIfMoved(asService(base, main.workspaceId), gitHost, main).catch(onError)
}

async function checkIfMoved(
  ctx: Context,
  gitHost: Pick<GitHost, 'readMain'>,
  main: LocalMain,
): Promise<void> {
  const { workspaceId, teamId, team, repository: name } = main
  const repository = await repositoryOf(ctx.db, workspaceId, team, name)
  const now = await gitHost.readMain({ workspaceId, team, repository })
  if (now?.state !== 'unchecked') return
  const known = await mainLook(ctx.db, workspaceId, teamId, name)
  // Where no one has looked yet, the first run does, before anything is merged.
  if (known.commit === null || known.commit === now.commit || !(await hasSomeoneIdle(ctx, teamId))) return
  await offerCheck(ctx, main, now.commit)
}

/** Work comes first: a runner with a free slot does it, and without one nothing is offered. */
async function hasSomeoneIdle({ db, workspaceId, clock }: Context, teamId: string): Promise<boolean> {
  const workers = await selectWorkers(db, workspaceId, clock.now())
  return workers.some(
    ({ features, teamIds, rests, busy, slots }) =>
      !rests &&
      busy < slots &&
      features.includes(mainCheckFeature) &&
      (teamIds.length === 0 || teamIds.includes(teamId)),
  )
}

/** An order without a story: it costs no money and takes none of the team's slots. */
async function offerCheck(ctx: Context, { teamId, repository }: LocalMain, commit: string): Promise<void> {
  const at = ctx.clock.now()
  const { workspaceId } = ctx
  await change(ctx, async (tx) => {
    const nothing = { value: undefined, audit: [] }
    const team = await lockTeamById(tx, workspaceId, teamId)
    const policy = team && (await currentPolicy(tx, workspaceId, teamId))
    if (!team || !policy) return nothing
    // Another node may have looked at the same time.
    const since = new Date(at.getTime() - againMs)
    if (await isBeingChecked(tx, workspaceId, { teamId, repository, commit, since })) return nothing
    const id = newId(at)
    const key = await nextKey(tx, workspaceId, 'run')
    const { executor, version: policyVersion } = policy
    await insertSurvey(tx, workspaceId, {
      ...{ id, key, teamId, budgetCents: 0, executor, policyVersion, repository, checks: commit, at },
      ...{ dueAt: null, startedBy: null },
    })
    await offerSurvey(ctx, tx, { id, fence: 1, attempt: 1, executor }, policy)
    const entry: Entry = {
      event: 'survey_changed',
      team: team.slug,
      entity: { type: 'survey', id: key, name: surveyName({ team, checks: commit }) },
      details: { change: 'started', cause: 'push', budgetCents: 0, policyVersion, executor },
    }
    return { value: undefined, audit: entry }
  })
}
