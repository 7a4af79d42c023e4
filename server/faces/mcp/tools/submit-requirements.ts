import { teamSlug } from '@signalbox/contract/keys.ts'
import { maxRequirementLength } from '@signalbox/contract/limits.ts'
import { Requirement } from '@signalbox/contract/requirement.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { submitRequirement } from '../../../domain/work/requirements/submit.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, idempotencyKey, nextStep, takes, text, tool, url, writes } from '../calls/tool.ts'

export const submitRequirements = tool({
  name: 'submit_requirements',
  title: 'Submit requirements',
  description:
    'Submits what your user wants, in plain words, to a team. Draft stories are made from it, or up to three questions come back first (status clarifying): put them to your user and pass the answers to answer_questions. Drafts are edited with update_story, approved with approve_draft at a readiness of 100, and written with write_drafts.',
  toolset: 'default',
  hints: writes(),
  input: takes({
    team: teamSlug,
    text: text('What is wanted, as Markdown or plain text.', maxRequirementLength),
    idempotencyKey,
  }),
  output: gives({ ...Requirement.properties, url, nextStep }),
  outside: ['text', 'questions.text', 'notes'],
  async call(call, input) {
    const requirement = fromJson(await submitRequirement(call.ctx, call.services.splitter, input))
    return {
      ...requirement,
      url: await appUrl(call, 'intake', requirement.slug),
      nextStep: afterwards(requirement),
    }
  },
})

export function afterwards({
  status,
  drafts,
  slug,
}: Pick<Requirement, 'status' | 'drafts' | 'slug'>): string {
  if (status === 'clarifying') return 'Put the open questions to your user, then call answer_questions.'
  if (status === 'closed') return 'Nothing is left to do.'
  return `Call get_requirement with ${slug} to see the ${drafts.length} drafts and what each still lacks.`
}
