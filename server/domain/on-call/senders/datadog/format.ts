import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { hashOf, identity, wholeBody } from '../reading/identity.ts'
import { type Fields, isObject, pairsOf } from '../reading/json.ts'
import { tagPairs } from '../reading/labels.ts'
import { type Rated, rate, unstatedSeverity } from '../reading/severity.ts'
import { quoted, textOf } from '../reading/text.ts'

/**
 * The body is a template that belongs to the customer, who names its fields. What is wanted is looked for under the
 * names that templates use, spelled in any way: `alert_transition`, `alertTransition`, or inside an object `alert`.
 */
const names = {
  title: ['title', 'eventtitle', 'alerttitle'],
  transition: ['alerttransition', 'transition'],
  type: ['alerttype'],
  priority: ['alertpriority'],
  // Of the event: normal or low. Templates call the monitor's so, too.
  eventPriority: ['priority'],
  aggregate: ['aggregkey', 'aggregate', 'aggregationkey'],
  monitor: ['alertid', 'monitorid'],
  cycle: ['alertcyclekey', 'cyclekey'],
  scope: ['alertscope', 'scope'],
  date: ['date', 'eventdate'],
  updated: ['lastupdated'],
  text: ['body', 'eventmsg', 'textonlymsg', 'message', 'msg'],
  tags: ['tags', 'eventtags'],
  host: ['hostname', 'host'],
  service: ['service'],
  environment: ['environment', 'env'],
  link: ['link', 'eventurl', 'url', 'alerturl'],
  snapshot: ['snapshot'],
  eventType: ['eventtype'],
} as const

export const format = objectFormat((body, delivered) => {
  const said = saidIn(body)
  const title = titleParts(said('title'))
  const status = statusOf(said('transition')) ?? statusOf(title.state) ?? statusOfType(said('type'))
  const date = said('date') || said('updated')
  // Not its id: a template may call anything that, such as the monitor's own, which all groups of it share.
  const deliveryId = wholeBody(delivered, said('updated'), said('date'))
  if (status === null)
    return makeReading({
      deliveryId,
      problem: `The event ${quoted(said('eventType') || said('title'))} tells neither of an alert nor of a recovery. Put $ALERT_TRANSITION into the payload of the webhook as \`alert_transition\`.`,
    })
  const scope = said('scope') || title.scope
  const fingerprint = fingerprintOf(said, title.name, scope)
  if (fingerprint === null)
    return makeReading({ deliveryId, problem: 'The body has neither `title`, `alert_id` nor `aggreg_key`.' })
  const tags = tagPairs(said('tags') || listUnder(body, names.tags))
  const alert = alertFrom({
    title: [title.name, said('title'), `Monitor ${said('monitor')}`],
    status,
    rated: ratedBy([said('priority'), said('eventPriority'), title.priority], said('type')),
    fingerprint,
    service: [said('service'), tags.get('service')],
    environment: [said('environment'), tags.get('env'), tags.get('environment')],
    // The marks around a text in Markdown.
    description: [said('text').replaceAll('%%%', '')],
    startedAt: status === 'firing' ? date : null,
    endedAt: status === 'resolved' ? date : null,
    occurredAt: said('updated') || date,
    labels: [
      ['monitor', said('monitor')],
      ['scope', scope],
      ['host', said('host')],
      ['event_type', said('eventType')],
      ...tags,
    ],
    links: [
      ['Event', said('link')],
      ['Monitor', monitorIn(said('text'))],
      ['Snapshot', said('snapshot')],
    ],
  })
  return makeReading({ alerts: [alert], test: title.test, deliveryId })
})

type Said = (name: keyof typeof names) => string

function saidIn(body: Fields): Said {
  const values = new Map<string, string>()
  for (const [key, value] of fieldsOf(body)) {
    const text = textOf(value).trim()
    if (!isBlank(text) && !values.has(key)) values.set(key, text)
  }
  return (name) => names[name].map((key) => values.get(key)).find((text) => text !== undefined) ?? ''
}

/** The fields themselves come before those inside objects. */
function* fieldsOf(body: Fields): Generator<readonly [string, unknown]> {
  for (const [key, value] of pairsOf(body)) yield [plain(key), value]
  for (const [key, value] of pairsOf(body)) {
    const outer = plain(key)
    if (!isObject(value) || !nestedIn.has(outer)) continue
    for (const [inner, nested] of pairsOf(value)) {
      yield [outer + plain(inner), nested]
      // An `id` alone does not say whose it is.
      if (plain(inner) !== 'id') yield [plain(inner), nested]
    }
  }
}

const nestedIn = new Set(['alert', 'event', 'monitor', 'payload', 'data', 'metadata'])
const knownKeys = new Set<string>(Object.values(names).flat())

const plain = (key: string) =>
  key
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')

function listUnder(body: Fields, keys: readonly string[]): unknown {
  for (const [key, value] of fieldsOf(body)) if (Array.isArray(value) && keys.includes(key)) return value
  return ''
}

/** A variable without a value arrives as nothing, as "null", as `$ITSELF` or as its bare name. */
const isBlank = (text: string) =>
  text === '' ||
  text === 'null' ||
  /^\$[A-Z_]{1,60}$/.test(text) ||
  (/^[A-Z_]{2,60}$/.test(text) && knownKeys.has(plain(text)))

interface Title {
  name: string
  state: string
  scope: string
  priority: string
  test: boolean
}

const prefixes =
  /^(?<test>\[TEST\]\s*(?=\[))?(?:\[(?<priority>P[1-5])\]\s*)?(?:\[(?<state>(?:Re-)?(?:Triggered|Warn|No Data)|Renotify|Recovered)(?: on \{(?<scope>[^}]*)\})?\]\s*)?(?<name>.*)$/is

/** `[P2] [Recovered on {host:a}] Disk is full`: the same monitor says the rest of its title each time. */
function titleParts(title: string): Title {
  const parts = prefixes.exec(title.slice(0, 4_000))?.groups ?? {}
  const { name = '', state = '', scope = '', priority = '', test = '' } = parts
  return { name, state, scope, priority, test: test !== '' }
}

const firing = ['triggered', 're-triggered', 'warn', 're-warn', 'no data', 're-no data', 'renotify']

function statusOf(transition: string): Alert['status'] | null {
  const word = transition.slice(0, 50).toLowerCase()
  if (word.startsWith('recovered')) return 'resolved'
  return firing.includes(word) ? 'firing' : null
}

function statusOfType(type: string): Alert['status'] | null {
  if (type === 'success') return 'resolved'
  return type === 'error' || type === 'warning' ? 'firing' : null
}

/** A person chose the monitor's priority; the type says little more than that it fired. */
function ratedBy(priorities: readonly string[], type: string): Rated {
  const priority = priorities.find((word) => /^P[1-5]$/i.test(word))
  return priority === undefined && type === 'success' ? unstatedSeverity : rate(priority, type)
}

/** Never the id of the event, which is new each time, nor the whole title, which holds the state. */
function fingerprintOf(said: Said, name: string, scope: string): string | null {
  if (said('aggregate') !== '') return identity(said('aggregate'))
  if (said('monitor') !== '') return identity(`monitor:${said('monitor')}:${scope}`)
  if (said('cycle') !== '') return identity(said('cycle'))
  return name === '' ? null : hashOf([name, scope])
}

const monitorIn = (text: string) =>
  /https:\/\/[\w.-]{1,100}\/monitors[/#]\d{1,20}[^\s()[\]"'<>]{0,1000}/.exec(text.slice(0, 50_000))?.[0]
