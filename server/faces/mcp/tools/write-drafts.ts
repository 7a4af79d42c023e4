import { requirementSlug, storyKey } from '@signalbox/contract/keys.ts'
import { Type } from 'typebox'
import { writeDrafts as write } from '../../../domain/work/requirements/write-drafts.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, tool, url, writes } from '../calls/tool.ts'

export const writeDrafts = tool({
  name: 'write_drafts',
  title: 'Write approved drafts to the tracker',
  description:
    'Writes the approved drafts of a requirement: as issues in the team’s tracker or, without a tracker, as stories that are Ready immediately, so that the team starts on them.',
  toolset: 'default',
  hints: writes('idempotent', 'openWorld'),
  input: takes({ requirement: requirementSlug }),
  output: gives({ requirement: requirementSlug, stories: Type.Array(storyKey), url, nextStep }),
  outside: [],
  async call(call, { requirement }) {
    const stories = await write(call.ctx, call.services.tracker, requirement)
    const nextStep = call.services.tracker
      ? 'The issues follow. Call get_requirement with waitSeconds to see what the tracker said about each.'
      : 'They are Ready. Call list_runs to see when the team starts.'
    return { requirement, stories, url: await appUrl(call, 'intake', requirement), nextStep }
  },
})
