import type { reads, writes } from '@signalbox/contract/app/stories.ts'
import { beginWork } from '../../../domain/engine/local/begin.ts'
import { readObstacles } from '../../../domain/engine/orders/read-obstacles.ts'
import { readRacers } from '../../../domain/engine/supervision/read-racers.ts'
import { startRace } from '../../../domain/engine/supervision/start-race.ts'
import { readStoryMirror } from '../../../domain/reach/mirror/read.ts'
import { readBoard } from '../../../domain/work/stories/board.ts'
import { createStory } from '../../../domain/work/stories/create.ts'
import { editStory } from '../../../domain/work/stories/edit.ts'
import { listStoryRows } from '../../../domain/work/stories/list-rows.ts'
import { placeStory } from '../../../domain/work/stories/place.ts'
import { placeStories } from '../../../domain/work/stories/place-many.ts'
import { readStoryPage } from '../../../domain/work/stories/read-page.ts'
import { setStoryRepositories } from '../../../domain/work/stories/set-repositories.ts'
import type { PersonalContext } from '../../http/session.ts'
import { arrayOf, type Handlers, paged } from '../operation.ts'

const mineOf = ({ actor }: PersonalContext, mine = false) => (mine ? actor.userId : undefined)

export const storiesHandlers: Handlers<typeof reads & typeof writes> = {
  'stories.board': async (ctx, { drafts = false, mine, ...filter }, { work }) => {
    const obstacles = await readObstacles(ctx, work, { team: filter.team })
    return arrayOf(await readBoard(ctx, { ...filter, drafts, mine: mineOf(ctx, mine) }, obstacles))
  },
  'stories.list': async (ctx, input, tools) => {
    const { limit: _, cursor: __, drafts = false, mine, ...filter } = input
    const obstacles = await readObstacles(ctx, tools.work, { team: filter.team })
    return paged(ctx, tools, 'stories.list', input, (page) =>
      listStoryRows(ctx, { ...filter, drafts, mine: mineOf(ctx, mine) }, page, obstacles),
    )
  },
  'stories.read': async (ctx, { key }, { work }) => ({
    ...(await readStoryPage(ctx, key, await readObstacles(ctx, work, { story: key }))),
    mirror: await readStoryMirror(ctx, key),
  }),
  'stories.racers': (ctx, { key }, { work }) => readRacers(ctx, work, key),
  'stories.create': (ctx, { team, title, ...given }) => createStory(ctx, team, { title, ...given }),
  'stories.begin': (ctx, { key }) => beginWork(ctx, key),
  'stories.race': (ctx, { key, agents: [first, second] }, { work }) =>
    startRace(ctx, work, key, [first!, second!]),
  'stories.move': (ctx, { key, to }) => placeStory(ctx, key, to),
  'stories.moveMany': (ctx, { keys, to }) => placeStories(ctx, keys, to),
  'stories.setRepositories': async (ctx, { key, repositories }) => {
    await setStoryRepositories(ctx, key, repositories)
    return null
  },
  'stories.edit': (ctx, { key, readAt, ...edit }) => editStory(ctx, key, edit, { readAt }),
}
