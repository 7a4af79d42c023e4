import type { PolicySettings, PolicyVersion } from '@signalbox/contract/app/policies.ts'
import { moneyToTheCent } from '@signalbox/contract/money.ts'
import { executors } from '../words/runs.tsx'
import type { Setting } from './differences.ts'

export type Preset = PolicyVersion['preset']

export const presetNames: Record<Preset, { name: string; sentence: string }> = {
  trial: { name: 'Trial', sentence: 'One story at a time, every plan is seen, and people merge.' },
  supervised: { name: 'Supervised', sentence: 'A person approves every plan and every merge.' },
  balanced: {
    name: 'Balanced',
    sentence: 'Risky plans and large changes are asked about; small ones merge by themselves.',
  },
  autonomous: {
    name: 'Autonomous',
    sentence: 'Plans and merges happen by themselves; people see what went wrong.',
  },
}

export const presetOrder = Object.keys(presetNames) as Preset[]

export const planApprovalNames: Record<PolicySettings['planApproval'], string> = {
  always: 'Every plan is approved by a person',
  by_risk: 'Risky plans, and those of large or complex stories, are approved',
  never: 'No plan is asked about',
}

export const mergePolicyNames: Record<PolicySettings['mergePolicy'], string> = {
  manual: 'People merge in the git host',
  ask: 'A person is asked before each merge',
  auto_within_limits: 'Changes up to the line limit merge by themselves',
  auto: 'Verified changes merge by themselves',
}

/** A setting's value as a person reads it. */
export function valueInWords(setting: Setting, value: unknown): string {
  if (setting.startsWith('budgets.')) return value === null ? 'no limit' : moneyToTheCent(value as number)
  switch (setting) {
    case 'preset':
      return presetNames[value as Preset]?.name ?? String(value)
    case 'executor':
      return executors[value as PolicySettings['executor']] ?? String(value)
    case 'planApproval':
      return planApprovalNames[value as PolicySettings['planApproval']] ?? String(value)
    case 'mergePolicy':
      return mergePolicyNames[value as PolicySettings['mergePolicy']] ?? String(value)
    case 'autoMergeMaxLines':
      return value === null ? 'no limit' : `${value} lines`
    case 'acceptanceRequired':
      return value ? 'yes' : 'no'
    case 'deniedPaths':
      return (value as string[]).join(', ')
    default:
      return String(value)
  }
}
