import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { checkedText } from '../../text.ts'
import { isAnotherRed, mainLook, noteMainLook } from '../../work/repositories/main-look.ts'
import { lockTeam, lockTeamById } from '../../work/teams/lock.ts'
import { setMainRed } from '../../work/teams/main.ts'
import { propose, withdrawProposals } from './propose.ts'

/** `repository`: of several, which one; left out: the team's first. */
export type MainState = { repository?: string | null } & (
  | { state: 'green'; commit?: string }
  | {
      state: 'red'
      commit: string
      findings: string
      /** Ours, after which it turned red: whether to take it back is asked apart. */
      merge?: { run: string; pullRequest: number }
    }
)

type Held = NonNullable<Awaited<ReturnType<typeof lockTeamById>>>

/** What a tool prints has no end of its own; a story has. */
const longestFindings = 10_000

/**
 * Takes what is known of a team's main branch. While it is red, nothing is merged and a person is asked whether a fix
 * should be started; once it is green, the question is withdrawn and merges go on.
 */
export async function reportMain(ctx: Context, slug: string, main: MainState): Promise<void> {
  await change(ctx, async (tx) => {
    const { id } = await lockTeam(tx, ctx.workspaceId, slug)
    const team = (await lockTeamById(tx, ctx.workspaceId, id))!
    return { value: undefined, audit: await noteMain(ctx, tx, team, main) }
  })
}

/** The same for a caller that holds the team already. */
export async function noteMain(ctx: Context, tx: Tx, team: Held, main: MainState): Promise<Entry[]> {
  const { repository = null } = main
  if (main.state === 'green') {
    // Whatever a person let pass is over.
    const look = { commit: main.commit ?? null, state: 'green' } as const
    await noteMainLook(tx, ctx.workspaceId, team.id, repository, look)
    // The team's merges go on when all of its main branches are green.
    if (await isAnotherRed(tx, ctx.workspaceId, team.id, repository)) return []
    const withdrawn = await withdrawProposals(ctx, tx, team, { kind: 'main_red_incident' }, 'main_green')
    if (!team.mainRedSince) return withdrawn
    await setMainRed(ctx, tx, team.id, false)
    return [turned(team, { before: team.mainRedSince.toISOString(), after: null }), ...withdrawn]
  }
  const { commit, merge } = main
  // A person knows of it, and has said that merges go on; one of ours that breaks more is another matter.
  const isKept = (await mainLook(tx, ctx.workspaceId, team.id, repository)).state === 'kept'
  if (!isKept) await noteMainLook(tx, ctx.workspaceId, team.id, repository, { commit, state: 'red' })
  if (team.mainRedSince || (isKept && !merge)) return []
  const found = checkedText('findings', main.findings.slice(0, longestFindings), {
    least: 0,
    most: longestFindings,
  })
  const at = ctx.clock.now().toISOString()
  await setMainRed(ctx, tx, team.id, true)
  const raised = await propose(ctx, tx, team, {
    kind: 'main_red_incident',
    // Each time it turns red is an incident of its own, also at the same commit.
    fingerprint: `${commit} ${at}`,
    title: `The main branch of ${team.name} is red`,
    body: merge
      ? `${found}\n\nIt turned red after pull request #${merge.pullRequest} of ${merge.run} was merged. Another decision asks whether to revert it.`
      : found,
    story: {
      title: `Make the main branch of ${team.name} green again`,
      description: `The main branch checks have failed since commit ${commit}. They found:\n\n${found}`,
      acceptanceCriteria: [
        'Every check on the main branch passes',
        'No check was removed or weakened to make it pass',
      ],
      demonstrate: 'Open the checks of the latest commit on the main branch: all of them are green.',
      size: 's',
      complexity: 'medium',
      classOfService: 'expedite',
    },
  })
  return [turned(team, { before: null, after: at }), ...raised]
}

/** A person keeps the merge that turned it red: merges go on, and no one is asked about it any more. */
export async function keepRedMerge(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  repository: string | null,
): Promise<Entry[]> {
  await noteMainLook(tx, ctx.workspaceId, team.id, repository, { commit: null, state: 'kept' })
  // That another one is red is not what the person has let pass.
  if (await isAnotherRed(tx, ctx.workspaceId, team.id, repository)) return []
  await setMainRed(ctx, tx, team.id, false)
  return withdrawProposals(ctx, tx, team, { kind: 'main_red_incident' }, 'merge_kept')
}

const turned = (
  { slug, name }: { slug: string; name: string },
  since: { before: string | null; after: string | null },
): Entry => ({
  event: 'team_changed',
  team: slug,
  entity: { type: 'team', id: slug, name },
  details: { changes: [{ field: 'mainRedSince', ...since }] },
})
