const units: [seconds: number, word: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

/** `2 h ago`, `in 3 d`, `now`. */
export function ago(iso: string | null, now = Date.now()): string {
  if (iso === null) return ''
  const seconds = (now - Date.parse(iso)) / 1_000
  const [size, word] = units.find(([unit]) => Math.abs(seconds) >= unit) ?? [0, '']
  if (size === 0) return 'now'
  const length = Math.abs(seconds) / size
  // What lies ahead is rounded, as in the app: seven days that have just begun are not six.
  return seconds > 0 ? `${Math.floor(length)} ${word} ago` : `in ${Math.round(length)} ${word}`
}
