import { storyKey } from '@signalbox/contract/keys.ts'
import { Type } from 'typebox'
import { approveDraft as approve } from '../../../domain/work/requirements/approve-draft.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, tool, url, writes } from '../calls/tool.ts'

export const approveDraft = tool({
  name: 'approve_draft',
  title: 'Approve a draft story',
  description:
    'Approves a draft story, which then goes to Backlog. Only a draft with a readiness of 100 can be approved; otherwise you are told what is missing, and update_story can add it. Only do it when your user wants this story. Then call write_drafts.',
  toolset: 'default',
  hints: writes('idempotent'),
  input: takes({ story: storyKey }),
  output: gives({ story: storyKey, approved: Type.Boolean(), url, nextStep }),
  outside: [],
  async call(call, { story }) {
    await approve(call.ctx, story)
    return {
      story,
      approved: true,
      url: await appUrl(call, 'stories', story),
      nextStep: 'Call write_drafts with its requirement when all wanted drafts are approved.',
    }
  },
})
