import { storyKey } from '@signalbox/contract/keys.ts'
import { maxRepositories } from '@signalbox/contract/limits.ts'
import { nullable, timestamp } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { editStory, type StoryEdit } from '../../../domain/work/stories/edit.ts'
import { setStoryRepositories } from '../../../domain/work/stories/set-repositories.ts'
import { appUrl } from '../calls/app-url.ts'
import { storyFields, storyTitle } from '../calls/story-fields.ts'
import { type Call, gives, nextStep, optional, takes, tool, url, writes } from '../calls/tool.ts'
import { storyFor } from './get-story.ts'

export const updateStory = tool({
  name: 'update_story',
  title: 'Edit a story or a draft',
  description:
    'Changes the named fields of a story or draft and says how ready it is then. updatedAt must be the value that get_story returned: if someone has changed the story since, nothing is changed and you get the current version. acceptanceCriteria replaces the whole list; one whose text is unchanged has the same id and result. A story that mirrors a tracker issue takes its title and description from there, so these two are refused.',
  toolset: 'default',
  hints: writes('destructive', 'idempotent', 'openWorld'),
  input: takes({
    story: storyKey,
    updatedAt: timestamp,
    title: optional(storyTitle),
    ...storyFields,
    repositories: optional(
      nullable(
        Type.Array(Type.String({ maxLength: 300 }), {
          minItems: 1,
          maxItems: maxRepositories,
          description: 'Which of the team’s repositories it is about, by name. null: all of them.',
        }),
      ),
    ),
  }),
  output: gives({
    story: storyKey,
    readinessScore: Type.Integer(),
    missing: Type.Array(Type.String()),
    updatedAt: timestamp,
    url,
    nextStep,
  }),
  outside: [],
  async call(call, { story, updatedAt, repositories, ...edit }) {
    const isOnlyAboutThem = repositories !== undefined && Object.keys(edit).length === 0
    const readiness = isOnlyAboutThem ? null : await edited(call, story, edit, updatedAt)
    if (repositories !== undefined) await setStoryRepositories(call.ctx, story, repositories)
    const now = await storyFor(call, story)
    return {
      story,
      readinessScore: readiness?.score ?? now.readinessScore,
      missing: readiness?.missing ?? [],
      updatedAt: now.updatedAt,
      url: await appUrl(call, 'stories', story),
      nextStep: now.nextStep,
    }
  },
})

async function edited(call: Call, story: string, edit: StoryEdit, readAt: string) {
  try {
    return await editStory(call.ctx, story, edit, { readAt })
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'changed_meanwhile') throw error
    throw new DomainError(error.code, error.message, { current: await storyFor(call, story) })
  }
}
