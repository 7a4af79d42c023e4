import type { Plan, PlannedChange } from '@signalbox/contract/manage/plan.ts'
import { colour } from './colour.ts'
import { oneLine } from './print.ts'

const signs = { create: '+', change: '~', delete: '-', release: '-' } as const
const colours = { create: 'green', change: 'yellow', delete: 'red', release: 'gray' } as const

/** A plan as people know it: + what is created, ~ what is changed, - what goes. */
export function planText({ changes, adopted, abandoned, unmanaged }: Plan): string {
  const lines = changes.flatMap(changeLines)
  if (lines.length > 0) lines.push('')
  lines.push(summary(changes))
  if (adopted.length > 0)
    lines.push(
      `${counted(adopted.length)} already as described, and will be marked as managed by file, which locks them in the app.`,
    )
  if (abandoned.length > 0)
    lines.push(`No longer in the file: ${namesOf(abandoned)}. Use --prune to delete or release.`)
  if (unmanaged > 0)
    lines.push(
      `${counted(unmanaged)} not in the file and left alone. To see everything, run signalbox export.`,
    )
  return lines.join('\n')
}

function changeLines({ action, kind, name, fields }: PlannedChange): string[] {
  const note = action === 'release' ? ' (stays as it is, no longer managed)' : ''
  const head = colour(colours[action], `${signs[action]} ${kind}.${oneLine(name)}${note}`)
  return [
    head,
    ...fields.map(({ field, before, after }) =>
      action === 'create'
        ? `    ${field}: ${valueText(after)}`
        : `    ${field}: ${valueText(before)} ${colour('gray', '->')} ${valueText(after)}`,
    ),
  ]
}

/** A file of another workspace leaves out everything: ten names say so too. */
function namesOf(resources: Plan['abandoned'], most = 10): string {
  const names = resources.slice(0, most).map(({ kind, name }) => `${kind}.${oneLine(name)}`)
  const more = resources.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const valueText = (value: unknown): string => oneLine(JSON.stringify(value ?? null))

function summary(changes: PlannedChange[]): string {
  if (changes.length === 0) return 'No differences.'
  const count = (action: PlannedChange['action']) => changes.filter((one) => one.action === action).length
  const released = count('release')
  return `Plan: ${count('create')} to create, ${count('change')} to change, ${count('delete')} to delete${released > 0 ? `, ${released} to release` : ''}.`
}

const counted = (count: number) => (count === 1 ? '1 resource is' : `${count} resources are`)
