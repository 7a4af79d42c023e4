import type { reads, writes } from '@signalbox/contract/app/requirements.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { answerQuestions } from '../../../domain/work/requirements/answer-questions.ts'
import { approveDraft } from '../../../domain/work/requirements/approve-draft.ts'
import { listRequirementRows } from '../../../domain/work/requirements/list-rows.ts'
import { readRequirementPage } from '../../../domain/work/requirements/read-page.ts'
import { rejectDraft } from '../../../domain/work/requirements/reject-draft.ts'
import { submitRequirement } from '../../../domain/work/requirements/submit.ts'
import { writeDrafts } from '../../../domain/work/requirements/write-drafts.ts'
import { type Handlers, paged } from '../operation.ts'

export const requirementsHandlers: Handlers<typeof reads & typeof writes> = {
  'requirements.list': (ctx, input, tools) => {
    const { limit: _, cursor: __, ...filter } = input
    return paged(ctx, tools, 'requirements.list', input, (page) => listRequirementRows(ctx, filter, page))
  },
  'requirements.read': (ctx, { slug }, { tracker }) => readRequirementPage(ctx, tracker, slug),
  'requirements.submit': async (ctx, input, { splitter }) => {
    const { slug } = fromJson(await submitRequirement(ctx, splitter, input))
    return { slug }
  },
  'requirements.answer': async (ctx, { slug, answers }, { splitter }) => {
    const { status } = fromJson(await answerQuestions(ctx, splitter, slug, answers))
    return { status }
  },
  'requirements.approveDraft': async (ctx, { key }) => {
    await approveDraft(ctx, key)
    return null
  },
  'requirements.rejectDraft': async (ctx, { key, note }) => {
    await rejectDraft(ctx, key, note)
    return null
  },
  'requirements.write': async (ctx, { slug }, { tracker }) => ({
    keys: await writeDrafts(ctx, tracker, slug),
  }),
}
