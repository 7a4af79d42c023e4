import type { Precedents } from '@signalbox/contract/app/decisions.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { similarTo } from './similarity.ts'
import { selectAnsweredBefore, selectComparable, selectPrecedents } from './store.ts'

const mostShown = 3

/** How similar questions of the same kind were answered before in the same team, and with which result. */
export async function readPrecedents(ctx: Context, key: string): Promise<Precedents> {
  const asked = await selectComparable(ctx.db, ctx.workspaceId, key)
  if (!asked) throw notFound('decision', key)
  const similar = similarTo(asked, await selectAnsweredBefore(ctx.db, ctx.workspaceId, asked))
  const shown = similar.slice(0, mostShown)
  const found = await selectPrecedents(
    ctx.db,
    ctx.workspaceId,
    shown.map(({ id }) => id),
  )
  const touched = new Set(asked.paths)
  return {
    similar: similar.length,
    answers: tally(similar.map(({ answer }) => answer)),
    closest: shown.flatMap(({ id, paths }) => {
      const { id: _, ...precedent } = found.find((one) => one.id === id)!
      return [{ ...precedent, commonPaths: (paths ?? []).filter((path) => touched.has(path)) }]
    }),
  }
}

function tally(answers: string[]): Precedents['answers'] {
  const counts = Map.groupBy(answers, (answer) => answer)
  return [...counts]
    .map(([answer, { length: count }]) => ({ answer, count }))
    .sort((one, other) => other.count - one.count)
}
