import { grouped, moneyToTheCent } from '../browser/formats.ts'
import { settingNames } from '../policies/differences.ts'
import { executors } from '../words/executors.ts'

/** In a sentence, the place of what the entry is about, which is a link on the screen. No text of an entry has it. */
export const subject = '\u{fffc}'

export interface Change {
  field: string
  before: unknown
  after: unknown
}

/** `in_progress` is "in progress", `costCents` is "cost". */
export const nameInWords = (name: string): string =>
  name
    .replace(/Cents$/, '')
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** What a field is called where it is set. */
export function fieldInWords(field: string): string {
  const named = (settingNames as Record<string, string>)[field]
  return named ? named.charAt(0).toLowerCase() + named.slice(1) : nameInWords(field)
}

/** A value of an entry, whatever its shape, as a person reads it. */
export function inWords(value: unknown, name = ''): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return name.endsWith('Cents') ? moneyToTheCent(value) : grouped(value)
  if (typeof value === 'string') return textInWords(value, name)
  if (Array.isArray(value))
    return value.map((item) => inWords(item, name)).join(isPlain(value) ? ', ' : '; ') || 'none'
  return Object.entries(value)
    .map(([key, inner]) => `${nameInWords(key)}: ${inWords(inner, key)}`)
    .join(', ')
}

const isPlain = (list: unknown[]) => list.every((item) => typeof item !== 'object')

/** What holds words of the program, as `auto_within_limits`. Names and texts of people stay as they are. */
const ofProgram = new Set(
  'access action after before cause change classOfService column decision event executor failureClass finding kind mergePolicy optionId planApproval preset recommendation rule stage status type which'.split(
    ' ',
  ),
)

function textInWords(text: string, name: string): string {
  if (name === 'executor' && Object.hasOwn(executors, text)) return executors[text as keyof typeof executors]
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return `${momentOf(text)} UTC`
  const written = text.replaceAll(subject, '')
  return ofProgram.has(name) && /^[a-z]+(_[a-z]+)+$/.test(written) ? nameInWords(written) : written
}

/** To the second and in UTC, as the filters and the exported files have it: `2026-11-15 10:41:57`. */
export const momentOf = (at: string): string => at.slice(0, 19).replace('T', ' ')

/** What was changed: with its values where it is one thing, by name where it is several. */
export function changesInWords(changes: readonly Change[]): string {
  if (changes.length !== 1) return changes.map(({ field }) => fieldInWords(field)).join(', ')
  const { field, before, after } = changes[0]!
  const [was, is] = [inWords(before, field), inWords(after, field)]
  const isShort = was.length + is.length <= 80
  return isShort ? `${fieldInWords(field)} from ${was} to ${is}` : fieldInWords(field)
}
