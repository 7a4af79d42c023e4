import type {
  PolicyChange,
  PolicySettings,
  PolicyVersion,
  PresetSettings,
} from '@signalbox/contract/app/policies.ts'
import { noSecondReview } from '@signalbox/contract/reviewers.ts'

/** What each setting is called, in the order of the form. */
export const settingNames = {
  preset: 'Preset',
  executor: 'Coding agent',
  maxConcurrency: 'Concurrent runs',
  planApproval: 'Plan approval',
  mergePolicy: 'Merging',
  autoMergeMaxLines: 'Auto-merge size limit',
  'budgets.runCents': 'Run budget',
  'budgets.dayCents': 'Daily budget',
  'budgets.monthCents': 'Monthly budget',
  deniedPaths: 'Denied paths',
  allowedFindings: 'Ask a person when a change touches',
  acceptanceRequired: 'Acceptance spec required',
  reworkOnReview: 'Rework after a review',
  gateFailureBudget: 'Gate failures before a person is asked',
  isolation: 'Isolation',
  modelTools: 'Network access through the model provider',
  personAnswers: 'Only a person can answer',
  'secondReview.by': 'Second review',
  'secondReview.model': 'Model of the second review',
  'secondReview.holdsMerge': 'Second review can hold a merge',
  'maintenance.schedule': 'Maintenance surveys',
  'maintenance.surveyCents': 'Survey budget',
  'maintenance.monthCents': 'Monthly maintenance budget',
  whenIssueLeaves: 'When the issue leaves the tracker',
  runnerLabels: 'Runner labels',
} as const
export type Setting = keyof typeof settingNames

/** A policy as the form holds it: the preset and every setting. */
export interface Draft extends PolicySettings {
  preset: PolicyVersion['preset']
}

export interface Difference {
  setting: Setting
  /** undefined: there was no policy. */
  before: unknown
  after: unknown
}

const settings = Object.keys(settingNames) as Setting[]

/** The value of a setting; budgets, maintenance and the second review are three settings each. */
export function settingOf(draft: Draft, setting: Setting): unknown {
  const [first, inner] = setting.split('.') as [keyof Draft, string | undefined]
  if (
    first === 'runnerLabels' ||
    first === 'allowedFindings' ||
    first === 'modelTools' ||
    first === 'personAnswers'
  )
    return draft[first] ?? []
  if (first === 'secondReview' && inner) return reviewOf(draft)[inner as keyof typeof noSecondReview]
  return inner ? (draft[first] as Record<string, unknown>)[inner] : draft[first]
}

export function withValue(draft: Draft, setting: Setting, value: unknown): Draft {
  const [first, inner] = setting.split('.') as [keyof Draft, string | undefined]
  // Without a reviewer the rest of it means nothing.
  if (setting === 'secondReview.by' && value === 'off') return { ...draft, secondReview: noSecondReview }
  if (first === 'secondReview') return { ...draft, secondReview: { ...reviewOf(draft), [inner!]: value } }
  return { ...draft, [first]: inner ? { ...(draft[first] as object), [inner]: value } : value }
}

const reviewOf = ({ secondReview = noSecondReview }: Draft) => secondReview

/** The order in a list means nothing. */
const same = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted())
    : a === b

/** Every setting that differs, with before and after. */
export function differences(before: Draft | null, after: Draft): Difference[] {
  return settings
    .map((setting) => ({
      setting,
      before: before === null ? undefined : settingOf(before, setting),
      after: settingOf(after, setting),
    }))
    .filter((entry) => !same(entry.before, entry.after))
}

/** What I changed, on top of what someone else saved since. */
export function onTop(base: Draft | null, mine: Draft, theirs: Draft): Draft {
  return differences(base, mine).reduce(
    (draft, { setting, after }) => withValue(draft, setting, after),
    theirs,
  )
}

/**
 * The changes as a kept version tells them: there several settings are one field, and before the first policy all is
 * null.
 */
export function fromKept(changes: readonly PolicyChange[]): Difference[] {
  const isFirst = changes.some(({ field, before }) => field === 'preset' && before === null)
  return changes.flatMap(({ field, before, after }): Difference[] => {
    if (field !== 'budgets' && field !== 'maintenance' && field !== 'secondReview')
      return Object.hasOwn(settingNames, field)
        ? [{ setting: field as Setting, before: isFirst ? undefined : before, after }]
        : []
    const [old, now] = [before, after] as (Record<string, unknown> | null)[]
    return Object.keys(now ?? {})
      .map((name) => ({
        setting: `${field}.${name}` as Setting,
        before: old ? old[name] : undefined,
        after: now?.[name],
      }))
      .filter((entry) => entry.before !== entry.after)
  })
}

export function draftOf({ version: _, custom: __, ...draft }: PolicyVersion): Draft {
  return draft
}

/** The settings alone, without the other fields of a stored version. */
export function settingsOf(draft: Draft): PolicySettings {
  const { executor, maxConcurrency, budgets, planApproval, mergePolicy } = draft
  const { deniedPaths, acceptanceRequired, gateFailureBudget, autoMergeMaxLines } = draft
  const { reworkOnReview, isolation, modelTools, maintenance, whenIssueLeaves } = draft
  const { allowedFindings, runnerLabels, personAnswers, secondReview } = draft
  return {
    executor,
    maxConcurrency,
    budgets,
    planApproval,
    mergePolicy,
    deniedPaths,
    acceptanceRequired,
    gateFailureBudget,
    autoMergeMaxLines,
    reworkOnReview,
    isolation,
    modelTools: modelTools ?? [],
    maintenance,
    whenIssueLeaves,
    allowedFindings: allowedFindings ?? [],
    runnerLabels: runnerLabels ?? [],
    personAnswers: personAnswers ?? [],
    secondReview: secondReview ?? noSecondReview,
  }
}

/** A preset as a draft. The agents, the labels, the denied paths and maintenance are the team's own and stay. */
export const withPreset = (draft: Draft, preset: Draft['preset'], settings: PresetSettings): Draft => ({
  ...draft,
  ...settings,
  preset,
  deniedPaths: draft.deniedPaths,
  maintenance: draft.maintenance,
  secondReview: reviewOf(draft),
})
