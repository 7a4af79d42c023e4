import { repositoryAddressIn } from '@signalbox/contract/address.ts'
import { maxRepositories } from '@signalbox/contract/limits.ts'
import { type OnCallSettings, type Repository, weekdays } from '@signalbox/contract/service.ts'
import { severities } from '@signalbox/contract/signal.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { DomainError } from '../../errors.ts'
import { isTimeZone } from '../../wall-clock.ts'

export const defaultSettings: OnCallSettings = {
  observeOnly: false,
  startFixes: false,
  updateAlerts: false,
  lowestSeverity: 'high',
  hours: null,
  notify: [],
  places: null,
}

const time = /^([01]\d|2[0-3]):[0-5]\d$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Settings as they can be kept: every field of its kind, lists without repetition. */
export function checkedSettings(settings: OnCallSettings): OnCallSettings {
  for (const name of ['observeOnly', 'startFixes', 'updateAlerts'] as const) {
    if (typeof settings[name] !== 'boolean') throw invalid(`${name} must be true or false`)
  }
  if (!severities.includes(settings.lowestSeverity))
    throw invalid(`lowestSeverity must be one of ${severities.join(', ')}`)
  for (const name of ['notify', 'places'] as const) {
    if (settings[name]?.some((id) => !uuid.test(id))) throw invalid(`${name} must be a list of ids`)
  }
  return {
    ...settings,
    hours: settings.hours && checkedHours(settings.hours),
    notify: [...new Set(settings.notify)].sort(),
    places: settings.places && [...new Set(settings.places)].sort(),
  }
}

function checkedHours(hours: NonNullable<OnCallSettings['hours']>): typeof hours {
  const days = weekdays.filter((day) => hours.days.includes(day))
  if (days.length === 0 || days.length !== new Set(hours.days).size)
    throw invalid(`hours.days must name at least one of ${weekdays.join(', ')}`)
  for (const name of ['start', 'end'] as const) {
    if (!time.test(hours[name])) throw invalid(`hours.${name} must be a time from 00:00 to 23:59`)
  }
  if (!isTimeZone(hours.timeZone)) throw invalid('hours.timeZone must be a name like Europe/Oslo')
  return { days, start: hours.start, end: hours.end, timeZone: hours.timeZone }
}

export function checkedRepositories(repositories: Repository[]): Repository[] {
  if (repositories.length > maxRepositories) throw invalid(`repositories can be ${maxRepositories} at most`)
  return repositories.map(({ url, path }) => {
    // Every member reads it, and the log keeps it. The name in ssh://git@… is no secret.
    if (/^https?:\/\/[^/]*@|^\w+:\/\/[^/@:]*:[^/]*@/.test(url))
      throw invalid(
        'the url of a repository must not contain a password or a token; ask the server operator to give Git access instead',
      )
    if (url.length > 500 || !repositoryAddressIn(url))
      throw invalid(
        'the url of a repository must be an address that git can clone, plainly written, such as https://git.example.com/shop.git',
      )
    return { url, path: trimEnd(path, '/').replace(/^\/+/, '') }
  })
}

export const invalid = (complaint: string) =>
  new DomainError('invalid_request', `The service is not valid: ${complaint}.`)
