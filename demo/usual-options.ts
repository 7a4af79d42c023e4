import type { DemoDecision, DemoOption } from './script.ts'

/** What a person may answer, by the kind of the decision, where the decision names no options of its own. */
export const usualOptions: Partial<Record<DemoDecision['kind'], DemoOption[]>> = {
  plan_approval: [
    { id: 'approve', label: 'Approve the plan', action: 'approve_plan' },
    { id: 'changes', label: 'Request changes to the plan', action: 'request_changes' },
    { id: 'reject', label: 'Reject and return the story', action: 'reject' },
  ],
  merge_approval: [
    { id: 'merge', label: 'Merge the pull request', action: 'merge' },
    { id: 'changes', label: 'Request changes', action: 'request_changes' },
    { id: 'reject', label: 'Reject and return the story', action: 'reject' },
  ],
}
