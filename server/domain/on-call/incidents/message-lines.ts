import { moment, plainLine } from '../../plain-text.ts'
import type { IncidentSummary } from './store.ts'

/** What every message about an incident says, line by line. */

/** Mostly the address of the app, known once the server listens. */
export interface Links {
  publicUrl: () => string
}

export const linkTo = (
  { workspace, key }: Pick<IncidentSummary, 'workspace' | 'key'>,
  { publicUrl }: Links,
) => `${publicUrl()}/${workspace}/incidents/${key}`

export const aboutLine = (incident: IncidentSummary): string =>
  `Service ${plainLine(incident.service)}, severity ${incident.severity}${incident.assignee ? `, taken by ${plainLine(incident.assignee, 100)}` : ''}.`

export const timeLine = ({ openedAt, resolvedAt }: IncidentSummary): string =>
  `Opened ${moment(openedAt)}${resolvedAt ? `, resolved ${moment(resolvedAt)}` : ''}.`

/** Who resolved it, where it was a person, and why. */
export const resolutionLines = ({ resolution }: IncidentSummary): string[] =>
  resolution ? [`Resolved by ${plainLine(resolution.by, 100)}: ${plainLine(resolution.reason, 1_000)}`] : []

export function alertLines({ alerts, alertCount }: IncidentSummary): string[] {
  if (alerts.length === 0) return []
  const more = alertCount - alerts.length
  return [
    'Alerts:',
    ...alerts.map(({ title }) => `- ${plainLine(title)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}
