import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import { isolationLevelOf } from '@signalbox/contract/isolation.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { canReadRepository } from '../orders/can-read-repository.ts'
import { offlineAfterSeconds } from '../orders/offline.ts'
import { selectRunners } from './store.ts'

/** The runners of a workspace, by name. */
export async function listRunners(ctx: Context): Promise<RunnerRow[]> {
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - offlineAfterSeconds * 1000)
  const rows = (await selectRunners(ctx.db, ctx.workspaceId, { now, since })).map(fromJson)
  return rows.map(({ addresses, ...row }) => ({
    ...row,
    level: isolationLevelOf(row.isolation),
    repositories: addresses.map(({ team, name, address }) => ({
      ...{ team, name, isReadable: canReadRepository(row.git, address) },
    })),
  }))
}
