import { storyKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { Type } from 'typebox'
import { rejectDraft as reject } from '../../../domain/work/requirements/reject-draft.ts'
import { gives, nextStep, optional, takes, text, tool, writes } from '../calls/tool.ts'

export const rejectDraft = tool({
  name: 'reject_draft',
  title: 'Reject a draft story',
  description:
    'Removes a draft story for good; its key is not used again. Only do it when your user does not want this story. note says why, for the audit log.',
  toolset: 'default',
  hints: writes('destructive', 'idempotent'),
  input: takes({ story: storyKey, note: optional(text('Why.', maxNoteLength, 0)) }),
  output: gives({ story: storyKey, rejected: Type.Boolean(), nextStep }),
  outside: [],
  async call({ ctx }, { story, note }) {
    await reject(ctx, story, note)
    return { story, rejected: true, nextStep: 'Nothing is left to do for this draft.' }
  },
})
