import type { Context } from '../../context.ts'
import type { OrderRef } from '../../ports/work.ts'
import { selectIsByMaker } from './claim-store.ts'

/** Whether the runner that looks at the main branch has worked on the run before. With one runner there is no other. */
export const wasCheckedByMaker = (
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  { runId, fence }: OrderRef,
): Promise<boolean> => selectIsByMaker(db, workspaceId, runId, fence)
