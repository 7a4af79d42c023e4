/** What a page is made of between Markdown and HTML: hast, as far as the manual has it. */
export interface Node {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

export const text = (value: string): Node => ({ type: 'text', value })

export const element = (tagName: string, properties: object, children: Node[]): Node => ({
  ...{ type: 'element', tagName, properties: { ...properties }, children },
})

export const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join('')
