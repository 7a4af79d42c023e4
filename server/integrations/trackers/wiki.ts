/**
 * Between Markdown and Jira's wiki markup, as far as stories go: headings, lists, emphasis, links, code. What is not
 * known stays as it is.
 */
export function toWiki(markdown: string): string {
  return eachLine(
    markdown,
    '```',
    (lines, language) => [`{code${language ? `:${language}` : ''}}`, ...lines, '{code}'],
    (line) =>
      line
        .replace(/^(#{1,6})\s+/, (_, marks: string) => `h${marks.length}. `)
        .replace(
          /^(\s*)[-*+]\s+\[([ xX])\]\s+/,
          (_, indent: string, box: string) => `${stars(indent)} ${box === ' ' ? '☐' : '☑'} `,
        )
        .replace(/^(\s*)[-+*]\s+/, (_, indent: string) => `${stars(indent)} `)
        .replace(/^(\s*)\d+[.)]\s+/, (_, indent: string) => `${'#'.repeat(depth(indent))} `)
        .replace(/\*\*(?=\S)([^*\n]+)(?<=\S)\*\*/g, '*$1*')
        .replace(/\[([^[\]\n]+)\]\((https?:[^)[\s]+)\)/g, '[$1|$2]')
        .replace(/`([^`\n]+)`/g, '{{$1}}'),
  )
}

export function fromWiki(wiki: string): string {
  return eachLine(
    wiki.replaceAll('\r\n', '\n'),
    '{code',
    (lines, language) => [`\`\`\`${language}`, ...lines, '```'],
    (line) =>
      line
        .replace(/^(#+)\s+/, (_, marks: string) => `${'  '.repeat(marks.length - 1)}1. `)
        .replace(/^h([1-6])\.\s+/, (_, level: string) => `${'#'.repeat(Number(level))} `)
        .replace(
          /^(\*+|-)\s+([☐☑])\s+/,
          (_, marks: string, box: string) =>
            `${'  '.repeat(marks.length - 1)}- [${box === '☐' ? ' ' : 'x'}] `,
        )
        .replace(/^(\*+|-)\s+/, (_, marks: string) => `${'  '.repeat(marks.length - 1)}- `)
        .replace(/(^|[\s(])\*([^*\s][^*\n]*?)\*(?=$|[\s).,;:!?])/g, '$1**$2**')
        .replace(/\[([^[\]|\n]+)\|(https?:[^[\]\s|]+)(?:\|[^[\]]*)?\]/g, '[$1]($2)')
        .replace(/\{\{([^{}\n]+)\}\}/g, '`$1`'),
  ).trim()
}

/** Whether writing it back from Markdown would lose nothing: no mention, no media, no macro, no table. */
export const isPlainWiki = (wiki: string): boolean =>
  !/\[~|!\S[^!\n]*!|\{(?!code|\{)[a-z]+[:}]|^[ \t]*\|/m.test(wiki)

const depth = (indent: string) => Math.floor(indent.length / 2) + 1
const stars = (indent: string) => '*'.repeat(depth(indent))

/** Code is left alone, between a line that begins with `fence` and the next one. */
function eachLine(
  text: string,
  fence: string,
  code: (lines: string[], language: string) => string[],
  change: (line: string) => string,
): string {
  const out: string[] = []
  let block: { lines: string[]; language: string } | null = null
  for (const line of text.split('\n')) {
    const isFence = line.startsWith(fence)
    if (block && isFence) {
      out.push(...code(block.lines, block.language))
      block = null
    } else if (block) block.lines.push(line)
    else if (isFence) block = { lines: [], language: line.slice(fence.length).replace(/[:}]/g, '').trim() }
    else out.push(change(line))
  }
  if (block) out.push(...code(block.lines, block.language))
  return out.join('\n')
}
