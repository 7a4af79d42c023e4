/** What a piece of code is. */
export type Role = 'keyword' | 'text' | 'value' | 'name' | 'comment'

export interface Span {
  text: string
  role: Role | null
}

/** By the first word of highlight.js for it. */
const roles: Partial<Record<string, Role>> = {
  keyword: 'keyword',
  built_in: 'keyword',
  type: 'keyword',
  tag: 'keyword',
  name: 'keyword',
  'selector-tag': 'keyword',
  section: 'keyword',
  meta: 'comment',
  string: 'text',
  regexp: 'text',
  code: 'text',
  link: 'text',
  number: 'value',
  literal: 'value',
  symbol: 'value',
  bullet: 'value',
  char: 'value',
  title: 'name',
  'selector-class': 'name',
  'selector-id': 'name',
  comment: 'comment',
  doctag: 'comment',
  quote: 'comment',
}

const letters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/**
 * What highlight.js writes, line by line. It comes as HTML of spans and escaped text, and goes to the page as pieces of
 * text: nothing of a diff is ever taken for markup.
 */
export function spansOf(html: string): Span[][] {
  const lines: Span[][] = [[]]
  const open: (Role | null)[] = []
  for (const [piece, name] of html.matchAll(
    /<span class="hljs-([\w-]+)(?: [^"<]*)?">|<span[^<>]*>|<\/span>|[^<]+/g,
  )) {
    if (piece === '</span>') open.pop()
    else if (piece.startsWith('<')) open.push(roles[name ?? ''] ?? open.at(-1) ?? null)
    else {
      const text = piece.replaceAll(/&(amp|lt|gt|quot|#x27);/g, (_, letter) => letters[letter]!)
      text.split('\n').forEach((part, index) => {
        if (index > 0) lines.push([])
        if (part !== '') lines.at(-1)!.push({ text: part, role: open.at(-1) ?? null })
      })
    }
  }
  return lines
}
