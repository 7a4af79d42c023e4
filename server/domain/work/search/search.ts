import type { Found } from '@signalbox/contract/app/workspaces.ts'
import type { Context } from '../../context.ts'
import { selectFound, selectTeams } from './store.ts'

/**
 * A few of each noun whose title holds the words or whose key begins with them. Words without three letters or digits in a
 * row are in no index and are looked for in the newest 2,000 titles.
 */
export async function search(ctx: Context, words: string): Promise<readonly Found[]> {
  const trimmed = words.trim()
  if (!trimmed) return selectTeams(ctx.db, ctx.workspaceId)
  const literal = trimmed.replace(/[\\%_]/g, '\\$&')
  const isIndexed = /[\p{L}\p{N}]{3}/u.test(trimmed)
  return selectFound(ctx.db, ctx.workspaceId, {
    words: trimmed,
    within: `%${literal}%`,
    beginning: `${literal}%`,
    beginnings: beginningsOf(trimmed),
    isIndexed,
    newest: isIndexed ? 300 : 2_000,
  })
}

/** For a database that finds words only by how they begin: `par lab` is found in "Parcels without a label". */
const beginningsOf = (words: string): string =>
  (words.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `'${word}':*`).join(' & ')
