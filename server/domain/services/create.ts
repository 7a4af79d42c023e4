import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { OnCallSettings, Repository, Service } from '@signalbox/contract/service.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { newId } from '../../infra/ids.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { requireRole } from '../roles.ts'
import { lockTeam } from '../teams/lock.ts'
import { checkedText } from '../text.ts'
import { refuseStrangers } from './refuse-strangers.ts'
import { checkedRepositories, checkedSettings, defaultSettings } from './settings.ts'
import { insertService, selectService } from './store.ts'

export interface NewService {
  name: string
  team: string
  repositories?: Repository[]
  settings?: Partial<OnCallSettings>
}

/** Makes a service that alerts can belong to, with the settings' defaults where nothing else is said. */
export async function createService(ctx: Context, input: NewService): Promise<Json<Service>> {
  requireRole(ctx, 'admin', 'create a service')
  const name = checkedText('name', input.name, { least: 1, most: maxNameLength })
  const settings = checkedSettings({ ...defaultSettings, ...input.settings })
  const repositories = checkedRepositories(input.repositories ?? [])
  return change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, input.team)
    await refuseStrangers(tx, ctx.workspaceId, input.team, settings)
    const at = ctx.clock.now()
    const id = newId(at)
    const row = { id, teamId: team.id, name, repositories, settings, at }
    if (!(await insertService(tx, ctx.workspaceId, row)))
      throw new DomainError('conflict', `There is already a service called ${name}.`)
    return {
      value: (await selectService(tx, ctx.workspaceId, id))!.json,
      audit: {
        event: 'service_changed',
        team: input.team,
        entity: { type: 'service', id, name },
        details: { change: 'created', settings },
      },
    }
  })
}
