import type { Decision } from '@signalbox/contract/decision.ts'
import { Gate } from '@signalbox/contract/run.ts'
import { SecondReview } from '@signalbox/contract/second-review.ts'
import { nullable, type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { executor } from '@signalbox/contract/team.ts'
import { Type } from 'typebox'
import { Shapes } from '../../shapes.ts'

type Kind = Decision['kind']

const text = Type.String()
const paths = Type.Array(text)
const count = Type.Integer()
/** What is said of the change; a decision of an earlier version has none. */
const findings = Type.Optional(Type.Array(text))
const pullRequest = nullable(Type.Object({ url: text, number: count }))

/** What a decision about a suspected merge keeps, so that the revert can find the merge. */
export const Revert = Type.Object({
  /** Id of the incident that points to it. */
  incident: text,
  team: text,
  /** Where it was merged; null: in the team's own repository. */
  repository: nullable(text),
  commit: text,
  pullRequest: nullable(count),
  title: text,
})
export type Revert = Of<typeof Revert>

/** What a responder looks at before a merge is reverted. */
const SuspectMerge = Type.Object({
  author: text,
  /** Between the merge and the first alert. */
  minutes: Type.Integer(),
  /** Files that it changed and the alerts point to. */
  common: Type.Array(text),
  run: nullable(text),
  /** Where the commit can be looked at. */
  url: Type.Optional(nullable(text)),
  /** What would be reverted, where no run of ours has stored it. */
  diff: Type.Optional(nullable(Type.Object({ text, isCut: Type.Boolean() }))),
})

/** Whose own coding agent asks, from outside of any work order. No run waits for the answer: the agent reads it. */
export const Asker = Type.Object({
  personId: text,
  name: text,
  /** Names the question, so that one that is sent again is asked once. */
  request: text,
})
export type Asker = Of<typeof Asker>

/** What two agents made of one story, side by side. */
const RaceFacts = Type.Object({
  /** Which of the two is at hand. */
  proposed: Type.Union([Type.Literal(0), Type.Literal(1)]),
  /** The rule that it is ahead by; null: a person preferred it. */
  because: nullable(oneOf(['only', 'gates', 'size', 'cost', 'first'])),
  isOtherMergeable: Type.Boolean(),
  agents: Type.Array(
    Type.Object({
      ...{ executor, files: count, additions: count, deletions: count, passed: count },
      /** Names of gates. */
      failed: Type.Array(text),
      costCents: count,
      /** Why it cannot be merged. */
      failure: nullable(text),
      findings: Type.Array(text),
      /** The commit that would be merged. */
      head: nullable(text),
    }),
    { minItems: 2, maxItems: 2 },
  ),
})

/** What each kind of decision is about: its text is written from it, and its options act on it. */
const shapes = {
  plan_approval: Type.Object({ plan: nullable(text), because: text }),
  policy_exception: Type.Object({
    paths,
    plan: nullable(text),
    foundIn: oneOf(['the plan', 'the change']),
    findings,
  }),
  clarification: Type.Object({
    question: text,
    context: text,
    options: Type.Array(Type.Object({ id: text, label: text })),
    recommendation: text,
    asker: Type.Optional(Asker),
  }),
  budget_stop: Type.Object({ costCents: count, budgetCents: count, raisedCents: count }),
  /** `unverified`: why the work that a person handed off could not be checked. */
  verification_failed: Type.Object({
    gates: Type.Array(Gate),
    unverified: Type.Optional(text),
    /** It can't be merged into what the branch has become since, and why. */
    conflict: Type.Optional(text),
    /** Two agents had their turns, and neither passed. */
    race: Type.Optional(RaceFacts),
  }),
  gate_failure: Type.Object({ error: text }),
  diff_guard: Type.Object({ paths, findings }),
  repeated_gate_failure: Type.Object({
    gates: Type.Array(Type.Object({ ...Gate.properties, failures: count })),
    budget: count,
  }),
  merge_approval: Type.Object({
    ...{ lines: count, files: count, limit: nullable(count), pullRequest, findings },
    /** Why a person is asked, of the machine's reasons; a decision of an earlier version does not say. */
    because: Type.Optional(Type.Array(text)),
    gatesPassed: Type.Optional(count),
    /** What another agent found in the change, where the policy wants that. */
    secondReview: Type.Optional(SecondReview),
    /** The commit that is merged, and whose diff is shown. */
    head: Type.Optional(text),
    /** Of a race: what both agents made. */
    race: Type.Optional(RaceFacts),
    /** In several repositories: all that are merged together, in this order. */
    pullRequests: Type.Optional(
      Type.Array(
        Type.Object({
          name: text,
          pullRequest: Type.Object({ url: text, number: count }),
          head: Type.Optional(text),
        }),
      ),
    ),
  }),
  revert_approval: Type.Union([
    Type.Object({
      ...{ incident: text, findings: text, pullRequest, revert: Revert },
      /** What is known of the merge. Older questions are without it. */
      merge: Type.Optional(SuspectMerge),
    }),
    Type.Object({
      ...{ incident: Type.Optional(Type.Undefined()), findings: text, pullRequest },
      /** Not that it broke anything: it is not what was verified. */
      isUnverified: Type.Optional(Type.Literal(true)),
      /** Nor that: of several repositories, one was merged into and another was not. */
      isHalfMerged: Type.Optional(Type.Literal(true)),
    }),
  ]),
  main_red_incident: Type.Object({ body: text }),
  maintenance_proposal: Type.Union([
    Type.Object({ incident: text, expedite: Type.Boolean(), body: text }),
    Type.Object({ incident: Type.Optional(Type.Undefined()), body: text }),
  ]),
  strategy_proposal: Type.Object({ body: text }),
  scope_change: Type.Object({ plan: text, change: text }),
}

export type Facts = { [K in Kind]: Of<(typeof shapes)[K]> }

/** A kind with its facts. */
export type Asked = { [K in Kind]: { kind: K; facts: Facts[K] } }[Kind]

/** The same of a decision that was raised before: null where an earlier version kept less than is needed now. */
export type Recalled = { [K in Kind]: { kind: K; facts: Facts[K] | null } }[Kind]

/** Who asked, where a person's own agent did. */
export const askerOf = (kind: Kind, facts: unknown): Asker | null => {
  const recalled = parseFacts(kind, facts)
  return (recalled.kind === 'clarification' && recalled.facts?.asker) || null
}

const checked = new Shapes<Kind>(shapes)

/** Checked before asking: an answer about malformed facts could not be acted on. */
export const checkFacts = ({ kind, facts }: Asked): void => checked.check(kind, facts)

export const parseFacts = (kind: Kind, facts: unknown): Recalled =>
  ({ kind, facts: checked.fits(kind, facts) ? facts : null }) as Recalled
