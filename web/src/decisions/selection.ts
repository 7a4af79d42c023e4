/** Which decision of a list is selected, as keys move and answers come in. Lists change underneath at any time. */

/**
 * The key `by` steps away. Where the selected one has left the list (someone answered it), its old place counts:
 * what stands there now comes next.
 */
export function moved(
  keys: readonly string[],
  selected: string | null,
  lastIndex: number,
  by: number,
): string | null {
  if (keys.length === 0) return null
  const index = selected === null ? -1 : keys.indexOf(selected)
  const from = index >= 0 ? index : selected === null ? -1 : by > 0 ? lastIndex - 1 : lastIndex
  return keys[Math.min(keys.length - 1, Math.max(0, from + by))] ?? null
}

/** What to look at once a decision is answered: the one below it or, at the end of the list, above it. */
export function afterAnswer(keys: readonly string[], answered: string): string | null {
  const index = keys.indexOf(answered)
  if (index < 0) return keys[0] ?? null
  return keys[index + 1] ?? keys[index - 1] ?? null
}

/**
 * What has come since the last look: how many, and when the newest was asked. The first look brings nothing new, and
 * neither do older pages that are read later.
 */
export function arrivals(
  newestBefore: string | null,
  rows: readonly { createdAt: string }[],
): { count: number; newest: string | null } {
  let newest = newestBefore
  let count = 0
  for (const { createdAt } of rows) {
    if (newestBefore !== null && createdAt > newestBefore) count += 1
    if (newest === null || createdAt > newest) newest = createdAt
  }
  return { count, newest }
}

/** New decisions in bulk, for those who listen to the screen. */
export const announcement = (count: number): string =>
  count === 0 ? '' : count === 1 ? '1 new decision' : `${count} new decisions`

/** A list's pages without a decision that was just answered. */
export const without = <Row extends { key: string }, Page extends { data: Row[] }>(
  pages: readonly Page[],
  key: string,
): Page[] => pages.map((page) => ({ ...page, data: page.data.filter((row) => row.key !== key) }))
