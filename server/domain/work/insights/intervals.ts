import type { Estimate } from '@signalbox/contract/app/insights.ts'

/** A figure of fewer than these would say more about chance than about what is counted. */
export const fewestToCompare = 10

/** Two-sided, 95 %. */
const z = 1.959964
const tail = 0.025

/** A share with its interval after Wilson (1927), which holds for few and for rare ones too. */
export function shareOf(count: number, of: number): Estimate {
  const [share, spread] = [count / of, z ** 2 / of]
  const centre = (share + spread / 2) / (1 + spread)
  const half = (z / (1 + spread)) * Math.sqrt((share * (1 - share)) / of + spread / (4 * of))
  return {
    value: share,
    low: count === 0 ? 0 : centre - half,
    high: count === of ? 1 : centre + half,
  }
}

/**
 * The median of sorted values, between the two of them that enclose it in at least 95 % of samples, however the values
 * are distributed: costs have a long tail, and a mean with its deviation would be that of the tail.
 */
export function medianOf(sorted: readonly number[]): Estimate {
  const { length } = sorted
  const rank = lowerRank(length)
  const middle = sorted[Math.floor((length - 1) / 2)]! + sorted[Math.floor(length / 2)]!
  return { value: middle / 2, low: sorted[rank - 1]!, high: sorted[length - rank]! }
}

/** Which of so many values, from below, is the interval's lower end: half of all lie above it with that certainty. */
export function lowerRank(of: number): number {
  // How many of them are below the median is binomial. In logarithms, since a half to the thousandth is nothing.
  let [log, sum, below] = [-of * Math.LN2, 0, 0]
  while (below < of / 2) {
    sum += Math.exp(log)
    if (sum > tail) break
    log += Math.log((of - below) / (below + 1))
    below += 1
  }
  return Math.max(1, below)
}
