/**
 * Whose models a coding agent works with. Null: models of several vendors, or it is not known; such an agent cannot be
 * said to be of another vendor than anyone. No schema here: the app takes these values too.
 */
export const agentVendors = {
  claude_code: 'Anthropic',
  codex: 'OpenAI',
  gemini: 'Google',
  opencode: null,
  copilot: null,
  qwen: 'Alibaba',
  pi: null,
  acp: null,
  command: null,
  scripted: null,
} as const

type AgentName = keyof typeof agentVendors

const vendorOf = (name: string): string | null =>
  Object.hasOwn(agentVendors, name) ? agentVendors[name as AgentName] : null

/** Which of these agents reviews a change: the one that is named, or the first that is known to be of another vendor. */
export function reviewerAmong<N extends string>(
  offered: readonly N[],
  { author, by }: { author: string; by: string },
): N | null {
  if (by !== 'another_vendor') return offered.find((name) => name === by) ?? null
  const own = vendorOf(author)
  const isAnother = (vendor: string | null) => own !== null && vendor !== null && vendor !== own
  return offered.find((name) => isAnother(vendorOf(name))) ?? null
}

export const reviewSeverities = ['high', 'medium', 'low'] as const
export type ReviewSeverity = (typeof reviewSeverities)[number]

/** The settings of a policy that has no change reviewed. */
export const noSecondReview = { by: 'off', model: null, holdsMerge: false } as const
