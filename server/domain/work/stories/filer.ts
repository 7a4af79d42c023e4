import type { Tx } from '../../../infra/db/db.ts'
import { selectFiler } from './store.ts'

/** The person who filed a story, while they are a member; undefined when no one did. */
export const filerOf = (tx: Tx, workspaceId: string, storyId: string) => selectFiler(tx, workspaceId, storyId)
