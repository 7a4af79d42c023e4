import { StoryRow } from '@signalbox/contract/app/stories.ts'
import { teamSlug } from '@signalbox/contract/keys.ts'
import { maxSearchLength } from '@signalbox/contract/limits.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { oneOf } from '@signalbox/contract/shapes.ts'
import { columnRoles } from '@signalbox/contract/story.ts'
import { Type } from 'typebox'
import { readObstacles } from '../../../domain/engine/read-obstacles.ts'
import { listStoryRows } from '../../../domain/stories/list-rows.ts'
import { optional, pageArguments, pageOf, reads, takes, text, tool } from '../calls/tool.ts'

export const listStories = tool({
  name: 'list_stories',
  title: 'List a team’s stories',
  description:
    'Lists the stories of one team, newest first: key, title, column, readiness (100 is ready), size, the newest run, the decision that waits, and what keeps a Ready story from being picked up (heldBy). Narrow it by column or by words of the title or key. Drafts are left out unless drafts is true. Use get_story for the description and acceptance criteria.',
  toolset: 'default',
  hints: reads,
  input: takes({
    team: teamSlug,
    column: optional(oneOf(columnRoles)),
    drafts: optional(Type.Boolean({ description: 'true: drafts that are not approved yet, too' })),
    query: optional(text('Part of a title or key.', maxSearchLength)),
    ...pageArguments,
  }),
  output: pageShape(StoryRow),
  outside: ['data.title'],
  async call(call, { team, drafts = false, query, column, ...page }) {
    const { ctx, services } = call
    const obstacles = await readObstacles(ctx, services.work, { team })
    const filter = { team, drafts, q: query, column }
    return pageOf(call, 'list_stories', { ...page, ...filter }, (request) =>
      listStoryRows(ctx, filter, request, obstacles),
    )
  },
})
