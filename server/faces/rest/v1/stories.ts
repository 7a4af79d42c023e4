import { storyKey } from '@signalbox/contract/keys.ts'
import { pageOf } from '@signalbox/contract/page.ts'
import { Story, StoryListed, StoryQuery } from '@signalbox/contract/story.ts'
import { listStories } from '../../../domain/work/stories/list.ts'
import { readStory } from '../../../domain/work/stories/read.ts'
import { get, list } from './route.ts'
import { team } from './teams.ts'

const tag = 'Stories'

export const storyRoutes = [
  list(
    {
      path: '/v1/teams/:team/stories',
      operation: 'listStories',
      summary: "List a team's stories, newest first",
      tag,
      onReplica: true,
      permission: 'read',
      params: { team },
      query: StoryQuery,
      response: pageOf(StoryListed),
    },
    (ctx, params, { drafts = false }, page) => listStories(ctx, { team: params.team!, drafts }, page),
  ),
  get(
    {
      path: '/v1/stories/:story',
      operation: 'readStory',
      summary: 'Read a story',
      tag,
      permission: 'read',
      params: { story: { schema: storyKey, noun: 'story' } },
      response: Story,
    },
    (ctx, params) => readStory(ctx, params.story!),
  ),
]
