import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { checkedText } from '../../text.ts'
import { isOpen } from '../../work/runs/phase.ts'
import { lockRun } from '../machine/lock.ts'
import { advance } from './advance.ts'

/** Ends the current attempt of a run. The story stays where it is; what the run asked is withdrawn. */
export async function stopRun(
  ctx: Context,
  key: string,
  input: { confirmed: boolean; reason?: string },
): Promise<void> {
  if (!input.confirmed) {
    throw new DomainError(
      'invalid_request',
      'Confirm that you want to stop this run. Any work it has not pushed is lost.',
    )
  }
  const reason = checkedText('reason', input.reason ?? '', { least: 0, most: maxNoteLength }) || null
  await change(ctx, async (tx) => {
    const run = await lockRun(tx, ctx.workspaceId, { key })
    if (!isOpen(run.state.phase)) {
      throw new DomainError('conflict', `Run \`${key}\` has no current attempt: it is ${run.state.phase}.`)
    }
    const event = { type: 'stopped', by: ctx.actor.name, reason } as const
    const advanced = await advance(ctx, tx, run, event)
    return { value: undefined, audit: advanced!.entries }
  })
}
