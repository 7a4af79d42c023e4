import type { Evidence } from '@signalbox/contract/run.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { selectCriteria, updateCriteria } from './store.ts'

/** Notes on the story what the evidence shows of its criteria. A skipped one keeps what was known. */
export async function recordCriteria(
  ctx: Context,
  tx: Tx,
  storyId: string,
  results: Evidence['criteria'],
): Promise<void> {
  const at = ctx.clock.now()
  const found = new Map(results.map(({ id, result }) => [id, result]))
  const criteria = await selectCriteria(tx, ctx.workspaceId, storyId)
  const checked = criteria.map((criterion) => {
    const result = found.get(criterion.id)
    return result === 'passed' || result === 'failed'
      ? { ...criterion, status: result, verifiedAt: at.toISOString() }
      : criterion
  })
  await updateCriteria(tx, ctx.workspaceId, storyId, checked, at)
}
