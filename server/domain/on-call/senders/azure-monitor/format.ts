import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { identity, wholeBody } from '../reading/identity.ts'
import { at, type Fields, isObject, listAt, pairsOf } from '../reading/json.ts'
import type { Pair } from '../reading/labels.ts'
import type { ReadAlert, Reading } from '../reading/reading.ts'
import { hasText, quoted, textOf } from '../reading/text.ts'
import { rate } from './severity.ts'

export const format = objectFormat((body, delivered) => {
  const data = at(body, 'data')
  const times = [
    at(data, 'essentials', 'firedDateTime'),
    at(data, 'context', 'timestamp'),
    at(body, 'context', 'timestamp'),
    at(data, 'context', 'activityLog', 'eventTimestamp'),
    searchedUntil(data),
  ]
  return { ...readBody(body), deliveryId: wholeBody(delivered, ...times) }
})

function readBody(body: Fields): Reading {
  const data = at(body, 'data')
  if (isObject(at(data, 'essentials'))) return readCommon(data)
  // Before there was a common schema, each kind had a shape of its own, and classic metric alerts no envelope.
  if (isObject(at(data, 'context', 'condition'))) return readMetric(data)
  if (isObject(at(body, 'context', 'condition'))) return readMetric(body)
  if (isObject(at(data, 'context', 'activityLog'))) return readActivity(data)
  if (hasText(at(data, 'AlertRuleName'))) return readSearch(data)
  return makeReading({
    problem:
      'The body does not follow the common alert schema. Turn "common alert schema" on for the webhook of the action group.',
  })
}

function readCommon(data: unknown): Reading {
  const essentials = at(data, 'essentials')
  const context = at(data, 'alertContext')
  const condition = textOf(at(essentials, 'monitorCondition'))
  const fingerprint = fingerprintOf(essentials, context)
  const status = statusOf(condition, context)
  if (fingerprint === '') return makeReading({ problem: 'The body has no `data.essentials.alertId`.' })
  if (status === null)
    return makeReading({ problem: `The condition ${quoted(condition)} is neither Fired nor Resolved.` })
  const alert = commonAlert(data, fingerprint, status)
  return makeReading({ alerts: [alert], test: isTest(essentials, context) })
}

function commonAlert(data: unknown, fingerprint: string, status: Alert['status']): ReadAlert {
  const essentials = at(data, 'essentials')
  const context = at(data, 'alertContext')
  const custom = [at(data, 'customProperties'), at(context, 'properties')]
  const firedAt = at(essentials, 'firedDateTime')
  // The recovery of a resource is an alert that fires.
  const isOver = status === 'resolved' && isResourceHealth(context)
  const startedAt = serviceHealth(context, 'impactStartTime') ?? (isOver ? null : firedAt)
  const endedAt =
    at(essentials, 'resolvedDateTime') ??
    serviceHealth(context, 'impactMitigationTime') ??
    (isOver ? firedAt : null)
  return alertFrom({
    title: [
      at(essentials, 'alertRule'),
      at(essentials, 'description'),
      at(context, 'AlertData', 'BudgetName'),
      'Azure Monitor alert',
    ],
    status,
    rated: rate(at(essentials, 'severity')),
    fingerprint,
    service: [
      at(data, 'customProperties', 'service'),
      at(essentials, 'configurationItems', 0),
      serviceHealth(context, 'service'),
      resourceIn(at(essentials, 'alertTargetIDs', 0)),
    ],
    environment: custom.flatMap((properties) => [at(properties, 'environment'), at(properties, 'env')]),
    description: [at(essentials, 'description')],
    startedAt,
    endedAt: status === 'resolved' ? endedAt : null,
    occurredAt: status === 'resolved' ? endedAt : firedAt,
    labels: [
      ['signal_type', at(essentials, 'signalType')],
      ['monitoring_service', at(essentials, 'monitoringService')],
      ['resource_group', at(essentials, 'targetResourceGroup')],
      ['resource_type', at(essentials, 'targetResourceType')],
      ...dimensionsOf(at(context, 'condition')),
      ...pairsOf(at(data, 'customProperties')),
      ...pairsOf(at(context, 'properties')),
    ],
    links: [
      ['Azure portal', portalAddress(at(essentials, 'alertId'))],
      ['Investigate', at(essentials, 'investigationLink')],
      ['Search results', firstCondition(context, 'linkToFilteredSearchResultsUI')],
      ['Search results', firstCondition(context, 'linkToSearchResultsUI')],
    ],
  })
}

