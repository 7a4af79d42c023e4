import type { LineComment } from '../changes/comment.ts'

/** What the agent is told: the note, then each comment below the line that it is about, file by file. */
export function guidanceOf(note: string, comments: readonly LineComment[]): string {
  const said = comments
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
    .map(({ path, side, line, code, text }) => {
      const where = side === 'before' ? `removed line ${line}` : `line ${line}`
      const quoted = code.trim() ? `\n> ${code.trim()}` : ''
      return `${path}, ${where}:${quoted}\n${text.trim()}`
    })
  return [...(note.trim() ? [note.trim()] : []), ...said].join('\n\n')
}
