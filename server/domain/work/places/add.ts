import type { Place } from '@signalbox/contract/app/services.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Chat } from '../../ports/chat.ts'
import { change } from '../../record/audit/change.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { requireRole } from '../../roles.ts'
import { type Opening, openConnection } from '../../tools/connections/open.ts'
import { lockTeam } from '../teams/lock.ts'
import { channelOf } from './channel-link.ts'
import { insertPlace } from './store.ts'

/** Has a team's decisions and incidents shown in a channel, by the link that people copy from the chat tool. */
export async function addPlace(
  ctx: Context,
  { chat, secrets }: { chat: Chat | null } & Pick<Opening, 'secrets'>,
  input: { team: string; connection: string; link: string },
  creating?: Creating,
): Promise<Place> {
  requireRole(ctx, 'admin', 'add a channel to a team')
  const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, input.connection)
  const found = await channelOf(chat, connection, input.link)
  return change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, input.team)
    const at = ctx.clock.now()
    const place = { id: newId(at), tool: 'slack' as const, name: found.name }
    const row = { ...place, teamId: team.id, connectionId: connection.id, address: found.id, at }
    if (!(await insertPlace(tx, ctx.workspaceId, row)))
      throw new DomainError('conflict', `${team.name} already posts in ${found.name}.`)
    return {
      value: place,
      audit: [
        {
          event: 'team_changed',
          team: input.team,
          entity: { type: 'team', id: input.team, name: team.name },
          details: { changes: [{ field: 'channel', before: null, after: found.name }] },
        },
        ...(creating ? [await creating(tx, place.id)] : []),
      ],
    }
  })
}
