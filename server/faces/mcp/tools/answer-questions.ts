import { requirementSlug } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { maxQuestions, Requirement } from '@signalbox/contract/requirement.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { answerQuestions as answer } from '../../../domain/work/requirements/answer-questions.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, text, tool, url, writes } from '../calls/tool.ts'
import { afterwards } from './submit-requirements.ts'

export const answerQuestions = tool({
  name: 'answer_questions',
  title: 'Answer the questions about a requirement',
  description:
    'Answers the questions that submit_requirements returned, by their ids, in your user’s words. Stories are drafted once the last question has an answer.',
  toolset: 'default',
  hints: writes(),
  input: takes({
    requirement: requirementSlug,
    answers: Type.Array(
      takes({ id: text('id of the question', 100), answer: text('in your user’s words', maxNoteLength) }),
      {
        description: 'One for each question you answer.',
        minItems: 1,
        maxItems: maxQuestions,
      },
    ),
  }),
  output: gives({ ...Requirement.properties, url, nextStep }),
  outside: ['text', 'questions', 'notes'],
  async call(call, { requirement, answers }) {
    const now = fromJson(await answer(call.ctx, call.services.splitter, requirement, answers))
    return { ...now, url: await appUrl(call, 'intake', requirement), nextStep: afterwards(now) }
  },
})
