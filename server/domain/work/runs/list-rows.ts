import { type RunRow, runPhases } from '@signalbox/contract/app/runs.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { statusOf } from './phase.ts'
import { selectRunRows } from './store.ts'

export interface RunRowFilter {
  team?: string | undefined
  story?: string | undefined
  status?: RunListed['status'] | undefined
  failure?: RunListed['failureClass'] | undefined
  executor?: RunListed['executor'] | undefined
}

/** Runs as the app lists them, newest first: with why one does not move. */
export async function listRunRows(
  ctx: Context,
  { status, ...filter }: RunRowFilter,
  page: PageRequest,
): Promise<Page<RunRow>> {
  // The phase of a run is indexed; its status follows from that.
  const standing = status && runPhases.filter((phase) => statusOf(phase) === status)
  const rows = await selectRunRows(ctx.db, ctx.workspaceId, { ...filter, phases: standing }, page)
  if (rows.length === 0 && filter.team) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
