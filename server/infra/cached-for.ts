/**
 * Reads at most once in that time, however many ask, and never twice at once: a caller that asks while it is read is given
 * what comes of it. A failure is not remembered.
 */
export function cachedFor<T>(
  milliseconds: number,
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let known: { value: Promise<T>; until: number } | null = null
  return () => {
    if (known && now() < known.until) return known.value
    const value = read()
    const mine = { value, until: Number.POSITIVE_INFINITY }
    known = mine
    value.then(
      () => {
        mine.until = now() + milliseconds
      },
      () => {
        if (known === mine) known = null
      },
    )
    return value
  }
}
