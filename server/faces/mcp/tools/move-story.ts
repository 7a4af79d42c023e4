import { storyKey } from '@signalbox/contract/keys.ts'
import { oneOf } from '@signalbox/contract/shapes.ts'
import { columnRoles } from '@signalbox/contract/story.ts'
import { placeStory } from '../../../domain/work/stories/place.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, tool, url, writes } from '../calls/tool.ts'

export const moveStory = tool({
  name: 'move_story',
  title: 'Move a story to another column',
  description:
    'Moves a story to another column of its board. The team picks up what is in ready, so only stories with a readiness of 100 can go there; otherwise you are told what is missing. Refused for drafts, and while a run is working on the story.',
  toolset: 'default',
  hints: writes('idempotent', 'openWorld'),
  input: takes({ story: storyKey, column: oneOf(columnRoles, 'where it goes') }),
  output: gives({ story: storyKey, from: oneOf(columnRoles), to: oneOf(columnRoles), url, nextStep }),
  outside: [],
  async call(call, { story, column }) {
    const moved = await placeStory(call.ctx, story, column)
    const nextStep =
      column === 'ready'
        ? 'The team picks it up when it has a free slot. Call list_runs with the story to see when.'
        : 'Nothing else happens.'
    return { story, ...moved, url: await appUrl(call, 'stories', story), nextStep }
  },
})
