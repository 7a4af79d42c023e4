import { maxReasonLength } from '@signalbox/contract/limits.ts'
import type { GiveBack } from '@signalbox/contract/local-work.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { agentText } from '../../text.ts'
import { advance } from '../lifecycle/advance.ts'
import { lockRunToGiveBack } from './holder.ts'

/** Ends a person's work on a story, which returns to Ready and says so. What they have pushed stays where it is. */
export async function giveBackWork(ctx: Context, runKey: string, input: GiveBack = {}): Promise<void> {
  const reason = agentText('reason', input.reason ?? '', { least: 0, most: maxReasonLength }) || null
  await change(ctx, async (tx) => {
    const run = await lockRunToGiveBack(ctx, tx, runKey)
    const advanced = await advance(ctx, tx, run, { type: 'given_back', by: ctx.actor.name, reason })
    return { value: undefined, audit: advanced!.entries }
  })
}
