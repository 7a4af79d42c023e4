/** A stretch of Markdown without its marks, for the moment before the renderer has come. */
export interface PlainBlock {
  kind: 'text' | 'heading' | 'item' | 'step' | 'code'
  text: string
  /** What someone else wrote. */
  isQuoted: boolean
}

const quote = /^\s*>\s?/
const fence = /^\s*(```|~~~)/
const item = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/
const heading = /^#{1,6}\s+/
const rule = /^(?:-{3,}|\*{3,})$/
const betweenRows = /^[\s:|-]+$/

/**
 * The text as it will read once it is rendered, in blocks of about the final size: what people see first is never raw
 * Markdown. It decides nothing about safety: all of it is text.
 */
export function plainBlocks(markdown: string): PlainBlock[] {
  const blocks: PlainBlock[] = []
  let open: PlainBlock | null = null
  let inCode = false
  for (const written of markdown.split('\n')) {
    const isQuoted: boolean = quote.test(written) && (!inCode || open!.isQuoted)
    const line = isQuoted ? written.replace(quote, '') : written
    if (open && !inCode && open.isQuoted !== isQuoted) open = null
    if (fence.test(line)) {
      inCode = !inCode
      open = inCode ? { kind: 'code', text: '', isQuoted } : null
      if (open) blocks.push(open)
      continue
    }
    if (inCode) {
      open!.text += `${open!.text && '\n'}${line}`
      continue
    }
    const starts = item.test(line) ? 'item' : heading.test(line) ? 'heading' : 'text'
    const text = withoutMarks(line.replace(item, '').replace(heading, ''))
    if (isRule(line.trim())) open = null
    else if (open && starts === 'text' && open.kind !== 'heading') open.text += ` ${text}`
    else {
      const number = starts === 'item' && /^\s*\d+[.)]/.exec(line)
      open = number
        ? { kind: 'step', text: `${number[0].trim()} ${text}`, isQuoted }
        : { kind: starts, text, isQuoted }
      blocks.push(open)
    }
    // The line ends where it was ended.
    if (open && line.endsWith('  ')) open.text += '\n'
  }
  for (const block of blocks) block.text = block.text.replaceAll('\n ', '\n').trimEnd()
  return blocks.filter(({ text }) => text !== '')
}

const isRule = (line: string): boolean =>
  line === '' || rule.test(line) || (betweenRows.test(line) && line.includes('|', 1))

const withoutMarks = (line: string): string =>
  line
    .trim()
    .replaceAll(/<(https?:[^\s<>]*)>/g, '$1')
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/`([^`]*)`/g, '$1')
    .replaceAll(/\*\*(?=\S)([^*_~]*)\*\*|__(?=\S)([^*_~]*)__|~~(?=\S)([^*_~]*)~~/g, '$1$2$3')
    .replaceAll(/(^|\W)[*_](?=\S)([^*_]*)[*_](?=\W|$)/g, '$1$2')
