import { maxSnoozeDays } from '@signalbox/contract/limits.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { readDecision } from './read.ts'
import { upsertSnooze } from './store.ts'

/**
 * Takes a decision out of one person's inbox until a moment, or until it changes. For everyone else it waits as before,
 * and its deadline is the same: that cannot be put off, so nothing can be put off beyond it.
 */
export function snoozeDecision(ctx: Context, personId: string, key: string, until: Date): Promise<void> {
  return change(ctx, async (tx) => {
    const { kind, title, team, status, expiresAt } = fromJson(await readDecision(ctx, key))
    refuse(ctx.clock.now(), until, expiresAt)
    const waits = status === 'pending' && (await upsertSnooze(tx, ctx.workspaceId, personId, key, until))
    if (!waits)
      throw new DomainError('decision_not_pending', `Decision \`${key}\` is no longer waiting for an answer.`)
    return {
      value: undefined,
      audit: {
        event: 'decision_snoozed',
        team,
        entity: { type: 'decision', id: key, name: title },
        details: { kind, until: until.toISOString() },
      },
    }
  })
}

function refuse(now: Date, until: Date, expiresAt: string | null): void {
  const last = now.getTime() + maxSnoozeDays * 86_400_000
  if (until <= now) throw invalid('Choose a time in the future for `until`.')
  if (until.getTime() > last)
    throw invalid(`Choose a time within the next ${maxSnoozeDays} days for \`until\`.`)
  if (expiresAt !== null && until >= new Date(expiresAt))
    throw invalid(`The decision expires at ${expiresAt}. Choose an earlier time for \`until\`.`)
}

const invalid = (message: string) => new DomainError('invalid_parameter', message)
