import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { once } from '../idempotency/once.ts'
import { currentPolicy } from '../policies/current.ts'
import { holdTeam } from '../teams/lock.ts'
import { checkedText } from '../text.ts'
import { advance } from './advance.ts'
import { holdRun } from './hold.ts'
import { hasOtherOpenRun, selectTeamOf } from './run-store.ts'

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
      // Whoever begins a run of the story holds its team, so that of the two only one finds the story free.
      if (!(await holdTeam(tx, ctx.workspaceId, teamId)))
        throw new DomainError('conflict', `The team of run \`${key}\` was deleted.`)
      const run = await holdRun(tx, ctx.workspaceId, { key })
      if (await hasOtherOpenRun(tx, ctx.workspaceId, run.id, run.story.id)) {
        throw new DomainError(
          'conflict',
          `Another run is already working on ${run.story.key}. Stop it first or let it finish.`,
        )
      }
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
