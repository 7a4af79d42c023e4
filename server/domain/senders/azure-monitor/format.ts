import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, objectFormat, readingWith } from '../reading/alert.ts'
import { identity, wholeBody } from '../reading/identity.ts'
import { at, type Fields, isObject, listAt, pairsOf } from '../reading/json.ts'
import type { Pair } from '../reading/labels.ts'
import type { ReadAlert, Reading } from '../reading/reading.ts'
import { quoted, textOf } from '../reading/text.ts'
import { rate } from './severity.ts'

export const format = objectFormat((body, delivered) => {
  const essentials = at(body, 'data', 'essentials')
  const times = [
    at(essentials, 'resolvedDateTime'),
    at(essentials, 'firedDateTime'),
    at(body, 'data', 'context', 'timestamp'),
    at(body, 'context', 'timestamp'),
  ]
  return { ...readBody(body), deliveryId: wholeBody(delivered, ...times) }
})

function readBody(body: Fields): Reading {
  const data = at(body, 'data')
  if (isObject(at(data, 'essentials'))) return readCommon(data)
  // Metric alerts came in this shape, and classic ones without an envelope, before there was a common schema.
  if (isObject(at(data, 'context', 'condition'))) return readMetric(data)
  if (isObject(at(body, 'context', 'condition'))) return readMetric(body)
  return readingWith({
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
  if (fingerprint === '') return readingWith({ problem: 'The body has no `data.essentials.alertId`.' })
  if (status === null)
    return readingWith({ problem: `The condition ${quoted(condition)} is neither Fired nor Resolved.` })
  const alert = commonAlert(data, fingerprint, status)
  return readingWith({ alerts: [alert], test: isTest(essentials, context) })
}

function commonAlert(data: unknown, fingerprint: string, status: Alert['status']): ReadAlert {
  const essentials = at(data, 'essentials')
  const context = at(data, 'alertContext')
  const custom = [at(data, 'customProperties'), at(context, 'properties')]
  const startedAt = serviceHealth(context, 'impactStartTime') ?? at(essentials, 'firedDateTime')
  const endedAt = at(essentials, 'resolvedDateTime') ?? serviceHealth(context, 'impactMitigationTime')
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
    description: at(essentials, 'description'),
    startedAt,
    endedAt: status === 'resolved' ? endedAt : null,
    occurredAt: status === 'resolved' ? endedAt : at(essentials, 'firedDateTime'),
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
  const alertId = idOf(at(essentials, 'alertId'))
  const isActivity = /activity ?log/i.test(textOf(at(essentials, 'signalType')))
  // There, the alert's id may be that of its rule.
  const origin = isActivity ? idOf(at(essentials, 'originAlertId')) : ''
  return identity(origin === '' ? alertId : `${alertId}:${origin}`)
}

const serviceHealth = (context: unknown, name: string) => {
  const isHealth = textOf(at(context, 'operationName')).startsWith('Microsoft.ServiceHealth/')
  return isHealth ? at(context, 'properties', name) : undefined
}

/** A recovery of the cloud itself still says Fired; that it is one stands in the context. */
function statusOf(condition: string, context: unknown): Alert['status'] | null {
  const stages = [serviceHealth(context, 'stage'), serviceHealth(context, 'stage') && at(context, 'status')]
  if (stages.some((stage) => /^(resolved|rca|complete|canceled)$/i.test(textOf(stage)))) return 'resolved'
  if (/^(fired|activated)$/i.test(condition)) return 'firing'
  return /^(resolved|deactivated)$/i.test(condition) ? 'resolved' : null
}

/** "Test action group" sends realistic bodies; these are what gives them away. */
function isTest(essentials: unknown, context: unknown): boolean {
  const isSample =
    /^test-/i.test(textOf(at(essentials, 'alertRule'))) && /^sev4$/i.test(textOf(at(essentials, 'severity')))
  return (
    isSample ||
    /^Delivery Confirmation\b/.test(textOf(at(essentials, 'description'))) ||
    /^true$/i.test(textOf(serviceHealth(context, 'IsSynthetic')))
  )
}

function readMetric(data: unknown): Reading {
  const context = at(data, 'context')
  const status = statusOf(textOf(at(data, 'status')), undefined)
  const rule = idOf(at(context, 'id')) || idOf(at(context, 'name'))
  if (rule === '') return readingWith({ problem: 'The body has neither `context.id` nor `context.name`.' })
  if (status === null)
    return readingWith({
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
    description: at(context, 'description'),
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
  return readingWith({ alerts: [alert] })
}

function dimensionsOf(condition: unknown): Pair[] {
  return listAt(condition, 'allOf')
    .slice(0, 100)
    .flatMap((part) => listAt(part, 'dimensions').slice(0, 100))
    .map((dimension) => [textOf(at(dimension, 'name')), at(dimension, 'value')] as const)
}

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
