import type { BoardColumn, Obstacle } from '@signalbox/contract/app/stories.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { type BoardFilter, selectBoard } from './store.ts'

/** More than people look through in a column; the list has the rest. */
const mostCards = 200

/**
 * A team's six columns, each with its stories in the order in which they are taken unless another is asked for. What is
 * in Ready says what keeps it there; the team's obstacles are handed in, because the engine knows them.
 */
export async function readBoard(
  ctx: Context,
  filter: BoardFilter,
  obstacles: Obstacle[] = [],
): Promise<Json<BoardColumn>[]> {
  const columns = await selectBoard(ctx.db, ctx.workspaceId, filter, mostCards, obstacles)
  if (columns.length === 0) throw notFound('team', filter.team)
  return columns.map((column) => column.json)
}
