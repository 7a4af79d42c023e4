import type { PolicySettings, PolicyVersion } from '@signalbox/contract/app/policies.ts'
import { type FindingKind, findingKinds, findingWords } from '@signalbox/contract/guard/finding.ts'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import type { PersonAnswer } from '@signalbox/contract/presence.ts'
import { counted, moneyToTheCent } from '../browser/formats.ts'
import { executors } from '../words/executors.ts'
import type { Setting } from './differences.ts'

export type Preset = PolicyVersion['preset']
type SecondReview = NonNullable<PolicySettings['secondReview']>

export const presetNames: Record<Preset, { name: string; sentence: string }> = {
  trial: { name: 'Trial', sentence: 'One story at a time. People approve every plan and do the merging.' },
  supervised: { name: 'Supervised', sentence: 'A person approves every plan and every merge.' },
  balanced: {
    name: 'Balanced',
    sentence: 'People approve risky plans and large changes. Small changes merge automatically.',
  },
  autonomous: {
    name: 'Autonomous',
    sentence: 'Plans and merges happen automatically. People step in when something goes wrong.',
  },
}

export const presetOrder = Object.keys(presetNames) as Preset[]

export const planApprovalNames: Record<PolicySettings['planApproval'], string> = {
  always: 'A person approves every plan',
  by_risk: 'A person approves risky plans and those for large or complex stories',
  never: 'Plans don’t need approval',
}

export const mergePolicyNames: Record<PolicySettings['mergePolicy'], string> = {
  manual: 'People merge on the git host',
  ask: 'Ask a person before each merge',
  auto_within_limits: 'Merge automatically up to the size limit',
  auto: 'Merge all verified changes automatically',
}

export const isolationNames: Record<PolicySettings['isolation'], string> = {
  none: 'None required',
  process: 'Cleared environment, no process left behind',
  box: 'Closed box: files, secrets and network',
  gvisor: 'Closed box with its own kernel (gVisor)',
}

export const modelToolNames: Record<ModelTool, { name: string; hint: string }> = {
  web_search: { name: 'Web search', hint: 'The provider searches the web during a call.' },
  web_fetch: { name: 'Web pages', hint: 'The provider opens addresses that come up in a call.' },
  remote_mcp: {
    name: 'Remote MCP servers',
    hint: 'The provider calls MCP servers that the agent names, and passes on what the agent says.',
  },
  remote_files: {
    name: 'Files by address',
    hint: 'The provider downloads images and files from addresses that the agent names.',
  },
}

export const personAnswerNames: Record<PersonAnswer, string> = {
  plan: 'Plan approvals',
  merge: 'Merge approvals',
  exception: 'Policy exceptions',
}

export const reviewerNames: Record<SecondReview['by'], string> = {
  off: 'Off',
  another_vendor: 'An agent of another vendor',
  ...executors,
}

export const scheduleNames: Record<PolicySettings['maintenance']['schedule'], string> = {
  off: 'Off',
  daily: 'Every day at 03:00 UTC',
  weekly: 'Every Monday at 03:00 UTC',
  monthly: 'On the first of each month at 03:00 UTC',
}

export const whenIssueLeavesNames: Record<PolicySettings['whenIssueLeaves'], string> = {
  stop: 'Stop the run',
  finish: 'Let the run finish',
}

/** A setting's value as a person reads it. */
export function valueInWords(setting: Setting, value: unknown): string {
  if (setting.startsWith('budgets.') || setting.endsWith('Cents'))
    return value === null ? 'no limit' : moneyToTheCent(value as number)
  switch (setting) {
    case 'preset':
      return presetNames[value as Preset]?.name ?? String(value)
    case 'executor':
      return executors[value as PolicySettings['executor']] ?? String(value)
    case 'planApproval':
      return planApprovalNames[value as PolicySettings['planApproval']] ?? String(value)
    case 'mergePolicy':
      return mergePolicyNames[value as PolicySettings['mergePolicy']] ?? String(value)
    case 'isolation':
      return isolationNames[value as PolicySettings['isolation']] ?? String(value)
    case 'maintenance.schedule':
      return scheduleNames[value as PolicySettings['maintenance']['schedule']] ?? String(value)
    case 'whenIssueLeaves':
      return whenIssueLeavesNames[value as PolicySettings['whenIssueLeaves']] ?? String(value)
    case 'autoMergeMaxLines':
      return value === null ? 'no limit' : counted(Number(value), 'line')
    case 'secondReview.by':
      return reviewerNames[value as SecondReview['by']] ?? String(value)
    case 'secondReview.model':
      return value === null ? 'the runner’s own' : String(value)
    case 'secondReview.holdsMerge':
    case 'acceptanceRequired':
    case 'reworkOnReview':
      return value ? 'yes' : 'no'
    case 'modelTools':
      return (value as ModelTool[]).map((tool) => modelToolNames[tool]?.name ?? tool).join(', ') || 'nothing'
    case 'personAnswers':
      return (value as PersonAnswer[]).map((each) => personAnswerNames[each] ?? each).join(', ') || 'nothing'
    case 'runnerLabels':
      return (value as string[]).join(', ') || 'any runner'
    case 'allowedFindings':
      return askedInWords(value as FindingKind[])
    case 'deniedPaths':
      return (value as string[]).join(', ')
    default:
      return String(value)
  }
}

/** What a person is asked about, with the fewer words of both ways to say it. */
function askedInWords(allowed: FindingKind[]): string {
  const labels = (kinds: readonly FindingKind[]) =>
    kinds.map((kind) => findingWords[kind]?.label ?? kind).join(', ')
  if (allowed.length === 0) return 'all of them'
  const asked = findingKinds.filter((kind) => !allowed.includes(kind))
  if (asked.length === 0) return 'none of them'
  return asked.length < allowed.length ? labels(asked) : `all but ${labels(allowed)}`
}
