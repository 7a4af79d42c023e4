import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import { type Assessed, readinessOf } from '../../server/domain/work/stories/readiness.ts'
import type { Tx } from '../../server/infra/db/db.ts'
import { newId } from '../../server/infra/ids.ts'
import { tables } from '../../server/test/tables.ts'
import type { DemoStory, DemoTeam } from '../script.ts'
import type { Past } from './past.ts'

export const keyOf = (team: DemoTeam, story: DemoStory): string => `${team.keyPrefix}-${story.number}`

/** What the rules of readiness look at. */
export const assessed = (story: DemoStory): Assessed => ({
  title: story.title,
  description: story.description,
  acceptanceCriteria: story.acceptanceCriteria.map((text) => ({ text })),
  demonstrate: story.demonstrate ?? null,
  size: story.estimate?.size ?? null,
})

/** The acceptance criteria as the last run that collected evidence left them. */
function criteriaOf(past: Past, team: DemoTeam, story: DemoStory): AcceptanceCriterion[] {
  const run = team.runs.findLast((one) => one.storyKey === keyOf(team, story) && one.evidence)
  const unmet = run?.evidence?.criteria.filter(({ result }) => result === 'failed').map(({ id }) => id)
  const failed = story.verifiedAgain?.failed ?? unmet
  const minutesAgo = story.verifiedAgain?.minutesAgo ?? run?.attempts.at(-1)?.verification?.verifiedMinutesAgo
  const verifiedAt = minutesAgo === undefined ? null : past.at(minutesAgo).toISOString()
  return story.acceptanceCriteria.map((text, index) => {
    const id = `ac-${index + 1}`
    return {
      id,
      text,
      status: !failed ? 'unverified' : failed.includes(id) ? 'failed' : 'passed',
      verifiedAt,
    }
  })
}

/** A story as its tracker has it: one that is mirrored comes through no verb, and with a number of its own. */
export function addStory(past: Past, team: DemoTeam, story: DemoStory): void {
  const key = keyOf(team, story)
  const entity = { type: story.draft ? 'draft' : 'story', id: key, name: story.title } as const
  past.wrote({
    minutesAgo: story.minutesAgo.created,
    write: (tx, at) => insertStory(tx, past, team, story, at),
    audit: () => ({
      event: 'story_changed',
      team: team.slug,
      entity,
      details: story.draft
        ? { change: 'drafted' }
        : { change: 'mirrored', trackerKey: story.tracker?.key ?? null },
    }),
  })
  if (story.minutesAgo.updated === story.minutesAgo.created || story.columnRole === 'backlog') return
  past.wrote({
    minutesAgo: story.minutesAgo.updated,
    audit: () => ({
      event: 'story_changed',
      team: team.slug,
      entity,
      details: {
        change: 'moved',
        changes: [{ field: 'column', before: 'backlog', after: story.columnRole }],
      },
    }),
  })
}

async function insertStory(tx: Tx, past: Past, team: DemoTeam, story: DemoStory, at: Date): Promise<void> {
  const [id, key, teamId] = [newId(at), keyOf(team, story), past.teamIds.get(team.slug)!]
  past.storyIds.set(key, id)
  await tables(tx)
    .insertInto('stories')
    .values({
      id,
      workspace_id: past.workspaceId,
      team_id: teamId,
      key,
      title: story.title,
      description: story.description,
      acceptance_criteria: JSON.stringify(criteriaOf(past, team, story)),
      demonstrate: story.demonstrate ?? null,
      test_plan: story.testPlan ?? null,
      column_id: past.columnIds.get(`${team.slug}/${story.columnRole}`)!,
      draft: story.draft ?? false,
      readiness_score: readinessOf(assessed(story)).score,
      size: story.estimate?.size ?? null,
      complexity: story.estimate?.complexity ?? null,
      class_of_service: story.classOfService ?? 'standard',
      tracker_platform: story.tracker?.platform ?? null,
      tracker_key: story.tracker?.key ?? null,
      tracker_url: story.tracker?.url ?? null,
      created_at: at,
      updated_at: past.at(story.minutesAgo.updated),
    })
    .execute()
  await tables(tx)
    .updateTable('teams')
    .set({ last_story_number: story.number })
    .where('id', '=', teamId)
    .where('last_story_number', '<', story.number)
    .execute()
}
