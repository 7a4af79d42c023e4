import type { DecisionRow, Precedent } from '@signalbox/contract/app/decisions.ts'
import {
  Ban,
  CircleHelp,
  ClipboardCheck,
  Clock,
  FileWarning,
  GitMerge,
  GitPullRequestArrow,
  Hourglass,
  Lightbulb,
  type LucideIcon,
  MessageCircleQuestion,
  Repeat,
  ShieldAlert,
  ShieldQuestion,
  Siren,
  Undo2,
  Wallet,
  Wrench,
  XCircle,
} from 'lucide-react'
import type { Look } from '../ui/badge.tsx'

/** The word and the picture of every kind of decision. */
export const kinds: Record<DecisionRow['kind'], { name: string; icon: LucideIcon }> = {
  plan_approval: { name: 'Plan approval', icon: ClipboardCheck },
  policy_exception: { name: 'Policy exception', icon: ShieldQuestion },
  clarification: { name: 'Clarification', icon: MessageCircleQuestion },
  budget_stop: { name: 'Budget stop', icon: Wallet },
  verification_failed: { name: 'Verification failed', icon: XCircle },
  gate_failure: { name: 'Gate failure', icon: FileWarning },
  diff_guard: { name: 'Diff guard', icon: ShieldAlert },
  repeated_gate_failure: { name: 'Repeated gate failure', icon: Repeat },
  merge_approval: { name: 'Merge approval', icon: GitMerge },
  revert_approval: { name: 'Revert approval', icon: Undo2 },
  main_red_incident: { name: 'Main branch is red', icon: Siren },
  maintenance_proposal: { name: 'Maintenance proposal', icon: Wrench },
  strategy_proposal: { name: 'Strategy proposal', icon: Lightbulb },
  scope_change: { name: 'Scope change', icon: GitPullRequestArrow },
}

export const statuses: Record<DecisionRow['status'], Look> = {
  pending: { word: 'Waiting', icon: CircleHelp, tone: 'accent' },
  resolved: { word: 'Resolved', icon: ClipboardCheck, tone: 'ok' },
  expired: { word: 'Expired', icon: Hourglass, tone: 'warn' },
  cancelled: { word: 'Cancelled', icon: Ban, tone: 'neutral' },
  superseded: { word: 'Superseded', icon: Clock, tone: 'neutral' },
}

/** The result of an earlier answer. */
export const precedentOutcomes: Record<NonNullable<Precedent['outcome']>, Look> = {
  merged: { word: 'Merged', icon: GitMerge, tone: 'ok' },
  reverted: { word: 'Reverted', icon: Undo2, tone: 'danger' },
  incident: { word: 'Suspected in an incident', icon: Siren, tone: 'danger' },
  failed: { word: 'Failed', icon: XCircle, tone: 'danger' },
  stopped: { word: 'Stopped', icon: Ban, tone: 'neutral' },
  open: { word: 'Not merged yet', icon: Hourglass, tone: 'neutral' },
}
