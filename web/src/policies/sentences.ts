import { moneyToTheCent } from '@signalbox/contract/money.ts'
import type { Draft, Setting } from './differences.ts'

/** What a setting does as it stands, in a sentence. Some depend on others. */
export function sentenceOf(setting: Setting, draft: Draft, runCentsWithoutBudgets: number): string {
  if (setting === 'autoMergeMaxLines') return mergeLimitSentence(draft)
  if (setting === 'budgets.runCents') return runBudgetSentence(draft, runCentsWithoutBudgets)
  if (setting === 'budgets.dayCents' && draft.budgets.dayCents === null)
    return 'Without a limit, a day may cost any amount.'
  if (setting === 'budgets.monthCents' && draft.budgets.monthCents === null)
    return 'Without a limit, a month may cost any amount.'
  return sentences[setting]
}

const sentences: Record<Exclude<Setting, 'autoMergeMaxLines' | 'budgets.runCents'>, string> = {
  preset: 'How closely people watch.',
  executor: 'The program that plans and writes the code; a connected runner must have it.',
  maxConcurrency: 'How many runs of the team are at work at the same time; further stories wait in Ready.',
  planApproval: 'Whether a person sees the plan of a run before any code is written.',
  mergePolicy: 'Who puts a verified change on the main branch.',
  'budgets.dayCents': 'Nothing starts that could pass it. A day begins and ends at midnight UTC.',
  'budgets.monthCents': 'Nothing starts that could pass it. A month begins and ends at midnight UTC.',
  deniedPaths:
    'A run that needs to change one of these stops and asks a person. ** crosses folders, * does not.',
  acceptanceRequired: 'A working acceptance spec is written before a story is implemented.',
  gateFailureBudget: 'One gate may fail this often in a run; at the next failure a person is asked.',
}

function mergeLimitSentence({ mergePolicy, autoMergeMaxLines }: Draft): string {
  if (mergePolicy === 'manual' || mergePolicy === 'ask')
    return 'Without effect while nothing merges by itself.'
  if (autoMergeMaxLines === null)
    return mergePolicy === 'auto'
      ? 'Without a limit, verified changes of any size merge by themselves.'
      : 'Without a limit there is nothing to stay within: a person is asked about every change.'
  return 'Added and deleted lines together. A person is asked about a larger change.'
}

function runBudgetSentence({ budgets }: Draft, withoutBudgets: number): string {
  if (budgets.runCents !== null) return 'A run that reaches it stops, and a person is asked for more.'
  return budgets.dayCents === null && budgets.monthCents === null
    ? `Where no budget is set at all, a run stops at ${moneyToTheCent(withoutBudgets)} and a person is asked.`
    : 'Without one of its own, a run stops at the budget of the day or month, and a person is asked.'
}
