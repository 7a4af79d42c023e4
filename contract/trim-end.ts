/**
 * Without the letters of `letters` at its end. An expression such as `/x+$/` begins again at every letter of a run, and
 * takes a square of its length where something else follows; this looks at each letter once.
 */
export function trimEnd(text: string, letters: string): string {
  let end = text.length
  while (end > 0 && letters.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
