import type { reads, writes } from '@signalbox/contract/app/stories.ts'
import { readBoard } from '../../domain/stories/board.ts'
import { editStory } from '../../domain/stories/edit.ts'
import { listStoryRows } from '../../domain/stories/list-rows.ts'
import { placeStory } from '../../domain/stories/place.ts'
import { readStoryPage } from '../../domain/stories/read-page.ts'
import { arrayOf, type Handlers, paged } from './operation.ts'

export const storiesHandlers: Handlers<typeof reads & typeof writes> = {
  'stories.board': async (ctx, { drafts = false, ...filter }) =>
    arrayOf(await readBoard(ctx, { ...filter, drafts })),
  'stories.list': (ctx, input, tools) => {
    const { limit: _, cursor: __, drafts = false, ...filter } = input
    return paged(ctx, tools, 'stories.list', input, (page) => listStoryRows(ctx, { ...filter, drafts }, page))
  },
  'stories.read': (ctx, { key }) => readStoryPage(ctx, key),
  'stories.move': (ctx, { key, to }) => placeStory(ctx, key, to),
  'stories.edit': (ctx, { key, readAt, ...edit }) => editStory(ctx, key, edit, { readAt }),
}
