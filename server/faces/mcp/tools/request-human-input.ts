import { decisionStatuses } from '@signalbox/contract/decision.ts'
import { runKey, storyKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { nullable, oneOf, timestamp } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { askPeople } from '../../../domain/engine/lifecycle/ask.ts'
import { DomainError } from '../../../domain/errors.ts'
import { Answer, awaitDecision } from '../calls/decision-view.ts'
import {
  gives,
  idempotencyKey,
  nextStep,
  optional,
  takes,
  text,
  tool,
  url,
  waitSeconds,
  writes,
} from '../calls/tool.ts'

export const requestHumanInput = tool({
  name: 'request_human_input',
  title: 'Ask a person',
  description:
    'Asks the people of the workspace when you cannot decide something yourself: raises a clarification decision, which they see in their inbox immediately. Say what it is about (story or run, one of the two), the question, what they need to know (context, Markdown), 2 to 4 options with an id and a label, and the id of the option you recommend. The call waits up to waitSeconds for the answer. If status is still pending then, the question stays: call get_decision later; never guess, and never ask the same question again. The same question, sent twice, is one decision.',
  toolset: 'default',
  hints: writes('idempotent'),
  input: takes({
    story: optional(storyKey),
    run: optional(runKey),
    question: text('One sentence, ending with a question mark.', 1_000),
    context: optional(text('What they need to know to answer. Markdown.', maxNoteLength, 0)),
    options: Type.Array(
      takes({
        id: Type.String({
          pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
          description: 'Letters, digits, dots, hyphens, underscores, like keep-both.',
        }),
        label: text('What choosing it means.', 200),
      }),
      { minItems: 2, maxItems: 4, description: 'What they can choose from.' },
    ),
    recommendation: text('id of the option you recommend', 64),
    waitSeconds: waitSeconds(20),
    idempotencyKey,
  }),
  output: gives({
    decision: Type.String(),
    status: oneOf(decisionStatuses),
    answer: nullable(Answer),
    pollAfterSeconds: nullable(Type.Integer()),
    expiresAt: nullable(timestamp),
    url,
    nextStep,
  }),
  outside: ['answer.note'],
  async call(call, { story, run, waitSeconds = 20, ...question }) {
    if ((story === undefined) === (run === undefined))
      throw new DomainError(
        'invalid_request',
        'Say what the question is about: `story` or `run`, one of the two.',
      )
    const about = story === undefined ? { run: run! } : { story }
    const key = await askPeople(call.ctx, { about, ...question })
    const { status, answer, pollAfterSeconds, expiresAt, url, nextStep } = await awaitDecision(
      call,
      key,
      waitSeconds,
    )
    return { decision: key, status, answer, pollAfterSeconds, expiresAt, url, nextStep }
  },
})
