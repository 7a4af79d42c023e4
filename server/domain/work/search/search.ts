import type { Found } from '@signalbox/contract/app/workspaces.ts'
import type { Context } from '../../context.ts'
import { selectFound, selectTeams } from './store.ts'

/** A few of each noun whose title holds the words or whose key begins with them. */
export async function search(ctx: Context, words: string): Promise<readonly Found[]> {
  const trimmed = words.trim()
  if (!trimmed) return selectTeams(ctx.db, ctx.workspaceId)
  const literal = trimmed.replace(/[\\%_]/g, '\\$&')
  return selectFound(ctx.db, ctx.workspaceId, {
    words: trimmed,
    within: `%${literal}%`,
    beginning: `${literal}%`,
  })
}
