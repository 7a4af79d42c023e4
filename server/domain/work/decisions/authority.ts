import type { Decision } from '@signalbox/contract/decision.ts'

/** The least role that may answer, by the kind of the decision. */
export const authorities: Record<Decision['kind'], Decision['authority']> = {
  plan_approval: 'member',
  policy_exception: 'admin',
  clarification: 'member',
  budget_stop: 'admin',
  verification_failed: 'member',
  gate_failure: 'member',
  diff_guard: 'member',
  repeated_gate_failure: 'member',
  merge_approval: 'member',
  revert_approval: 'admin',
  main_red_incident: 'admin',
  maintenance_proposal: 'member',
  strategy_proposal: 'owner',
  scope_change: 'member',
}
