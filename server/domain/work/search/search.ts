import type { Found } from '@signalbox/contract/app/workspaces.ts'
import type { Context } from '../../context.ts'
import { selectFound, selectTeams } from './store.ts'

/**
 * A few of each noun whose title holds the words, in any order, or whose key begins with what was typed. Words without
 * three letters or digits in a row are in no index and are looked for in the newest 2,000 titles.
 */
export async function search(ctx: Context, words: string): Promise<readonly Found[]> {
  const trimmed = words.trim()
  if (!trimmed) return selectTeams(ctx.db, ctx.workspaceId)
  const each = trimmed.split(/\s+/)
  const longest = each.reduce((one, other) => (indexedLength(other) > indexedLength(one) ? other : one))
  const isIndexed = indexedLength(longest) >= 3
  return selectFound(ctx.db, ctx.workspaceId, {
    words: trimmed,
    each: each.map((word) => `%${literal(word)}%`),
    longest: `%${literal(longest)}%`,
    beginning: `${literal(trimmed)}%`,
    beginnings: beginningsOf(trimmed),
    isIndexed,
    newest: isIndexed ? 300 : 2_000,
  })
}

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** How many letters or digits it has in a row, at most. */
const indexedLength = (word: string): number =>
  Math.max(0, ...(word.match(/[\p{L}\p{N}]+/gu) ?? []).map((run) => run.length))

/** For a database that finds words only by how they begin: `par lab` is found in "Parcels without a label". */
const beginningsOf = (words: string): string =>
  (words.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `'${word}':*`).join(' & ')
