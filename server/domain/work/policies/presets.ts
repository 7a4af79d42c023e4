import type { PolicySettings, PresetSettings } from '@signalbox/contract/app/policies.ts'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { noSecondReview } from '@signalbox/contract/reviewers.ts'
import type { Policy } from '@signalbox/contract/team.ts'

export type Preset = Policy['preset']

/** A policy without any budget still gives its runs one: nothing here spends without an end. */
export const runCentsWithoutBudgets = 1_000

/** The coding agent of a first policy if no one has chosen one. */
export const firstExecutor: PolicySettings['executor'] = 'claude_code'

/** A survey costs money without anyone asking for it, so it is off until someone turns it on. */
const maintenance: PresetSettings['maintenance'] = { schedule: 'off', surveyCents: 100, monthCents: 1_000 }

/** From asking about everything to asking about the rest. A team departs from its preset one setting at a time. */
export const presets: Record<Preset, Required<PresetSettings>> = {
  trial: {
    maxConcurrency: 1,
    budgets: { runCents: 300, dayCents: 900, monthCents: 9_000 },
    planApproval: 'always',
    mergePolicy: 'manual',
    deniedPaths: [acceptanceSpec],
    acceptanceRequired: false,
    gateFailureBudget: 2,
    autoMergeMaxLines: null,
    reworkOnReview: false,
    isolation: 'none',
    maintenance,
    whenIssueLeaves: 'stop',
    allowedFindings: [],
    modelTools: [],
    personAnswers: [],
    secondReview: noSecondReview,
  },
  supervised: {
    maxConcurrency: 2,
    budgets: { runCents: 800, dayCents: 4_000, monthCents: 60_000 },
    planApproval: 'always',
    mergePolicy: 'ask',
    deniedPaths: [acceptanceSpec],
    acceptanceRequired: true,
    gateFailureBudget: 2,
    autoMergeMaxLines: null,
    reworkOnReview: false,
    isolation: 'box',
    maintenance,
    whenIssueLeaves: 'stop',
    allowedFindings: [],
    modelTools: [],
    personAnswers: [],
    secondReview: noSecondReview,
  },
  balanced: {
    maxConcurrency: 3,
    budgets: { runCents: 1_000, dayCents: 6_000, monthCents: 90_000 },
    planApproval: 'by_risk',
    mergePolicy: 'auto_within_limits',
    deniedPaths: [acceptanceSpec],
    acceptanceRequired: true,
    gateFailureBudget: 2,
    autoMergeMaxLines: 400,
    reworkOnReview: false,
    isolation: 'box',
    maintenance,
    whenIssueLeaves: 'stop',
    allowedFindings: [],
    modelTools: [],
    personAnswers: [],
    secondReview: noSecondReview,
  },
  autonomous: {
    maxConcurrency: 5,
    budgets: { runCents: 2_000, dayCents: 12_000, monthCents: 180_000 },
    planApproval: 'never',
    mergePolicy: 'auto',
    deniedPaths: [acceptanceSpec],
    acceptanceRequired: true,
    gateFailureBudget: 2,
    autoMergeMaxLines: null,
    reworkOnReview: false,
    isolation: 'box',
    maintenance,
    whenIssueLeaves: 'stop',
    allowedFindings: [],
    modelTools: [],
    personAnswers: [],
    secondReview: noSecondReview,
  },
}
