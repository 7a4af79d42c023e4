import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { once } from '../../record/idempotency/once.ts'
import { checkedText } from '../../text.ts'
import { filesRemovedAt } from '../../work/files/removed-at.ts'
import { currentPolicy } from '../../work/policies/current.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { lockRun } from '../machine/lock.ts'
import { hasOtherOpenRun, selectTeamOf } from '../machine/run-store.ts'
import { advance } from './advance.ts'

/** Queues another attempt of a run that failed, timed out or was stopped, under the same key and today's policy. */
export async function retryRun(
  ctx: Context,
  key: string,
  input: { guidance?: string | undefined; idempotencyKey?: string | undefined } = {},
): Promise<{ attempt: number }> {
  const guidance = checkedText('guidance', input.guidance ?? '', { least: 0, most: maxNoteLength }) || null
  const request = JSON.stringify(['retry', key, guidance])
  const retried = await change(ctx, async (tx) =>
    once(ctx, tx, { key: input.idempotencyKey, request }, async () => {
      const teamId = await selectTeamOf(tx, ctx.workspaceId, { key })
      if (!teamId) throw notFound('run', key)
      // The team is locked to begin a run of its story, so that of two requests only one finds the story free.
      if (!(await lockTeamById(tx, ctx.workspaceId, teamId)))
        throw new DomainError('conflict', `The team of run \`${key}\` was deleted.`)
      const run = await lockRun(tx, ctx.workspaceId, { key })
      if (await hasOtherOpenRun(tx, ctx.workspaceId, run.id, run.story.id)) {
        throw new DomainError(
          'conflict',
          `Another run is already working on ${run.story.key}. Stop it first or let it finish.`,
        )
      }
      if (!run.state.memory.checksMain && (await filesRemovedAt({ ...ctx, db: tx }, key)))
        throw new DomainError(
          'conflict',
          `Run \`${key}\` cannot be retried because its files were removed because of their age. Move ${run.story.key} to Ready to start a new run.`,
        )
      const policy = (await currentPolicy(tx, ctx.workspaceId, run.team.id)) ?? run.policy
      const event = { type: 'retried', guidance } as const
      const advanced = await advance(ctx, tx, { ...run, policy }, event)
      if (!advanced) {
        throw new DomainError(
          'conflict',
          `Run \`${key}\` is ${run.state.phase}. Only runs that failed, timed out or were stopped can be retried.`,
        )
      }
      const attempt = { attempt: advanced.state.attempt }
      return { value: JSON.stringify(attempt) as Json<typeof attempt>, audit: advanced.entries }
    }),
  )
  return fromJson(retried)
}
