import type { PolicySuggestion } from '@signalbox/contract/app/suggestions.ts'
import type { PolicyChange, PolicyVersion } from '../../work/policies/change.ts'

/** The policy as it is, but for the size of what merges without asking: every other reason to ask a person stays. */
export function suggestedPolicy(
  { version: _, custom: __, preset, ...settings }: PolicyVersion,
  { maxLines }: Pick<PolicySuggestion, 'maxLines'>,
): Required<Pick<PolicyChange, 'preset' | 'departures'>> {
  const mergePolicy = settings.mergePolicy === 'ask' ? 'auto_within_limits' : settings.mergePolicy
  return { preset, departures: { ...settings, mergePolicy, autoMergeMaxLines: maxLines } }
}
