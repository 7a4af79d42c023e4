import { Obstacle, StoryRow } from '@signalbox/contract/app/stories.ts'
import { decisionKey, runKey, storyKey, teamSlug } from '@signalbox/contract/keys.ts'
import { maxSearchLength } from '@signalbox/contract/limits.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { columnRoles } from '@signalbox/contract/story.ts'
import { Type } from 'typebox'
import { readObstacles } from '../../../domain/engine/orders/read-obstacles.ts'
import { listStoryRows } from '../../../domain/work/stories/list-rows.ts'
import {
  clipped,
  detail,
  gives,
  optional,
  pageArguments,
  pageOf,
  reads,
  takes,
  text,
  tool,
} from '../calls/tool.ts'

const Summary = Type.Object({
  key: storyKey,
  title: Type.String(),
  column: oneOf(columnRoles),
  readinessScore: StoryRow.properties.readinessScore,
  draft: optional(Type.Boolean()),
  run: optional(runKey),
  waiting: optional(decisionKey),
  heldBy: optional(Type.Array(Type.String())),
})

const summaryOf = (row: StoryRow, ofTeam: Obstacle['by'][]): Of<typeof Summary> => ({
  ...{ key: row.key, title: clipped(row.title), column: row.column.role, readinessScore: row.readinessScore },
  ...(row.draft ? { draft: true } : {}),
  ...(row.run?.open ? { run: row.run.key } : {}),
  ...(row.waiting ? { waiting: row.waiting } : {}),
  ...own(row.heldBy.map(({ by }) => by).filter((by) => !ofTeam.includes(by))),
})

const own = (heldBy: string[]) => (heldBy.length > 0 ? { heldBy } : {})

export const listStories = tool({
  name: 'list_stories',
  title: 'List a team’s stories',
  description:
    'Lists the stories of one team, newest first: key, title, column, readiness (100 is ready), the newest run while it is open, its open decision, and why a Ready story is not picked up: heldBy of the story or, for all of them, of the team. get_story has the description and acceptance criteria of one, detail full the rest of all.',
  toolset: 'default',
  hints: reads,
  onReplica: true,
  input: takes({
    team: teamSlug,
    column: optional(oneOf(columnRoles, 'only those there')),
    drafts: optional(Type.Boolean({ description: 'true: also drafts that are not approved yet' })),
    query: optional(text('Part of a title or key.', maxSearchLength)),
    detail,
    ...pageArguments,
  }),
  output: gives({
    heldBy: Type.Array(Obstacle, { description: 'what keeps the team from picking up any Ready story' }),
    ...pageShape(Type.Union([Summary, StoryRow])).properties,
  }),
  outside: ['data.title'],
  async call(call, { team, drafts = false, query, column, detail = 'summary', ...page }) {
    const { ctx, services } = call
    const obstacles = await readObstacles(ctx, services.work, { team })
    const filter = { team, drafts, q: query, column }
    const found = await pageOf(call, 'list_stories', { ...page, ...filter }, (request) =>
      listStoryRows(ctx, filter, request, obstacles),
    )
    const ofTeam = obstacles.map(({ by }) => by)
    const rows = detail === 'full' ? found.data : found.data.map((row) => summaryOf(row, ofTeam))
    return { heldBy: obstacles, ...found, data: rows }
  },
})
