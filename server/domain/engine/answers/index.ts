import type { DecisionOption } from '@signalbox/contract/decision.ts'
import { abandon } from './abandon.ts'
import { acceptProposal } from './accept-proposal.ts'
import { allowOnce } from './allow-once.ts'
import { answer } from './answer.ts'
import { approvePlan } from './approve-plan.ts'
import { declineProposal } from './decline-proposal.ts'
import { merge } from './merge.ts'
import { openRevert } from './open-revert.ts'
import type { Action } from './option-action.ts'
import { raiseBudget } from './raise-budget.ts'
import { reject } from './reject.ts'
import { requestChanges } from './request-changes.ts'
import { retry } from './retry.ts'
import { revertSpecAndRetry } from './revert-spec-and-retry.ts'

/** Every action an option can have. */
export const actions: Record<DecisionOption['action'], Action> = {
  approve_plan: approvePlan,
  request_changes: requestChanges,
  allow_once: allowOnce,
  reject,
  raise_budget: raiseBudget,
  abandon,
  revert_spec_and_retry: revertSpecAndRetry,
  retry,
  answer,
  merge,
  open_revert: openRevert,
  accept_proposal: acceptProposal,
  decline_proposal: declineProposal,
}
