/** A stretch of Markdown without its marks, for the moment before the renderer has come. */
export type PlainBlock = { kind: 'text' | 'heading' | 'item' | 'code'; text: string }

const fence = /^\s*(```|~~~)/
const item = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/
const heading = /^#{1,6}\s+/
const rule = /^\s*(?:-{3,}|\*{3,}|\|?[\s:|-]+\|[\s:|-]*)$/

/**
 * The text as it will read once it is rendered, in blocks of about the final size: what people see first is never raw
 * Markdown. It decides nothing about safety: all of it is text.
 */
export function plainBlocks(markdown: string): PlainBlock[] {
  const blocks: PlainBlock[] = []
  let open: PlainBlock | null = null
  let inCode = false
  for (const line of markdown.split('\n')) {
    if (fence.test(line)) {
      inCode = !inCode
      open = inCode ? { kind: 'code', text: '' } : null
      if (open) blocks.push(open)
      continue
    }
    if (inCode) {
      open!.text += `${open!.text && '\n'}${line}`
      continue
    }
    const starts = item.test(line) ? 'item' : heading.test(line) ? 'heading' : 'text'
    const text = withoutMarks(line.replace(item, '').replace(heading, ''))
    if (line.trim() === '' || rule.test(line)) open = null
    else if (open && starts === 'text' && open.kind !== 'heading') open.text += ` ${text}`
    else {
      open = { kind: starts, text }
      blocks.push(open)
    }
  }
  return blocks.filter(({ text }) => text !== '')
}

const withoutMarks = (line: string): string =>
  line
    .trim()
    .replace(/^>\s?/, '')
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/`([^`]*)`/g, '$1')
    .replaceAll(/(\*\*|__|~~)(?=\S)([^*_~]*)\1/g, '$2')
    .replaceAll(/(^|\W)[*_](?=\S)([^*_]*)[*_](?=\W|$)/g, '$1$2')
