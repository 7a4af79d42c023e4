import { change, type Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { holdTeam, lockTeam } from '../teams/lock.ts'
import { setMainRed } from '../teams/main.ts'
import { checkedText } from '../text.ts'
import { propose, withdrawProposals } from './propose.ts'

export type MainState = { state: 'green' } | { state: 'red'; commit: string; findings: string }

/** What a tool prints has no end of its own; a story has. */
const longestFindings = 10_000

/**
 * Takes what is known of a team's main branch. While it is red, nothing is merged and a person is asked whether a fix
 * should be started; once it is green, the question is taken back and merges go on.
 */
export async function reportMain(ctx: Context, slug: string, main: MainState): Promise<void> {
  await change(ctx, async (tx) => {
    const { id } = await lockTeam(tx, ctx.workspaceId, slug)
    const team = (await holdTeam(tx, ctx.workspaceId, id))!
    const entries: Entry[] = []
    if (main.state === 'green') {
      if (team.mainRedSince) {
        await setMainRed(ctx, tx, team.id, false)
        entries.push(turned(team, { before: team.mainRedSince.toISOString(), after: null }))
      }
      entries.push(...(await withdrawProposals(ctx, tx, team, { kind: 'main_red_incident' }, 'main_green')))
    } else if (!team.mainRedSince) {
      const findings = checkedText('findings', main.findings.slice(0, longestFindings), {
        least: 0,
        most: longestFindings,
      })
      await setMainRed(ctx, tx, team.id, true)
      entries.push(turned(team, { before: null, after: ctx.clock.now().toISOString() }))
      entries.push(
        ...(await propose(ctx, tx, team, {
          kind: 'main_red_incident',
          // Each time it turns red is an incident of its own, also at the same commit.
          fingerprint: `${main.commit} ${ctx.clock.now().toISOString()}`,
          title: `The main branch of ${team.name} is red`,
          body: findings,
          story: {
            title: `Make the main branch of ${team.name} green again`,
            description: `The main branch checks have failed since commit ${main.commit}. They found:\n\n${findings}`,
            acceptanceCriteria: [
              'Every check on the main branch passes',
              'No check was removed or weakened to make it pass',
            ],
            demonstrate: 'Open the checks of the latest commit on the main branch: all of them are green.',
            size: 's',
            complexity: 'medium',
            classOfService: 'expedite',
          },
        })),
      )
    }
    return { value: undefined, audit: entries }
  })
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
