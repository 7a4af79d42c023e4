import { visible } from '@signalbox/contract/visible.ts'
import { DomainError } from './errors.ts'

/**
 * Text from outside as it can be stored, without white space around it. Neither text nor jsonb of PostgreSQL takes a
 * NUL, and jsonb takes no half of a surrogate pair.
 */
export function checkedText(field: string, value: string, limits: { least: number; most: number }): string {
  const text = value.replaceAll('\0', '').toWellFormed().trim()
  if (text.length >= limits.least && text.length <= limits.most) return text
  throw new DomainError(
    'invalid_request',
    text.length < limits.least
      ? `${field} is empty. Enter some text.`
      : `${field} is longer than ${limits.most.toLocaleString('en')} characters. Shorten it.`,
  )
}

/** The same for what an agent says, which may be anything: with invisible characters written out. */
export const agentText = (field: string, value: string, limits: { least: number; most: number }): string =>
  checkedText(field, visible(value), limits)
