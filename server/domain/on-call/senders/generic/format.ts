import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat, problemFrom } from '../reading/alert.ts'
import { digestOf, hashOfPairs, identity } from '../reading/identity.ts'
import { at, type Fields, isObject, listAt, pairsOf } from '../reading/json.ts'
import type { Pair } from '../reading/labels.ts'
import { webAddress } from '../reading/links.ts'
import type { ReadAlert, Reading } from '../reading/reading.ts'
import { rate } from '../reading/severity.ts'
import { hasText, quoted, textOf } from '../reading/text.ts'
import { instant, looksLikeTime } from '../reading/times.ts'

/** One alert, or several under `alerts`. Fields that are not known are left to the sender. */
export const format = objectFormat((body, { headers, body: bytes }) => {
  // The time is signed together with the body, so sending both again repeats the same delivery.
  const sentAt = textOf(headers['x-service-timestamp'])
  return { ...readBody(body), deliveryId: sentAt === '' ? null : `at:${digestOf(sentAt, '.', bytes)}` }
})

function readBody(body: Fields): Reading {
  const several = at(body, 'alerts') ?? null
  if (several !== null && !Array.isArray(several))
    return makeReading({
      problem: '`alerts` must be a list of alerts. For a single alert, send its fields without it.',
    })
  if (several?.length === 0)
    return makeReading({ problem: '`alerts` is empty. Send at least one alert with a `title`.' })
  const alerts: ReadAlert[] = []
  const faults: string[] = []
  for (const [position, given] of (several ?? [body]).entries()) {
    const found = faultsOf(given, several === null ? '' : `alerts[${position}].`)
    for (const fault of found.refused) faults.push(fault)
    for (const fault of found.leftOut) faults.push(fault)
    if (found.refused.length === 0) alerts.push(readAlert(given))
  }
  return makeReading({ alerts, problem: problemFrom(faults) })
}

/** What makes an alert unusable, and what is merely left out of it. */
interface Faults {
  refused: string[]
  leftOut: string[]
}

/** Its senders are people's own scripts, so each mistake is named with its remedy. */
function faultsOf(alert: unknown, where: string): Faults {
  if (!isObject(alert))
    return {
      refused: [`\`${where.slice(0, -1)}\` must be an object with at least a \`title\`.`],
      leftOut: [],
    }
  const refused: string[] = []
  for (const [name, check] of Object.entries(rules)) {
    const complaint = check(at(alert, name) ?? null)
    if (complaint !== null) refused.push(`\`${where}${name}\` ${complaint}`)
  }
  const leftOut = [...impossibleTimes(alert, where), ...unusableLinks(alert, where)]
  return { refused, leftOut: refused.length > 0 ? [] : leftOut }
}

/** A complaint about a value, or null. A field that is null is one that was not given. */
type Check = (value: unknown) => string | null

const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)

const text: Check = (value) => (isScalar(value) ? null : 'must be text.')

const time: Check = (value) =>
  value === null || value === '' || instant(value) !== null || isZeroTime(value) || looksLikeTime(value)
    ? null
    : 'is not a time. Write it like 2030-01-31T09:30:00Z.'

/** Programs write the zero of their clock for "not yet". */
const isZeroTime = (value: unknown) => value === 0 || /^(0001|1970)-01-01T/.test(textOf(value))

const rules: Record<string, Check> = dictionary({
  title: (value) => {
    if (value === null) return 'is missing. Give the alert a title: a short description of what is wrong.'
    if (typeof value !== 'string') return 'must be text.'
    return hasText(value) ? null : 'is empty. Give the alert a title: a short description of what is wrong.'
  },
  status: (value) =>
    value === null || statusOf(value) !== null
      ? null
      : `is ${isScalar(value) ? quoted(value) : 'not text'}. It must be firing or resolved; without it, the alert is firing.`,
  fingerprint: text,
  id: text,
  severity: text,
  service: text,
  environment: text,
  description: text,
  startedAt: time,
  endedAt: time,
  labels: (value) =>
    value === null || isObject(value) ? null : 'must be an object of text values, like {"region": "eu-1"}.',
  links: (value) => {
    if (value === null) return null
    const isList =
      Array.isArray(value) && value.every((link) => isObject(link) && typeof at(link, 'url') === 'string')
    return isList ? null : 'must be a list of objects like {"label": "Dashboard", "url": "https://…"}.'
  },
})

const impossibleTimes = (alert: unknown, where: string): string[] =>
  ['startedAt', 'endedAt']
    .filter((name) => {
      const value = at(alert, name)
      return looksLikeTime(value) && instant(value) === null && !isZeroTime(value)
    })
    .map((name) => `\`${where}${name}\` is a time that cannot be; it was left out.`)

function unusableLinks(alert: unknown, where: string): string[] {
  const position = listAt(alert, 'links').findIndex((link) => webAddress(at(link, 'url')) === null)
  if (position === -1) return []
  return [
    `\`${where}links[${position}].url\` is not an http or https address that can be stored; the link was left out.`,
  ]
}

function readAlert(alert: unknown): ReadAlert {
  const status = statusOf(at(alert, 'status')) ?? 'firing'
  const [startedAt, endedAt] = [at(alert, 'startedAt'), at(alert, 'endedAt')]
  return alertFrom({
    title: [at(alert, 'title')],
    status,
    rated: rate(at(alert, 'severity')),
    fingerprint: fingerprintOf(alert),
    service: [at(alert, 'service')],
    environment: [at(alert, 'environment')],
    description: [at(alert, 'description')],
    startedAt,
    endedAt,
    occurredAt: status === 'firing' ? startedAt : endedAt,
    labels: pairsOf(at(alert, 'labels')),
    links: listAt(alert, 'links').map((link): Pair => [textOf(at(link, 'label')), at(link, 'url')]),
  })
}

function statusOf(value: unknown): Alert['status'] | null {
  const status = textOf(value).slice(0, 20).trim().toLowerCase()
  return status === 'firing' || status === 'resolved' ? status : null
}

function fingerprintOf(alert: unknown): string {
  const given = identity(textOf(at(alert, 'fingerprint'))) || identity(textOf(at(alert, 'id')))
  if (given !== '') return given
  const labels = [...pairsOf(at(alert, 'labels'))].map(([key, value]) => [key, textOf(value)] as const)
  return hashOfPairs(textOf(at(alert, 'title')), labels)
}
