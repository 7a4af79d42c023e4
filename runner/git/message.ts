/**
 * Titles of stories come from outside, and a message can tell a host to run no checks: `[skip ci]` and its relatives, or
 * a last line of its own. Said so, they are only words.
 */
export function commitMessage(text: string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll('***', '*')
    .split('\n')
    .map((line) => (/^\s*skip[-_ ]?checks?\s*:/i.test(line) ? `> ${line}` : line).trimEnd())
  return `${lines.join('\n').trim() || 'Work of a run'}\n`
}
