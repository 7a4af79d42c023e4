import { checkedText } from '../text.ts'

export const checkedName = (name: string): string =>
  checkedText('name', name.replace(/\s+/g, ' '), { least: 1, most: 100 })

/** An empty description is none. */
export const checkedDescription = (description: string | null): string | null =>
  (description && checkedText('description', description, { least: 0, most: 1_000 })) || null
