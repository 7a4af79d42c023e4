import { maxNameLength, maxReasonLength } from '@signalbox/contract/limits.ts'
import { checkedText } from '../../text.ts'

export const checkedName = (name: string): string =>
  checkedText('name', name.replace(/\s+/g, ' '), { least: 1, most: maxNameLength })

/** An empty description is none. */
export const checkedDescription = (description: string | null): string | null =>
  (description && checkedText('description', description, { least: 0, most: maxReasonLength })) || null
