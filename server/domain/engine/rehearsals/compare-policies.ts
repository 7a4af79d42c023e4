import { isDeepStrictEqual } from 'node:util'
import type { PolicySettings, policyEffects } from '@signalbox/contract/app/policies.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { type IsolationMeasured, lackingFor } from '@signalbox/contract/isolation.ts'
import { type ModelTool, modelTools } from '@signalbox/contract/model-tools.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import {
  blank,
  deniedChangesIn,
  deniedPathsIn,
  type FoundKind,
  isBudgetReached,
  mayMerge,
  wantsApproval,
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
  /** What people were really asked about it. */
  asked: readonly Decision['kind'][]
}

/** Null: it cannot be known. */
type Answer = boolean | null

interface Rule {
  effect: PolicyEffect
  /** The settings that it follows from: with the same ones it is the same. */
  settings: (policy: PolicySettings) => unknown
  holds: (policy: PolicySettings, facts: RunFacts) => Answer
  /** Whether it happened. Left out: it leaves no trace, so what the policy of the time said is taken for it. */
  happened?: (facts: RunFacts) => boolean
}

const wasAsked =
  (kind: Decision['kind']) =>
  ({ asked }: RunFacts) =>
    asked.includes(kind)

/** Before anyone has answered anything: approvals and exceptions belong to the policy under which they were given. */
const stateOf = ({ change, gatesPassed, kinds, isUnsigned }: RunFacts) => ({
  memory: { ...blank, change, gatesPassed, kinds: [...kinds], isUnsigned },
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
    happened: wasAsked('plan_approval'),
  },
  {
    effect: 'policy_exception',
    settings: ({ deniedPaths }) => deniedPaths.toSorted(),
    holds: (policy, facts) => {
      if (deniedPathsOf(policy, facts).length > 0) return true
      const isRecorded = facts.implemented ? facts.change !== null : !facts.planned || facts.plan !== null
      return isRecorded ? false : null
    },
    happened: wasAsked('policy_exception'),
  },
  {
    effect: 'merge_approval',
    settings: (policy) => [policy.mergePolicy, policy.autoMergeMaxLines, policy.allowedFindings ?? []],
    holds: (policy, facts) => {
      if (!facts.handedOff || policy.mergePolicy === 'manual') return false
      if (policy.mergePolicy === 'ask') return true
      const countsLines = policy.mergePolicy !== 'auto' || policy.autoMergeMaxLines !== null
      if ((facts.change === null && countsLines) || facts.gatesPassed === null) return null
      return !mayMerge({ policy, state: stateOf(facts) })
    },
    happened: wasAsked('merge_approval'),
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
    // An order whose isolation no runner offers is not begun.
    happened: () => false,
  },
  {
    effect: 'runner_labels',
    settings: ({ runnerLabels = [] }) => runnerLabels.toSorted(),
    holds: ({ runnerLabels: wanted = [] }, { begun, runnerLabels }) => {
      if (wanted.length === 0 || !begun) return false
      if (runnerLabels.length === 0) return null
      return runnerLabels.some((labels) => !wanted.every((label) => labels.includes(label)))
    },
    // An order is only given to a runner with its labels.
    happened: () => false,
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
      acceptanceRequired && ((facts.implementing && !facts.hasSpec) || wasAsked('gate_failure')(facts)),
    happened: wasAsked('gate_failure'),
  },
  {
    effect: 'run_budget',
    settings: (policy) => runBudget(policy),
    holds: (policy, { costMicros, endedAtBudget }) => {
      if (isBudgetReached({ costMicros, budgetCents: runBudget(policy) }, 0)) return true
      return endedAtBudget ? null : false
    },
    happened: wasAsked('budget_stop'),
  },
  {
    effect: 'day_budget',
    settings: ({ budgets }) => budgets.dayCents,
    holds: ({ budgets }, { dayMicros }) => isOver(dayMicros, budgets.dayCents),
    happened: () => false,
  },
  {
    effect: 'month_budget',
    settings: ({ budgets }) => budgets.monthCents,
    holds: ({ budgets }, { monthMicros }) => isOver(monthMicros, budgets.monthCents),
    happened: () => false,
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
 * What another policy would have made of a run, where that is not what happened. Both policies are asked the questions
 * of the run's machine: what happened for other reasons would have happened all the same. Without the policy of the
 * time there is only what happened.
 */
export function comparePolicies(
  facts: RunFacts,
  then: PolicySettings | null,
  proposed: PolicySettings,
): Compared[] {
  const found = rules.flatMap(({ effect, settings, holds, happened }): Compared[] => {
    if (then && isDeepStrictEqual(settings(then), settings(proposed))) return []
    const after = holds(proposed, facts)
    const before = then && holds(then, facts)
    const did = happened ? happened(facts) : before === true
    if (after === null) return [{ effect, more: null }]
    if (after) return did || before === true ? [] : [{ effect, more: true }]
    return did && before !== false ? [{ effect, more: false }] : []
  })
  const isFirst = ({ effect, more }: Compared, at: number) =>
    found.findIndex((other) => other.effect === effect && other.more === more) === at
  return found.filter(isFirst)
}
