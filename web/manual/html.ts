import type { Node } from './node.ts'

const withoutEnd = new Set(['br', 'hr', 'img', 'input'])

/** The HTML of a tree. Raw HTML in Markdown has been left out of it before. */
export function htmlOf({ type, tagName, value = '', properties = {}, children = [] }: Node): string {
  if (type === 'text') return escaped(value)
  const inside = children.map(htmlOf).join('')
  if (type !== 'element') return inside
  const attributes = Object.entries(properties).map(([name, given]) => attribute(name, given))
  const start = `<${tagName}${attributes.join('')}>`
  return withoutEnd.has(tagName!) ? start : `${start}${inside}</${tagName}>`
}

function attribute(name: string, value: unknown): string {
  if (value === undefined || value === null || value === false) return ''
  const written = name === 'className' ? 'class' : name.toLowerCase()
  if (value === true) return ` ${written}`
  return ` ${written}="${escaped(Array.isArray(value) ? value.join(' ') : String(value))}"`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
