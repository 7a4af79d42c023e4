import { Type } from 'typebox'
import { decisionKey, runKey, storyKey, teamSlug } from './keys.ts'
import { maxNoteLength } from './limits.ts'
import { cursor, limit } from './page.ts'
import { roles } from './roles.ts'
import { nullable, type Of, oneOf, timestamp } from './shapes.ts'

export const decisionKinds = [
  'plan_approval',
  'policy_exception',
  'clarification',
  'budget_stop',
  'verification_failed',
  'gate_failure',
  'diff_guard',
  'repeated_gate_failure',
  'merge_approval',
  'revert_approval',
  'main_red_incident',
  'maintenance_proposal',
  'strategy_proposal',
  'scope_change',
] as const

export const decisionStatuses = ['pending', 'resolved', 'expired', 'cancelled', 'superseded'] as const

export const optionActions = [
  'approve_plan',
  'request_changes',
  'allow_once',
  'reject',
  'raise_budget',
  'abandon',
  'revert_spec_and_retry',
  'retry',
  'answer',
  'merge',
  'open_revert',
  'accept_proposal',
  'decline_proposal',
] as const

/** Channels through which a person may answer. */
export const answerChannels = ['app', 'slack', 'mcp', 'api'] as const

export const DecisionOption = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    action: oneOf(optionActions),
    recommended: Type.Boolean(),
  },
  { $id: 'DecisionOption', additionalProperties: false },
)
export type DecisionOption = Of<typeof DecisionOption>

export const Decision = Type.Object(
  {
    key: decisionKey,
    kind: oneOf(decisionKinds),
    authority: oneOf(roles, 'the lowest role that can answer'),
    title: Type.String(),
    body: Type.String({ description: 'Markdown: the reasoning' }),
    status: oneOf(decisionStatuses),
    recommendation: Type.String({ description: 'id of the recommended option' }),
    options: Type.Array(DecisionOption, { minItems: 2, maxItems: 4 }),
    team: teamSlug,
    story: nullable(Type.Object({ key: storyKey, title: Type.String() }, { additionalProperties: false })),
    runKey: nullable(runKey),
    resolution: nullable(
      Type.Object(
        { optionId: Type.String(), note: nullable(Type.String()) },
        { additionalProperties: false },
      ),
    ),
    resolvedVia: nullable(oneOf(answerChannels)),
    resolvedAt: nullable(timestamp),
    expiresAt: nullable(timestamp),
    createdAt: timestamp,
  },
  { $id: 'Decision', additionalProperties: false },
)
export type Decision = Of<typeof Decision>

export const DecisionAnswer = Type.Object(
  {
    optionId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "id of one of the decision's options",
    }),
    note: Type.Optional(
      nullable(
        Type.String({
          maxLength: maxNoteLength,
          description: 'context or guidance that goes with the answer',
        }),
      ),
    ),
  },
  { $id: 'DecisionAnswer', additionalProperties: false },
)
export type DecisionAnswer = Of<typeof DecisionAnswer>

export const effectTypes = [
  'implementation_started',
  'run_continued',
  'answer_recorded',
  'exception_granted',
  'budget_raised',
  'attempt_started',
  'spec_restored',
  'run_ended',
  'story_returned',
  'merge_started',
  'revert_started',
  'merge_kept',
  'story_filed',
  'requirement_submitted',
  'proposal_declined',
  'decision_raised',
] as const

/** One step that an answer led to. `queued` steps happen right after it, on their own. */
export const DecisionEffect = Type.Object(
  {
    type: oneOf(effectTypes),
    status: oneOf(['done', 'queued', 'failed']),
    target: Type.Object(
      { type: oneOf(['run', 'story', 'decision', 'team']), id: Type.String() },
      { additionalProperties: false },
    ),
    message: Type.String(),
  },
  { $id: 'DecisionEffect', additionalProperties: false },
)
export type DecisionEffect = Of<typeof DecisionEffect>

export const ResolvedDecision = Type.Object(
  { ...Decision.properties, effects: Type.Array(DecisionEffect, { description: 'the steps taken' }) },
  { $id: 'ResolvedDecision', additionalProperties: false },
)
export type ResolvedDecision = Of<typeof ResolvedDecision>

export const DecisionQuery = Type.Object({
  status: Type.Optional(oneOf(decisionStatuses)),
  team: Type.Optional(teamSlug),
  run: Type.Optional(runKey),
  limit: Type.Optional(limit),
  cursor: Type.Optional(cursor),
})
export type DecisionQuery = Of<typeof DecisionQuery>
