import { moneyToTheCent } from '../browser/formats.ts'
import type { Draft, Setting } from './differences.ts'

/** What a setting does as it stands, in a sentence. Some depend on others. */
export function sentenceOf(setting: Setting, draft: Draft, runCentsWithoutBudgets: number): string {
  if (setting === 'autoMergeMaxLines') return mergeLimitSentence(draft)
  if (setting === 'budgets.runCents') return runBudgetSentence(draft, runCentsWithoutBudgets)
  if (setting === 'budgets.dayCents' && draft.budgets.dayCents === null)
    return 'No limit on what a day can cost.'
  if (setting === 'budgets.monthCents' && draft.budgets.monthCents === null)
    return 'No limit on what a month can cost.'
  if (setting === 'modelTools') return modelToolsSentence(draft)
  return sentences[setting]
}

const sentences: Record<Exclude<Setting, 'autoMergeMaxLines' | 'budgets.runCents' | 'modelTools'>, string> = {
  preset: 'How much people are involved.',
  executor: 'The agent that plans and writes the code. A connected runner must have it.',
  maxConcurrency: 'How many runs the team works on at once. Other stories wait in Ready.',
  planApproval: 'Whether a person approves a run’s plan before any code is written.',
  mergePolicy: 'Who merges verified changes into the main branch.',
  'budgets.dayCents': 'Runs that could exceed it don’t start. Days start and end at midnight UTC.',
  'budgets.monthCents': 'Runs that could exceed it don’t start. Months start and end at midnight UTC.',
  deniedPaths:
    'A run that needs to change one of these stops and asks a person. ** matches across folders, * doesn’t.',
  allowedFindings:
    'Before a verified change is merged, a person looks at what it touches here. Clear a box to let that pass without asking.',
  acceptanceRequired: 'Write a working acceptance spec before implementing a story.',
  reworkOnReview:
    'When a reviewer on GitHub or GitLab asks for changes, start another attempt with their comments.',
  isolation:
    'How strictly the agent must be sandboxed. Runners measure it when they start; a run waits for one that is strict enough.',
  'maintenance.schedule':
    'How often the coding agent looks over the repository and proposes stories. It only reads, and people decide on each proposal.',
  'maintenance.surveyCents': 'A survey that reaches it ends without a result.',
  'maintenance.monthCents':
    'Surveys that could exceed it don’t start. They count toward the team’s own budgets, too.',
  whenIssueLeaves:
    'What happens to a run when its issue is closed, moved or deleted in the tracker before the run has finished.',
  personAnswers:
    'API tokens, and agents that hold one, can’t answer the ones you check. People answer them in the app or in chat.',
  'secondReview.by':
    'Another coding agent reads each verified change before it’s proposed. It can’t change anything, its cost counts toward the run, and its findings are part of the evidence. Runners need this agent in addition to the one that writes the code.',
  'secondReview.model': 'Leave it empty for the model that the runner uses for this agent.',
  'secondReview.holdsMerge':
    'Ask a person before a merge if a finding has high severity or the change wasn’t reviewed.',
  runnerLabels:
    'Only runners with all of these labels work for the team. Separate labels with commas; leave it empty for any runner.',
  gateFailureBudget: 'How often a gate may fail in a run before a person is asked.',
}

function mergeLimitSentence({ mergePolicy, autoMergeMaxLines }: Draft): string {
  if (mergePolicy === 'manual' || mergePolicy === 'ask') return 'Has no effect while auto-merge is off.'
  if (autoMergeMaxLines === null)
    return mergePolicy === 'auto'
      ? 'No limit: verified changes of any size merge automatically.'
      : 'No limit set, so a person is asked about every change.'
  return 'Added plus deleted lines. A person is asked about larger changes.'
}

function modelToolsSentence({ modelTools = [] }: Draft): string {
  return modelTools.length === 0
    ? 'Off: the agent can’t reach the network through its model provider.'
    : 'The agent can reach the network through its model provider, past the runner’s box. Its runs no longer count as having a closed network, and their evidence says so.'
}

function runBudgetSentence({ budgets }: Draft, withoutBudgets: number): string {
  if (budgets.runCents !== null) return 'A run that reaches it stops and asks a person for more.'
  return budgets.dayCents === null && budgets.monthCents === null
    ? `With no budget set at all, a run stops at ${moneyToTheCent(withoutBudgets)} and asks a person.`
    : 'No run budget: a run stops at the daily or monthly budget and asks a person.'
}
