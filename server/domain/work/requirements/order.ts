import { maxRequirementLength } from '@signalbox/contract/limits.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { findPlace } from '../places/find.ts'
import { requireTeam } from '../teams/read.ts'

/**
 * Has a requirement taken in that was typed in a chat tool. Splitting it may take longer than the tool waits, so the
 * outcome is posted in the channel. Returns whether it will be: otherwise only the person who typed it is told.
 */
export async function orderRequirement(
  ctx: Context,
  input: { team: string; text: string },
  from: { connection: string; channel: string; user: string },
): Promise<{ isShown: boolean }> {
  requireRole(ctx, 'member', 'submit a requirement')
  const text = checkedText('text', input.text, { least: 1, most: maxRequirementLength })
  await requireTeam(ctx, input.team)
  const place = await findPlace(ctx, { team: input.team, connection: from.connection, channel: from.channel })
  await housekeeping(ctx.db, 'have a requirement taken in', (tx) =>
    addEffect(ctx, tx, {
      kind: 'submit_requirement',
      key: `submit_requirement/${newId(ctx.clock.now())}`,
      data: { team: input.team, text, from: { ...from, place } },
    }),
  )
  return { isShown: place !== null }
}
