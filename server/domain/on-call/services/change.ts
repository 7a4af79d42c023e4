import { isDeepStrictEqual } from 'node:util'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { OnCallSettings, Repository, Service } from '@signalbox/contract/service.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { refuseStrangers } from './refuse-strangers.ts'
import { checkedRepositories, checkedSettings } from './settings.ts'
import { lockService, selectService, updateService } from './store.ts'

export interface ServiceChange {
  name?: string
  repositories?: Repository[]
  settings?: Partial<OnCallSettings>
}

/** Changes a service or its on-call settings. */
export async function changeService(ctx: Context, id: string, input: ServiceChange): Promise<Json<Service>> {
  requireRole(ctx, 'admin', "change a service's settings")
  return change(ctx, async (tx) => {
    if (!(await lockService(tx, ctx.workspaceId, id))) throw notFound('service', id)
    await refuseManaged(ctx, tx, 'services', id)
    const before = fromJson((await selectService(tx, ctx.workspaceId, id))!.json)
    const after = {
      name: checkedText('name', input.name ?? before.name, { least: 1, most: maxNameLength }),
      repositories: checkedRepositories(input.repositories ?? before.repositories),
      settings: checkedSettings({ ...before.settings, ...input.settings }),
    }
    const changes = differences(before, after)
    if (changes.length === 0)
      throw new DomainError('conflict', 'Nothing to change: the service already has these settings.')
    await refuseStrangers(tx, ctx.workspaceId, before.team, after.settings)
    if (!(await updateService(tx, ctx.workspaceId, id, after, ctx.clock.now())))
      throw new DomainError('conflict', `There is already a service called ${after.name}.`)
    return {
      value: (await selectService(tx, ctx.workspaceId, id))!.json,
      audit: {
        event: 'service_changed',
        team: before.team,
        entity: { type: 'service', id, name: after.name },
        details: { change: 'changed', changes },
      },
    }
  })
}

type Changeable = Pick<Service, 'name' | 'repositories' | 'settings'>

function differences(before: Changeable, after: Changeable) {
  const flat = ({ settings, name, repositories }: Changeable): Record<string, unknown> => ({
    name,
    repositories,
    ...settings,
  })
  const [was, is] = [flat(before), flat(after)]
  return Object.keys(is)
    .filter((field) => !isDeepStrictEqual(was[field], is[field]))
    .map((field) => ({ field, before: was[field], after: is[field] }))
}
