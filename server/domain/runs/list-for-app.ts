import { type RunInList, runPlaces } from '@signalbox/contract/app/runs.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { requireTeam } from '../teams/read.ts'
import { statusOf } from './place.ts'
import { selectRunsForApp } from './store.ts'

export interface AppRunFilter {
  team?: string | undefined
  story?: string | undefined
  status?: RunListed['status'] | undefined
  failure?: RunListed['failureClass'] | undefined
  executor?: RunListed['executor'] | undefined
}

/** Runs as the app lists them, newest first: with why one does not move. */
export async function listRunsForApp(
  ctx: Context,
  { status, ...filter }: AppRunFilter,
  page: PageRequest,
): Promise<Page<RunInList>> {
  // Where a run stands is indexed; its status follows from that.
  const standing = status && runPlaces.filter((place) => statusOf(place) === status)
  const rows = await selectRunsForApp(ctx.db, ctx.workspaceId, { ...filter, places: standing }, page)
  if (rows.length === 0 && filter.team) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
