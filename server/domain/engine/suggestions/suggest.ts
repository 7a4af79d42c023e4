/** A merge that a person was asked about for no other reason than what the policy says of its size. */
export interface AskedMerge {
  decision: string
  title: string
  lines: number
  answeredAt: Date
  /** Approved by a person, asked once, and merged. */
  isApproved: boolean
  /** Answered otherwise, or a revert was proposed, or an incident points to it. */
  isAgainst: boolean
}

/** The last suggestion that a person declined. */
export interface Declined {
  at: Date
  /** How many merges it followed from. */
  merges: number
}

interface Suggested {
  maxLines: number
  merges: AskedMerge[]
}

/** This many have to be approved, and this many of them at least as large as what is suggested. */
export const leastMerges = 10
/** How far back is looked: what is older says little about today. */
export const mostMerges = 20
/** What a merge breaks shows within a week. */
export const settlesAfterMs = 7 * 86_400_000

/**
 * The limit that people's own answers speak for, if there is one: no larger than `leastMerges` of the changes that they
 * approved as they were. One answer to the contrary ends it, and so does one revert or incident.
 */
export function suggestLimit(
  asked: readonly AskedMerge[],
  { limit, declined, now }: { limit: number; declined: Declined | null; now: Date },
): Suggested | null {
  const newestFirst = asked.toSorted((one, other) => other.answeredAt.getTime() - one.answeredAt.getTime())
  const isSettled = ({ answeredAt }: AskedMerge) => now.getTime() - answeredAt.getTime() >= settlesAfterMs
  const settled = newestFirst.filter(isSettled).slice(0, mostMerges)
  const recent = newestFirst.filter((merge) => !isSettled(merge))
  if ([...recent, ...settled].some(({ isAgainst }) => isAgainst)) return null
  const merges = settled.filter(
    ({ isApproved, answeredAt }) => isApproved && (declined === null || answeredAt > declined.at),
  )
  if (merges.length < Math.max(leastMerges, declined?.merges ?? 0)) return null
  const bySize = merges.map(({ lines }) => lines).toSorted((one, other) => other - one)
  const maxLines = bySize[leastMerges - 1]!
  return maxLines > limit ? { maxLines, merges } : null
}
