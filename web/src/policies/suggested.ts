import type { PolicySuggestion } from '@signalbox/contract/app/suggestions.ts'
import { grouped } from '../browser/formats.ts'

/** What is asked of the person who decides. */
export const askedOf = ({ maxLines }: Pick<PolicySuggestion, 'maxLines'>): string =>
  `Merge changes of up to ${linesOf(maxLines)} without asking?`

/** “The last 14 merges of this kind were approved unchanged.” And how large they were. */
export function groundsOf({ asksAlways, limit, maxLines, merges }: PolicySuggestion): string {
  const kind = asksAlways
    ? 'that needed approval only because the policy asks about every merge'
    : `that needed approval only because they had more than ${linesOf(limit)}`
  const asLarge = merges.filter(({ lines }) => lines >= maxLines).length
  const sizes =
    asLarge === merges.length
      ? `Each of them had ${linesOf(maxLines)} or more.`
      : `${asLarge} of them had ${linesOf(maxLines)} or more.`
  return `The last ${merges.length} merges ${kind} were approved unchanged. ${sizes} None was reverted or led to an incident.`
}

const linesOf = (lines: number) => (lines === 1 ? '1 line' : `${grouped(lines)} lines`)
