import type { ServiceActivity } from '@signalbox/contract/app/services.ts'
import { notificationDefaults } from '@signalbox/contract/notifications.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { listPlaces } from '../../work/places/list.ts'
import { selectActivity } from './store.ts'

const weekMs = 7 * 86_400_000

/**
 * What services have been through lately and who is told about the next incident: of one service, or of all. Without a
 * mail server no one is mailed, whatever they have chosen.
 */
export async function listActivity(
  ctx: Context,
  filter: { service?: string },
  hasMail: boolean,
): Promise<ServiceActivity[]> {
  const since = new Date(ctx.clock.now().getTime() - weekMs)
  const rows = await selectActivity(ctx.db, ctx.workspaceId, filter, since, notificationDefaults.incident)
  if (rows.length === 0 && filter.service !== undefined) throw notFound('service', filter.service)
  const teams = [...new Set(rows.map(({ team }) => team))]
  const placesOf = new Map(
    await Promise.all(teams.map(async (team) => [team, await listPlaces(ctx, team)] as const)),
  )
  return rows.map(({ team, places, members, ...row }) => ({
    ...row,
    members: members.map(({ name, ways }) => ({
      name,
      ways: hasMail ? ways : ways.filter((way) => way !== 'mail'),
    })),
    channels: placesOf
      .get(team)!
      .filter(({ id }) => places === null || places.includes(id))
      .map(({ tool, name }) => ({ tool, name })),
  }))
}
