/** Whether people write into such a field. Not where they search, and not what a password manager fills in. */
export const isWritten = (type: string, autoComplete: string): boolean =>
  /^(text|url|email|tel|number|password|date|datetime-local|month|time)$/.test(type) &&
  !/\b(username|current-password|new-password|one-time-code)\b/.test(autoComplete)
