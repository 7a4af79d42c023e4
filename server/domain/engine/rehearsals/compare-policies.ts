import { isDeepStrictEqual } from 'node:util'
import type { PolicySettings, policyEffects } from '@signalbox/contract/app/policies.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { type IsolationMeasured, lackingFor } from '@signalbox/contract/isolation.ts'
import { type ModelTool, modelTools } from '@signalbox/contract/model-tools.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import type { SecondReview } from '@signalbox/contract/second-review.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import {
  blank,
  deniedChangesIn,
  deniedPathsIn,
  type FoundKind,
  isBudgetReached,
  wantsApproval,
  whyAsked,
} from '../machine/machine.ts'
import { runBudget } from '../orders/obstacles.ts'

type PolicyEffect = (typeof policyEffects)[number]

/** What is recorded of a run that a policy looks at. */
export interface RunFacts {
  story: Pick<StoryListed, 'size' | 'complexity'>
  /** How far it got: a question is only asked of a run that gets there. */
  begun: boolean
  planned: boolean
  /** Its plan was taken. */
  implementing: boolean
  implemented: boolean
  handedOff: boolean
  /** Of the newest plan; null where none is recorded. */
  plan: { risk: 'low' | 'high'; paths: string[] } | null
  change: Evidence['changes'] | null
  /** Of its last gates; null where none are recorded. */
  gatesPassed: number | null
  kinds: readonly FoundKind[]
  isUnsigned: boolean
  /** Null: no second review is recorded. */
  secondReview: SecondReview | null
  hasSpec: boolean
  /** Of each attempt that told. */
  isolations: readonly IsolationMeasured[]
  /** Of each runner that has worked on it; empty where none is recorded. */
  runnerLabels: readonly (readonly string[])[]
  costMicros: number
  /** No one raised its budget: what it would have cost is not known. */
  endedAtBudget: boolean
  /** What the team had spent in that day and month, at most, when the run spent something. */
  dayMicros: number
  monthMicros: number
  /** What people were asked about it. */
  asked: readonly Decision['kind'][]
}

/** Null: it cannot be known. */
type Answer = boolean | null

interface Rule {
  effect: PolicyEffect
  /** The settings that it follows from: with the same ones it is the same. */
  settings: (policy: PolicySettings) => unknown
  holds: (policy: PolicySettings, facts: RunFacts) => Answer
}

/** Before anyone has answered anything: approvals and exceptions belong to the policy under which they were given. */
const stateOf = ({ change, gatesPassed, kinds, isUnsigned, secondReview }: RunFacts) => ({
  memory: { ...blank, change, gatesPassed, kinds: [...kinds], isUnsigned, secondReview },
})

