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
  const count = Math.floor(Math.abs(seconds) / size)
  return seconds > 0 ? `${count} ${word} ago` : `in ${count} ${word}`
}
