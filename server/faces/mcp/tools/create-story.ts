import { storyKey, teamSlug } from '@signalbox/contract/keys.ts'
import { Type } from 'typebox'
import { createStory as create } from '../../../domain/work/stories/create.ts'
import { appUrl } from '../calls/app-url.ts'
import { storyFields, storyTitle } from '../calls/story-fields.ts'
import { gives, idempotencyKey, nextStep, takes, tool, url, writes } from '../calls/tool.ts'
import { storyFor } from './get-story.ts'

export const createStory = tool({
  name: 'create_story',
  title: 'Create a story',
  description:
    'Adds a story to a team’s Backlog and says how ready it is; at 100, move_story can take it to ready. Where the team’s stories are issues of a tracker, the issue is created too. For something that still has to be split into stories, use submit_requirements.',
  toolset: 'default',
  hints: writes('openWorld'),
  input: takes({ team: teamSlug, title: storyTitle, ...storyFields, idempotencyKey }),
  output: gives({
    story: storyKey,
    readinessScore: Type.Integer(),
    missing: Type.Array(Type.String()),
    url,
    nextStep,
  }),
  outside: [],
  async call(call, { team, idempotencyKey, ...given }) {
    const { key } = await create(call.ctx, team, given, idempotencyKey)
    const { readinessScore, missing } = await storyFor(call, key)
    return {
      story: key,
      readinessScore,
      missing,
      url: await appUrl(call, 'stories', key),
      nextStep:
        missing.length > 0
          ? 'Call update_story to add what is missing.'
          : 'Call move_story with ready when your user wants the team to start.',
    }
  },
})