const rules: Rule[] = [
  {
    effect: 'plan_approval',
    settings: ({ planApproval }) => planApproval,
    holds: (policy, facts) => {
      if (!facts.planned) return false
      const asks = (risk: 'low' | 'high') =>
        wantsApproval({ policy, story: facts.story, state: stateOf(facts) }, risk)
      if (facts.plan) return asks(facts.plan.risk)
      return asks('low') === asks('high') ? asks('low') : null
    },
  },
  {
    effect: 'policy_exception',
    settings: ({ deniedPaths }) => deniedPaths.toSorted(),
    holds: (policy, facts) => {
      if (deniedPathsOf(policy, facts).length > 0) return true
      const isRecorded = facts.implemented ? facts.change !== null : !facts.planned || facts.plan !== null
      return isRecorded ? false : null
    },
  },
  {
    effect: 'merge_approval',
    settings: (policy) => [
      ...[policy.mergePolicy, policy.autoMergeMaxLines, policy.allowedFindings ?? []],
      policy.secondReview?.holdsMerge ?? false,
    ],
    holds: (policy, facts) => {
      if (!facts.handedOff || policy.mergePolicy === 'manual') return false
      if (policy.mergePolicy === 'ask') return true
      const countsLines = policy.mergePolicy !== 'auto' || policy.autoMergeMaxLines !== null
      if ((facts.change === null && countsLines) || facts.gatesPassed === null) return null
      const why = whyAsked({ policy, state: stateOf(facts) })
      // What a review would have found in a change that had none is not known.
      const isGuess = facts.secondReview === null && why.every((reason) => reason === 'review')
      return why.length > 0 && isGuess ? null : why.length > 0
    },
  },
  {
    effect: 'merge_by_people',
    settings: ({ mergePolicy }) => mergePolicy === 'manual',
    holds: ({ mergePolicy }, { handedOff }) => handedOff && mergePolicy === 'manual',
  },
  {
    effect: 'isolation',
    settings: ({ isolation }) => isolation,
    holds: ({ isolation }, { begun, isolations }) => {
      if (isolation === 'none' || !begun) return false
      if (isolations.length === 0) return null
      return isolations.some((measured) => lackingFor(isolation, measured).length > 0)
    },
  },
  {
    effect: 'runner_labels',
    settings: ({ runnerLabels = [] }) => runnerLabels.toSorted(),
    holds: ({ runnerLabels: wanted = [] }, { begun, runnerLabels }) => {
      if (wanted.length === 0 || !begun) return false
      if (runnerLabels.length === 0) return null
      return runnerLabels.some((labels) => !wanted.every((label) => labels.includes(label)))
    },
  },
  // One for each: another in place of the first is a difference, too.
  ...modelTools.map(
    (tool): Rule => ({
      effect: 'model_tools',
      settings: (policy) => allows(policy, tool),
      holds: (policy, { begun }) => begun && allows(policy, tool),
    }),
  ),
  {
    effect: 'acceptance_spec',
    settings: ({ acceptanceRequired }) => acceptanceRequired,
    holds: ({ acceptanceRequired }, facts) =>
      acceptanceRequired && ((facts.implementing && !facts.hasSpec) || facts.asked.includes('gate_failure')),
  },
  {
    effect: 'run_budget',
    settings: (policy) => runBudget(policy),
    holds: (policy, { costMicros, endedAtBudget }) => {
      if (isBudgetReached({ costMicros, budgetCents: runBudget(policy) }, 0)) return true
      return endedAtBudget ? null : false
    },
  },
  {
    effect: 'day_budget',
    settings: ({ budgets }) => budgets.dayCents,
    holds: ({ budgets }, { dayMicros }) => isOver(dayMicros, budgets.dayCents),
  },
  {
    effect: 'month_budget',
    settings: ({ budgets }) => budgets.monthCents,
    holds: ({ budgets }, { monthMicros }) => isOver(monthMicros, budgets.monthCents),
  },
]

function allows({ modelTools: allowed = [] }: PolicySettings, tool: ModelTool): boolean {
  return allowed.includes(tool)
}

const isOver = (micros: number, cents: number | null) => cents !== null && micros > cents * microsPerCent

/** What a run touches, or meant to, that the policy denies. */
export function deniedPathsOf(policy: PolicySettings, facts: RunFacts): string[] {
  const held = { policy, state: stateOf(facts) }
  const planned = deniedPathsIn(held, facts.plan?.paths ?? [])
  return [...new Set([...planned, ...(facts.change ? deniedChangesIn(held, facts.change) : [])])]
}

interface Compared {
  effect: PolicyEffect
  /** Null: it cannot be known. */
  more: boolean | null
}

/**
 * What the proposed policy would make of a run that the current one would not, or the other way round. Both are asked the
 * questions of the run's machine about the same facts, whatever policy the run had: what does not differ between the two
 * policies is no difference. A team without a policy has no current one, which asks for nothing.
 */
export function comparePolicies(
  facts: RunFacts,
  current: PolicySettings | null,
  proposed: PolicySettings,
): Compared[] {
  const found = rules.flatMap(({ effect, settings, holds }): Compared[] => {
    if (current && isDeepStrictEqual(settings(current), settings(proposed))) return []
    const before = current ? holds(current, facts) : false
    const after = holds(proposed, facts)
    if (before === null || after === null) return [{ effect, more: null }]
    return before === after ? [] : [{ effect, more: after }]
  })
  const isFirst = ({ effect, more }: Compared, at: number) =>
    found.findIndex((other) => other.effect === effect && other.more === more) === at
  return found.filter(isFirst)
}
