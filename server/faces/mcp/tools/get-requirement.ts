import { RequirementPage } from '@signalbox/contract/app/requirements.ts'
import { requirementSlug } from '@signalbox/contract/keys.ts'
import { readRequirementPage } from '../../../domain/work/requirements/read-page.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, reads, takes, tool, url, waitSeconds } from '../calls/tool.ts'

export const getRequirement = tool({
  name: 'get_requirement',
  title: 'Read a requirement and its drafts',
  description:
    'Reads a requirement: its text, its questions with their answers, and every draft made from it, with readiness, what is missing to reach 100, state (draft, approved, writing, failing, written) and what the tracker said. With waitSeconds the call is held until something changes.',
  toolset: 'default',
  hints: reads,
  input: takes({ requirement: requirementSlug, waitSeconds: waitSeconds(0) }),
  output: gives({ ...RequirementPage.properties, url, nextStep }),
  outside: ['text', 'questions', 'notes', 'drafts'],
  async call(call, { requirement, waitSeconds = 0 }) {
    const { ctx, services, gone } = call
    const read = () => readRequirementPage(ctx, services.tracker, requirement)
    const before = JSON.stringify(await read())
    const beat = (waited: number) =>
      call.progress(waited, waitSeconds, `Waiting for ${requirement} to change`)
    const page = await services.waits.until(
      ctx.workspaceId,
      /^(requirement|story|tracker)_/,
      { seconds: waitSeconds, gone, beat },
      read,
      (now) => JSON.stringify(now) !== before,
    )
    return { ...page, url: await appUrl(call, 'intake', requirement), nextStep: nextStepOf(page) }
  },
})

function nextStepOf({ status, drafts }: RequirementPage): string {
  if (status === 'clarifying') return 'Put the open questions to your user, then call answer_questions.'
  const unready = drafts.find(({ state, missing }) => state === 'draft' && missing.length > 0)
  if (unready) return `Call update_story with what ${unready.key} lacks, or reject_draft.`
  if (drafts.some(({ state }) => state === 'draft'))
    return 'Show the drafts to your user, then call approve_draft for each that they want.'
  if (drafts.some(({ state }) => state === 'approved'))
    return 'Call write_drafts to write the approved drafts.'
  return 'Nothing is left to do.'
}
