import { moment, plainLine } from '../plain-text.ts'
import type { ToldIncident } from './store.ts'

/** What every message about an incident says, line by line. */

/** Mostly the address of the app, known once the server listens. */
export interface Links {
  publicUrl: () => string
}

export const linkTo = ({ workspace, key }: Pick<ToldIncident, 'workspace' | 'key'>, { publicUrl }: Links) =>
  `${publicUrl()}/${workspace}/incidents/${key}`

export const aboutLine = (incident: ToldIncident): string =>
  `Service ${plainLine(incident.service)}, severity ${incident.severity}.`

export const timeLine = ({ openedAt, resolvedAt }: ToldIncident): string =>
  `Opened ${moment(openedAt)}${resolvedAt ? `, resolved ${moment(resolvedAt)}` : ''}.`

export function alertLines({ alerts, alertCount }: ToldIncident): string[] {
  if (alerts.length === 0) return []
  const more = alertCount - alerts.length
  return [
    'Alerts:',
    ...alerts.map(({ title }) => `- ${plainLine(title)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}
