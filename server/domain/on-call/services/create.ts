import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { OnCallSettings, Repository, Service } from '@signalbox/contract/service.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { lockTeam } from '../../work/teams/lock.ts'
import { refuseStrangers } from './refuse-strangers.ts'
import { checkedRepositories, checkedSettings, defaultSettings } from './settings.ts'
import { insertService, selectService } from './store.ts'

export interface NewService {
  name: string
  team: string
  repositories?: Repository[]
  settings?: Partial<OnCallSettings>
}

/** Makes a service that alerts can belong to, with the settings' defaults where nothing else is said: it tells its creator. */
export async function createService(
  ctx: Context,
  input: NewService,
  creating?: Creating,
): Promise<Json<Service>> {
  requireRole(ctx, 'admin', 'create a service')
  return change(ctx, async (tx) => {
    const { id, entry } = await addService(ctx, tx, input)
    const { json } = (await selectService(tx, ctx.workspaceId, id))!
    return { value: json, audit: [entry, ...(creating ? [await creating(tx, id)] : [])] }
  })
}

/** The same as part of a transaction that wants more. */
export async function addService(
  ctx: Context,
  tx: Tx,
  input: NewService,
): Promise<{ id: string; entry: Entry }> {
  const name = checkedText('name', input.name, { least: 1, most: maxNameLength })
  // A service that tells no one is of no use, so its creator is told unless someone else is named.
  const notify = ctx.actor.type === 'human' ? [ctx.actor.userId] : []
  const settings = checkedSettings({ ...defaultSettings, notify, ...input.settings })
  const repositories = checkedRepositories(input.repositories ?? [])
  const team = await lockTeam(tx, ctx.workspaceId, input.team)
  await refuseStrangers(tx, ctx.workspaceId, input.team, settings)
  const at = ctx.clock.now()
  const id = newId(at)
  const row = { id, teamId: team.id, name, repositories, settings, at }
  if (!(await insertService(tx, ctx.workspaceId, row)))
    throw new DomainError('conflict', `There is already a service called ${name}.`)
  return {
    id,
    entry: {
      event: 'service_changed',
      team: input.team,
      entity: { type: 'service', id, name },
      details: { change: 'created', settings },
    },
  }
}
