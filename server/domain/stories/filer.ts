import type { Tx } from '../../infra/db/db.ts'
import { selectFiler } from './store.ts'

/** Who filed a story, while that person is a member; undefined when nobody did. */
export const filerOf = (tx: Tx, workspaceId: string, storyId: string) => selectFiler(tx, workspaceId, storyId)
