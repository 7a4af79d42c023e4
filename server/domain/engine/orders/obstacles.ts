import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { microsPerCent, money } from '@signalbox/contract/money.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { runCentsWithoutBudgets } from '../../work/policies/presets.ts'
import { unserved, type Workforce } from './workforce.ts'

/** What a team spends, and has at work. */
export interface Spending {
  working: number
  /** What the runs at work may still spend. */
  reservedMicros: number
  dayMicros: number
  monthMicros: number
}

/** What is looked at before a team takes up anything. */
export interface Standing {
  /** Null: the team has none, and starts nothing. */
  policy: PolicyVersion | null
  paused: boolean
  spending: Spending
  /** Who could do it now. Null: there is no policy, so no one is looked for. */
  workforce: Workforce | null
  /** What is to be started is about several repositories. */
  isInSeveral?: boolean
}

/**
 * Everything that keeps a team from taking up a Ready story. Dispatching takes one when this is empty, and the board
 * shows it when it is not: there is no second list.
 */
export function obstaclesTo(standing: Standing): Obstacle[] {
  const { policy, paused } = standing
  if (!policy) return [{ by: 'policy', reason: 'The team has no policy.' }]
  return [
    paused && pausedTeam,
    standing.workforce &&
      unserved(standing.workforce, { ...policy, isInSeveral: standing.isInSeveral ?? false }),
    unaffordable(standing, policy, runBudget(policy) * microsPerCent),
    occupied(standing, policy),
  ].filter((obstacle) => obstacle !== null && obstacle !== false)
}

export const pausedTeam: Obstacle = { by: 'pause', reason: 'The team is paused.' }

export const occupied = ({ spending }: Standing, { maxConcurrency }: PolicyVersion): Obstacle | null =>
  spending.working < maxConcurrency
    ? null
    : { by: 'slots', reason: `Waiting for a free slot: ${spending.working} of ${maxConcurrency} in use.` }

/** A run's budget is never more than its team may spend in a day or a month. */
export function runBudget({ budgets }: Pick<PolicyVersion, 'budgets'>): number {
  const caps = [budgets.runCents, budgets.dayCents, budgets.monthCents].filter((cents) => cents !== null)
  return caps.length > 0 ? Math.min(...caps) : runCentsWithoutBudgets
}

/**
 * Reserves before spending: what runs now may still spend what is left of its budgets, so a run starts only if its
 * own remainder also fits into the day and the month.
 */
export function unaffordable(
  { spending }: Pick<Standing, 'spending'>,
  { budgets: { dayCents, monthCents } }: PolicyVersion,
  micros: number,
): Obstacle | null {
  if (micros === 0) return { by: 'budget', reason: 'The policy’s run budget is zero.' }
  const short = (cap: number | null, spent: number, of: string): Obstacle | null => {
    if (cap === null || spent + spending.reservedMicros + micros <= cap * microsPerCent) return null
    // Waiting helps only a run that fits into a whole day or month.
    if (micros > cap * microsPerCent)
      return {
        by: 'budget',
        reason: `Needs ${money(micros / microsPerCent)}, but the policy allows ${money(cap)} per ${of}.`,
      }
    return {
      by: 'money',
      reason: `Waiting for budget: not enough is left of the ${money(cap)} for this ${of}.`,
    }
  }
  return short(monthCents, spending.monthMicros, 'month') ?? short(dayCents, spending.dayMicros, 'day')
}

/** Whether a run that waits for it is stuck: it will not move without someone's help. */
export const needsHelp = ({ by }: Obstacle): boolean =>
  ['repository', 'runner', 'agent', 'budget'].includes(by)
