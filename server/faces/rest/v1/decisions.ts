import { Decision, DecisionQuery } from '@signalbox/contract/decision.ts'
import { decisionKey } from '@signalbox/contract/keys.ts'
import { pageOf } from '@signalbox/contract/page.ts'
import { listDecisions } from '../../../domain/decisions/list.ts'
import { readDecision } from '../../../domain/decisions/read.ts'
import { get, list } from '../route.ts'

const tag = 'Decisions'

export const decisionRoutes = [
  list(
    {
      path: '/v1/decisions',
      operation: 'listDecisions',
      summary: 'List decisions, newest first',
      tag,
      permission: 'read',
      query: DecisionQuery,
      answer: pageOf(Decision),
    },
    (ctx, _, filter, page) => listDecisions(ctx, filter, page),
  ),
  get(
    {
      path: '/v1/decisions/:decision',
      operation: 'readDecision',
      summary: 'Read a decision',
      tag,
      permission: 'read',
      params: { decision: { schema: decisionKey, noun: 'decision' } },
      answer: Decision,
    },
    (ctx, params) => readDecision(ctx, params.decision!),
  ),
]
