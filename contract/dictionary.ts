/**
 * A table that is asked with words of others. An object knows `constructor` and `__proto__` though they were not
 * written there; this one knows only what it was given.
 */
export const dictionary = <T>(entries: Record<string, T> = {}): Record<string, T> =>
  Object.assign(Object.create(null), entries)