/** Azure changes the case of its ids from one message to the next. */
const idOf = (value: unknown) => textOf(value).toLowerCase()

function fingerprintOf(essentials: unknown, context: unknown): string {
  const incident = idOf(serviceHealth(context, 'trackingId'))
  if (incident !== '') return identity(`service-health:${incident}`)
  const resource = isResourceHealth(context) ? idOf(at(essentials, 'alertTargetIDs', 0)) : ''
  if (resource !== '') return identity(`resource-health:${resource}`)
  const alertId = idOf(at(essentials, 'alertId'))
  const isActivity = /activity ?log/i.test(textOf(at(essentials, 'signalType')))
  // There, the alert's id may be that of its rule.
  const origin = isActivity ? idOf(at(essentials, 'originAlertId')) : ''
  return identity(origin === '' ? alertId : `${alertId}:${origin}`)
}

const serviceHealth = (context: unknown, name: string) => {
  const isHealth = /^Microsoft\.ServiceHealth\//i.test(textOf(at(context, 'operationName')))
  return isHealth ? at(context, 'properties', name) : undefined
}

/** Each change of a resource's health is an alert of its own, with ids of its own; what they share is the resource. */
const isResourceHealth = (context: unknown) =>
  /^Microsoft\.ResourceHealth\/healthevent\//i.test(textOf(at(context, 'operationName')))

/** A recovery of the cloud itself still says Fired; only its context says that it is a recovery. */
function statusOf(condition: string, context: unknown): Alert['status'] | null {
  const stages = [serviceHealth(context, 'stage'), serviceHealth(context, 'stage') && at(context, 'status')]
  if (stages.some((stage) => /^(resolved|rca|complete|canceled)$/i.test(textOf(stage)))) return 'resolved'
  if (isResourceHealth(context) && /\/Resolved\/action$/i.test(textOf(at(context, 'operationName'))))
    return 'resolved'
  if (/^(fired|activated)$/i.test(condition)) return 'firing'
  return /^(resolved|deactivated)$/i.test(condition) ? 'resolved' : null
}

/** "Test action group" sends realistic bodies; these are what gives them away. */
function isTest(essentials: unknown, context: unknown): boolean {
  const isSample =
    /^test-/i.test(textOf(at(essentials, 'alertRule'))) && /^sev4$/i.test(textOf(at(essentials, 'severity')))
  return (
    isSample ||
    /\/Test_Alert$/i.test(textOf(at(essentials, 'alertId'))) ||
    /^Delivery Confirmation\b/.test(textOf(at(essentials, 'description'))) ||
    /^true$/i.test(textOf(serviceHealth(context, 'IsSynthetic')))
  )
}

function readMetric(data: unknown): Reading {
  const context = at(data, 'context')
  const status = statusOf(textOf(at(data, 'status')), undefined)
  const rule = idOf(at(context, 'id')) || idOf(at(context, 'name'))
  if (rule === '') return makeReading({ problem: 'The body has neither `context.id` nor `context.name`.' })
  if (status === null)
    return makeReading({
      problem: `The status ${quoted(at(data, 'status'))} is neither Activated nor Deactivated.`,
    })
  const dimensions = dimensionsOf(at(context, 'condition'))
  const time = at(context, 'timestamp')
  const resolved = status === 'resolved'
  const fingerprint = identity([rule, idOf(at(context, 'resourceId')), ...dimensions.map(idOfPair)].join('|'))
  const alert = alertFrom({
    title: [at(context, 'name'), at(context, 'description'), rule],
    status,
    rated: rate(at(context, 'severity')),
    fingerprint,
    service: [at(data, 'properties', 'service'), at(context, 'resourceName')],
    environment: [at(data, 'properties', 'environment'), at(data, 'properties', 'env')],
    description: [at(context, 'description')],
    startedAt: resolved ? null : time,
    endedAt: resolved ? time : null,
    occurredAt: time,
    labels: [
      ['resource_group', at(context, 'resourceGroupName')],
      ['resource_type', at(context, 'resourceType')],
      ...dimensions,
      ...pairsOf(at(data, 'properties')),
    ],
    links: [['Azure portal', at(context, 'portalLink')]],
  })
  return makeReading({ alerts: [alert] })
}

