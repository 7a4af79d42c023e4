import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { readDecision } from './read.ts'
import { deleteSnooze } from './store.ts'

/** Puts a decision back into one's own inbox before its time. Where it already is, nothing happens. */
export function unsnoozeDecision(ctx: Context, personId: string, key: string): Promise<void> {
  return change(ctx, async (tx) => {
    const { kind, title, team } = fromJson(await readDecision(ctx, key))
    const wasAsleep = await deleteSnooze(tx, ctx.workspaceId, personId, key)
    return {
      value: undefined,
      audit: wasAsleep
        ? {
            event: 'decision_snoozed',
            team,
            entity: { type: 'decision', id: key, name: title },
            details: { kind, until: null },
          }
        : [],
    }
  })
}
