import type { TurnEnd } from './agent.ts'

const money =
  /\b402\b|budget_exhausted|payment required|max_budget|insufficient[ _](quota|funds|credit)|budget .{0,20}(used up|exceeded)/i
const away =
  /\b(408|425|429|500|502|503|504|529)\b|rate.?limit|overloaded|unavailable|ECONN|ETIMEDOUT|EAI_AGAIN|timed? ?out|fetch failed|network error|socket hang up|stream disconnected|connection (error|refused|reset)/i

/** What an agent says of its failure, read for the two things that matter: is the money gone, may it work later. */
export function failure(error: string, mayBeTransient = true): TurnEnd {
  const text = error.trim().slice(0, 4_000) || 'The agent gave no reason.'
  if (mayBeTransient && money.test(text)) return { ended: 'limit', error: text }
  return { ended: 'failed', error: text, transient: mayBeTransient && away.test(text) }
}
