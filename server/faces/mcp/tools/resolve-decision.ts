import { DecisionAnswer, ResolvedDecision } from '@signalbox/contract/decision.ts'
import { decisionKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { resolveDecision as resolve } from '../../../domain/engine/answers/resolve.ts'
import { DomainError } from '../../../domain/errors.ts'
import { appUrl } from '../calls/app-url.ts'
import { viewDecision, writtenByOthers } from '../calls/decision-view.ts'
import {
  type Call,
  gives,
  idempotencyKey,
  nextStep,
  optional,
  takes,
  text,
  tool,
  url,
  writes,
} from '../calls/tool.ts'

export const resolveDecision = tool({
  name: 'resolve_decision',
  title: 'Answer a decision',
  description:
    'Answers a pending decision on behalf of your user, with the same effect as in the app: it can start implementation, merge, raise a budget or end a run. Only do it when your user has told you which option to choose; read get_decision first, it says what each option does. The first answer wins and cannot be changed. note (up to 4,000 characters) guides the coding agent; requesting changes needs one.',
  toolset: 'default',
  hints: writes('destructive'),
  input: takes({
    decision: decisionKey,
    optionId: DecisionAnswer.properties.optionId,
    note: optional(text('Guidance that goes with the answer.', maxNoteLength, 0)),
    idempotencyKey,
  }),
  output: gives({ ...ResolvedDecision.properties, url, nextStep }),
  outside: writtenByOthers,
  async call(call, { decision, ...answer }) {
    const resolved = fromJson(await answered(call, { key: decision, ...answer, asksForNote: true }))
    return {
      ...resolved,
      url: await appUrl(call, 'decisions', decision),
      nextStep: 'The effects say what happens now. Nothing is left to do here.',
    }
  },
})

async function answered(call: Call, answer: Parameters<typeof resolve>[1]) {
  try {
    return await resolve(call.ctx, answer)
  } catch (error) {
    const isLate =
      error instanceof DomainError && /^decision_(already_resolved|not_pending)$/.test(error.code)
    if (!isLate) throw error
    const { status, answer: given, url } = await viewDecision(call, answer.key)
    throw new DomainError(error.code, error.message, { status, answer: given, url })
  }
}
