import { readinessOf } from '../../server/domain/stories/readiness.ts'
import type { Tx } from '../../server/infra/db/db.ts'
import { newId } from '../../server/infra/ids.ts'
import type { DemoStory, DemoTeam } from '../script.ts'
import type { Past } from './past.ts'

export const keyOf = (team: DemoTeam, story: DemoStory): string => `${team.keyPrefix}-${story.number}`

/** A story as its tracker has it: one that is mirrored comes through no verb, and with a number of its own. */
export function addStory(past: Past, team: DemoTeam, story: DemoStory): void {
  const key = keyOf(team, story)
  const entity = { type: story.draft ? 'draft' : 'story', id: key, name: story.title } as const
  past.wrote({
    minutesAgo: story.createdMinutesAgo,
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
  if (story.updatedMinutesAgo === story.createdMinutesAgo || story.columnRole === 'backlog') return
  past.wrote({
    minutesAgo: story.updatedMinutesAgo,
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
  await tx
    .insertInto('stories')
    .values({
      id,
      workspace_id: past.workspaceId,
      team_id: teamId,
      key,
      title: story.title,
      description: story.description,
      acceptance_criteria: JSON.stringify(
        story.acceptanceCriteria.map(({ verifiedMinutesAgo, ...criterion }) => ({
          ...criterion,
          verifiedAt: verifiedMinutesAgo === null ? null : past.at(verifiedMinutesAgo).toISOString(),
        })),
      ),
      demonstrate: story.demonstrate,
      column_id: past.columnIds.get(`${team.slug}/${story.columnRole}`)!,
      draft: story.draft ?? false,
      readiness_score: readinessOf(story).score,
      size: story.size,
      complexity: story.complexity,
      class_of_service: story.classOfService,
      tracker_platform: story.tracker?.platform ?? null,
      tracker_key: story.tracker?.key ?? null,
      tracker_url: story.tracker?.url ?? null,
      created_at: at,
      updated_at: past.at(story.updatedMinutesAgo),
    })
    .execute()
  await tx
    .updateTable('teams')
    .set({ last_story_number: story.number })
    .where('id', '=', teamId)
    .where('last_story_number', '<', story.number)
    .execute()
}
