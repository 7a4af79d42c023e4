/** What people are told about, and in which ways. No schema here: the app takes these values too. */
export const notificationKinds = [
  'decision',
  'incident',
  'run',
  'token',
  'webhook',
  'runner',
  'connection',
  'report',
  'suggestion',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** What a notification of a source that is refused is about: its page, which is one of a service's. */
export const sourceThing = ({ id, service }: { id: string; service: string | null }): string =>
  service === null ? 'services' : `services/${service}/sources/${id}`

/** The other way round: 'services' where no service has the source; null: it is about a connection. */
export function sourceOf(thing: string): { service: string; source: string } | 'services' | null {
  const [, service, source] = /^services\/([^/]+)\/sources\/([^/]+)$/.exec(thing) ?? []
  if (service && source) return { service, source }
  return thing === 'services' ? 'services' : null
}

export interface NotificationWays {
  inApp: boolean
  byMail: boolean
  /** To the browsers that the person has turned it on in. */
  byPush: boolean
}

/** As long as a person has chosen nothing else. */
export const notificationDefaults: Record<NotificationKind, NotificationWays> = {
  decision: { inApp: true, byMail: false, byPush: true },
  incident: { inApp: true, byMail: true, byPush: true },
  run: { inApp: true, byMail: false, byPush: false },
  token: { inApp: true, byMail: true, byPush: false },
  webhook: { inApp: true, byMail: true, byPush: false },
  runner: { inApp: true, byMail: true, byPush: false },
  connection: { inApp: true, byMail: true, byPush: false },
  report: { inApp: true, byMail: false, byPush: false },
  suggestion: { inApp: true, byMail: false, byPush: true },
}

/** When the night shift report is sent, and whether in a chat tool too. */
export interface ReportSettings {
  /** By the clocks of the time zone. */
  hour: number
  timeZone: string
  byChat: boolean
}

export const reportDefaults: ReportSettings = { hour: 7, timeZone: 'UTC', byChat: false }
