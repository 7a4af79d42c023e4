import type { ManualPage, ManualSection } from '@signalbox/contract/manual.ts'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { htmlOf } from './html.ts'
import { element, type Node, text, textOf } from './node.ts'

const markdownReader = unified().use(remarkParse).use(remarkGfm).use(remarkRehype)

/** Where a link of the repository leads once the page is served; null: to nothing that the server has. */
export type FindTarget = (href: string) => string | null

/** One page of the manual, from Markdown to HTML. Everything beside the text itself is done on its tree. */
export function renderPage(path: string, markdown: string, findTarget: FindTarget): ManualPage {
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? path
  const sections: ManualSection[] = [{ id: null, level: 1, heading: title, text: '' }]
  const tree = markdownReader.runSync(markdownReader.parse(markdown)) as Node
  prepare(tree, sections, findTarget)
  for (const section of sections) section.text = section.text.replaceAll(/\s+/g, ' ').trim()
  return { path, title, html: htmlOf(tree), sections }
}

/** Gives headings and settings their addresses, links their targets, and notes what can be found where. */
function prepare(root: Node, sections: ManualSection[], findTarget: FindTarget): void {
  const slug = slugger()
  for (const [at, node] of [...root.children!.entries()].reverse())
    if (node.tagName === 'h1' || isPicture(node)) root.children!.splice(at, 1)
  for (const node of root.children!) {
    const level = node.tagName === 'h2' ? 2 : 3
    if (/^h[2-6]$/.test(node.tagName ?? '')) {
      const heading = textOf(node)
      const id = slug(heading)
      node.properties = { ...node.properties, id }
      node.children = [element('a', { href: `#${id}`, className: ['heading'] }, node.children!)]
      sections.push({ id, level, heading, text: '' })
    } else sections.at(-1)!.text += ` ${textOf(node)}`
  }
  visit(root, (node, parent, at) => {
    if (node.tagName === 'a' && !(node.properties!.className as string[] | undefined)?.includes('heading'))
      parent.children![at] = linked(node, findTarget)
    if (node.tagName === 'tr') nameRow(node, sections)
    if (node.tagName === 'pre') node.properties = { ...node.properties, tabIndex: 0 }
    if (node.tagName === 'table')
      parent.children![at] = element('div', { className: ['table'], tabIndex: 0 }, [node])
  })
}

/** A setting or an option that a row of a table explains has an address: refusals lead to it. */
function nameRow(row: Node, sections: ManualSection[]): void {
  const [first, ...rest] = row.children!.filter(({ tagName }) => tagName === 'td')
  const named = first?.children?.length === 1 && first.children[0]!.tagName === 'code' ? textOf(first) : ''
  if (!/^([A-Z]{2,}(_[A-Z]+)*|--[a-z][a-z-]+)$/.test(named)) return
  row.properties = { ...row.properties, id: named }
  sections.push({ id: named, level: 0, heading: named, text: rest.map(textOf).join(' ') })
}

/** What the server does not have is named as a file of the source instead of leading nowhere. */
function linked(link: Node, findTarget: FindTarget): Node {
  const href = String(link.properties!.href)
  // A host that a text names is no invitation to go there.
  if (textOf(link).startsWith('www.')) return element('span', {}, link.children!)
  if (/^https?:/.test(href)) return element('a', { href, rel: ['noopener', 'noreferrer'] }, link.children!)
  const target = findTarget(href)
  if (target !== null) return element('a', { href: target }, link.children!)
  const file = href.replace(/^(\.\.\/)+/, '').replace(/#.*$/, '')
  const named =
    textOf(link) === file ? [] : [text(' ('), element('code', {}, [text(file)]), text(' in the source)')]
  return element('span', {}, [...link.children!, ...named])
}

function visit(node: Node, look: (node: Node, parent: Node, at: number) => void): void {
  for (const [at, child] of [...(node.children ?? []).entries()]) {
    visit(child, look)
    look(child, node, at)
  }
}

/** The app itself is one click away. */
const isPicture = ({ tagName, children = [] }: Node) =>
  tagName === 'p' && children.length === 1 && children[0]!.tagName === 'img'

/** Addresses as GitHub makes them, so that links work in both places. */
function slugger(): (heading: string) => string {
  const used = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const before = used.get(slug) ?? 0
    used.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
}
