import { Type } from 'typebox'
import { decisionKey, teamSlug } from '../keys.ts'
import { maxPolicyNumber, maxReasonLength } from '../limits.ts'
import { nullable, type Of } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'
import { PolicyVersion, Rehearsal } from './policies.ts'

/** To merge larger changes without asking, because people approved changes of that size as they were. */
export const PolicySuggestion = Type.Object({
  team: teamSlug,
  teamName: Type.String(),
  /** The version that it would change. */
  basedOn: Type.Integer(),
  /** Every merge is asked about today, and not only those above the limit. */
  asksAlways: Type.Boolean(),
  /** The most lines that merge without asking today. */
  limit: Type.Integer(),
  /** The most lines that would. */
  maxLines: Type.Integer(),
  /** The approved merges that it follows from, newest first. */
  merges: Type.Array(Type.Object({ decision: decisionKey, title: Type.String(), lines: Type.Integer() })),
})
export type PolicySuggestion = Of<typeof PolicySuggestion>

export const RehearsedSuggestion = Type.Object({ ...PolicySuggestion.properties, rehearsal: Rehearsal })
export type RehearsedSuggestion = Of<typeof RehearsedSuggestion>

/** What was on the screen: a suggestion that has changed since is neither accepted nor declined. */
const SuggestionAnswer = Type.Object(
  {
    team: teamSlug,
    basedOn: Type.Integer({ minimum: 1, maximum: maxPolicyNumber }),
    maxLines: Type.Integer({ minimum: 1, maximum: maxPolicyNumber }),
    reason: Type.Optional(Type.String({ maxLength: maxReasonLength })),
  },
  { additionalProperties: false },
)
export type SuggestionAnswer = Of<typeof SuggestionAnswer>

export const reads = {
  /** Those of every team. */
  'suggestions.list': operation(Type.Object({}), Type.Object({ data: Type.Array(PolicySuggestion) })),
  'suggestions.read': operation(
    Type.Object({ team: teamSlug }),
    Type.Object({ suggestion: nullable(RehearsedSuggestion) }),
  ),
} satisfies Operations

export const writes = {
  'suggestions.accept': operation(SuggestionAnswer, PolicyVersion),
  'suggestions.decline': operation(SuggestionAnswer, Type.Null()),
} satisfies Operations
