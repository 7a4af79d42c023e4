import { Decision, DecisionAnswer, DecisionQuery, ResolvedDecision } from '@signalbox/contract/decision.ts'
import { decisionKey } from '@signalbox/contract/keys.ts'
import { pageOf } from '@signalbox/contract/page.ts'
import { resolveDecision } from '../../../domain/engine/answers/resolve.ts'
import { listDecisions } from '../../../domain/work/decisions/list.ts'
import { readDecision } from '../../../domain/work/decisions/read.ts'
import { get, list, post } from './route.ts'

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
      response: pageOf(Decision),
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
      response: Decision,
    },
    (ctx, params) => readDecision(ctx, params.decision!),
  ),
  post(
    {
      path: '/v1/decisions/:decision/resolve',
      operation: 'resolveDecision',
      summary: 'Answer a decision',
      description:
        "The first answer wins, whichever channel it comes through; a later one gets 409. The token's owner is recorded as the answerer and needs the role that the decision's authority names.",
      tag,
      permission: 'write',
      params: { decision: { schema: decisionKey, noun: 'decision' } },
      body: DecisionAnswer,
      response: ResolvedDecision,
    },
    (ctx, params, body, idempotencyKey) =>
      resolveDecision(ctx, { key: params.decision!, ...body, idempotencyKey }),
  ),
]