/** An event of the activity log. Nothing but health ever recovers, so each of the others is an alert of its own. */
function readActivity(data: unknown): Reading {
  const event = at(data, 'context', 'activityLog')
  const status = statusOf(textOf(at(data, 'status')), event)
  const resource = idOf(at(event, 'resourceId'))
  const incident = idOf(serviceHealth(event, 'trackingId'))
  const id = incident || (isResourceHealth(event) ? resource : idOf(at(event, 'eventDataId')))
  if (id === '') return makeReading({ problem: 'The body has no `data.context.activityLog.eventDataId`.' })
  if (status === null)
    return makeReading({ problem: `The status ${quoted(at(data, 'status'))} is not Activated.` })
  const kind = incident ? 'service-health' : isResourceHealth(event) ? 'resource-health' : 'activity'
  const time = at(event, 'eventTimestamp')
  const resolved = status === 'resolved'
  const alert = alertFrom({
    title: [
      at(data, 'properties', 'alertName'),
      at(event, 'properties', 'title'),
      at(event, 'operationName'),
      'Azure activity log alert',
    ],
    status,
    rated: rate(at(data, 'properties', 'severity'), at(event, 'level')),
    fingerprint: identity(`${kind}:${id}`),
    service: [
      at(data, 'properties', 'service'),
      serviceHealth(event, 'service'),
      resourceIn(at(event, 'resourceId')),
    ],
    environment: [at(data, 'properties', 'environment'), at(data, 'properties', 'env')],
    description: [at(event, 'description')],
    startedAt: resolved ? null : time,
    endedAt: resolved ? time : null,
    occurredAt: time,
    labels: [
      ['operation', at(event, 'operationName')],
      ['resource_group', at(event, 'resourceGroupName')],
      ['resource_type', at(event, 'resourceType')],
      ['event_status', at(event, 'status')],
      ...pairsOf(at(data, 'properties')),
    ],
  })
  return makeReading({ alerts: [alert] })
}

/** A log alert of the first version: a search that found too much. It fires at each search and never recovers. */
function readSearch(data: unknown): Reading {
  const rule = textOf(at(data, 'AlertRuleName'))
  const dimensions = listAt(data, 'Dimensions').map(pairIn)
  const place = idOf(at(data, 'SubscriptionId'))
  const alert = alertFrom({
    title: [rule],
    status: 'firing',
    rated: rate(at(data, 'Severity')),
    fingerprint: identity(['search', place, rule.toLowerCase(), ...dimensions.map(idOfPair)].join('|')),
    description: [at(data, 'Description')],
    startedAt: searchedUntil(data),
    occurredAt: searchedUntil(data),
    labels: [
      ['query', at(data, 'SearchQuery')],
      ['results', at(data, 'ResultCount')],
      ['threshold', at(data, 'AlertThresholdValue')],
      ...dimensions,
    ],
    links: [
      ['Search results', at(data, 'LinkToFilteredSearchResultsUI')],
      ['Search results', at(data, 'LinkToSearchResults')],
    ],
  })
  return makeReading({ alerts: [alert] })
}

/** Azure spells it both ways. */
const searchedUntil = (data: unknown) =>
  at(data, 'SearchIntervalEndtimeUtc') ?? at(data, 'SearchIntervalEndTimeUtc')

const dimensionsOf = (condition: unknown): Pair[] =>
  listAt(condition, 'allOf')
    .flatMap((part) => listAt(part, 'dimensions'))
    .map(pairIn)

const pairIn = (dimension: unknown): Pair => [textOf(at(dimension, 'name')), at(dimension, 'value')]

const idOfPair = ([name, value]: Pair) => `${name}=${textOf(value)}`.toLowerCase()

const firstCondition = (context: unknown, name: string) => at(context, 'condition', 'allOf', 0, name)

/** The name of a resource is the end of its id; a whole subscription has none. */
const resourceIn = (id: unknown) => /\/providers\/.*\/([^/]+)$/i.exec(textOf(id).slice(0, 2_000))?.[1]

function portalAddress(alertId: unknown): string {
  const id = textOf(alertId).slice(0, 1_000).toWellFormed()
  if (!/^\/subscriptions\//i.test(id)) return ''
  const blade = 'https://portal.azure.com/#blade/Microsoft_Azure_Monitoring/AlertDetailsTemplateBlade/alertId'
  return `${blade}/${encodeURIComponent(id)}`
}
