import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { readGroup } from '../reading/alert-group.ts'
import { identity } from '../reading/identity.ts'
import { at, type Fields, listAt, pairsOf } from '../reading/json.ts'
import type { Reading } from '../reading/reading.ts'
import { rate } from '../reading/severity.ts'
import { quoted, textOf } from '../reading/text.ts'

export const format = objectFormat((body) => {
  if (!Array.isArray(at(body, 'alerts'))) return readLegacy(body)
  const group = readGroup(body, {
    environments: ['environment', 'env', 'deployment_environment'],
    links: (alert) => [
      ['Source', at(alert, 'generatorURL')],
      ['Dashboard', at(alert, 'dashboardURL')],
      ['Panel', at(alert, 'panelURL')],
      ['Silence', at(alert, 'silenceURL')],
      ['Image', at(alert, 'imageURL')],
    ],
  })
  const alerts = listAt(body, 'alerts')
  return { ...group, test: alerts.length > 0 && alerts.every(isTest) }
})

/**
 * What the test button of a contact point sends. One match is enough, since a person can edit either before sending.
 */
const isTest = (alert: unknown) =>
  at(alert, 'labels', 'alertname') === 'TestAlert' &&
  (at(alert, 'labels', 'instance') === 'Grafana' ||
    at(alert, 'annotations', 'summary') === 'Notification test')

const legacyStatus = new Map<string, Alert['status']>([
  ['alerting', 'firing'],
  ['no_data', 'firing'],
  ['ok', 'resolved'],
])

/** Alerting as it was before 2021, one rule in a delivery. */
function readLegacy(body: Fields): Reading {
  const ruleId = identity(textOf(at(body, 'ruleId')))
  if (ruleId === '')
    return makeReading({
      problem:
        'The body has no list `alerts`. Let the contact point send its default payload, without a template.',
    })
  const state = textOf(at(body, 'state'))
  const status = legacyStatus.get(state)
  if (!status)
    return makeReading({ problem: `The rule went into the state ${quoted(state)}, which changes no alert.` })
  const alert = alertFrom({
    title: [at(body, 'ruleName'), at(body, 'title')],
    status,
    rated: rate(at(body, 'tags', 'severity'), at(body, 'tags', 'priority')),
    fingerprint: `rule:${ruleId}`,
    service: [at(body, 'tags', 'service')],
    environment: [at(body, 'tags', 'environment'), at(body, 'tags', 'env')],
    description: [at(body, 'message')],
    labels: pairsOf(at(body, 'tags')),
    links: [
      ['Source', at(body, 'ruleUrl')],
      ['Image', at(body, 'imageUrl')],
    ],
  })
  return makeReading({
    alerts: [alert],
    test: ruleId === '0' && at(body, 'ruleName') === 'Test notification',
  })
}
