import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SenderKind, type Severity, senderKinds } from '@signalbox/contract/signal.ts'
import { rate as azureMonitor } from './azure-monitor/severity.ts'
import { rate as opsgenie } from './opsgenie/severity.ts'
import { rate as pagerduty } from './pagerduty/severity.ts'
import { rate, severityTagged } from './reading/severity.ts'
import { rate as sentry } from './sentry/severity.ts'
import { rate as statuspage } from './statuspage/severity.ts'

/** Of the senders that have words of their own. */
const rates: Partial<Record<SenderKind, typeof rate>> = {
  azure_monitor: azureMonitor,
  ...{ opsgenie, pagerduty, sentry, statuspage },
}

/** The levels of the tools and what they mean, for every sender but those below. */
const levels: Record<Severity, string[]> = {
  critical: [
    'critical',
    'CRITICAL',
    'P1',
    'p1',
    'SEV1',
    'sev1',
    'major outage',
    'major_outage',
    'Major Outage',
  ],
  high: ['high', 'HIGH', 'error', 'Error', 'P2', 'partial outage', 'partial_outage'],
  medium: [
    'medium',
    'warning',
    'WARNING',
    'P3',
    'degraded performance',
    'degraded_performance',
    'unheard of',
  ],
  low: ['low', 'LOW', 'minor', 'P4'],
  info: ['info', 'INFO', 'P5', 'maintenance'],
}

/** Where a sender's word means something else, or only this sender uses it. */
const own: Partial<Record<SenderKind, Record<string, Severity>>> = {
  pagerduty: { 'SEV-1': 'critical', 'Sev 1': 'critical', SEV2: 'medium', 'SEV-2': 'medium' },
  sentry: { fatal: 'critical', debug: 'info', log: 'medium' },
  opsgenie: { 1: 'critical', 2: 'high', 3: 'medium', 4: 'low', 5: 'info', P0: 'medium' },
  azure_monitor: {
    ...{
      Sev0: 'critical',
      Sev1: 'high',
      SEV1: 'high',
      sev1: 'high',
      Sev2: 'medium',
      Sev3: 'low',
      Sev4: 'info',
    },
    ...{ 0: 'critical', 1: 'high', 2: 'medium', 3: 'low', 4: 'info', Sev5: 'medium' },
  },
  statuspage: { major: 'high', none: 'info', under_maintenance: 'info' },
}

for (const kind of senderKinds) {
  test(`the levels of ${kind} become the five severities`, () => {
    const expected: Record<string, Severity> = {}
    for (const [severity, words] of Object.entries(levels))
      for (const word of words) expected[word] = severity as Severity
    for (const [word, severity] of Object.entries({ ...expected, ...own[kind] }))
      assert.deepEqual((rates[kind] ?? rate)(word), { severity, severityGiven: true }, word)
  })
}

test('a word that only one sender uses is unknown, and so medium, from another', () => {
  for (const word of [
    'fatal',
    'debug',
    'major',
    'none',
    'SEV-1',
    'Sev0',
    'Sev4',
    '1',
    'page',
    'informational',
  ])
    assert.equal(rate(word).severity, 'medium', word)
})

test('the first level given counts; none given is medium, and known as not said', () => {
  assert.deepEqual(pagerduty(null, '', 'low'), { severity: 'low', severityGiven: true })
  assert.deepEqual(opsgenie(2), { severity: 'high', severityGiven: true })
  for (const nothing of [undefined, null, '', ' ', {}, [], true])
    assert.deepEqual(rate(nothing), { severity: 'medium', severityGiven: false })
})

test('a word that is not known does not end the search', () => {
  assert.equal(rate('P1 - Critical').severity, 'critical')
  assert.equal(rate('2 – High (paging)').severity, 'high')
  assert.equal(rate('Severity: partial outage').severity, 'high')
  assert.equal(rate('page', 'P4').severity, 'low')
  assert.deepEqual(pagerduty('SEV2', 'high'), { severity: 'high', severityGiven: true })
  assert.equal(pagerduty('Sev 1: everything').severity, 'critical')
  assert.equal(azureMonitor('Sev 3').severity, 'low')
  assert.deepEqual(rate('page', 'unheard of'), { severity: 'medium', severityGiven: true })
  // A number within words may count anything.
  assert.equal(opsgenie('tier 1').severity, 'medium')
})

test('words that every object knows are no levels', () => {
  for (const word of ['constructor', '__proto__', 'toString'])
    assert.equal(rate(word).severity, 'medium', word)
})

test('a tag in the description of an alarm may be any level; the worst counts, other brackets do not', () => {
  const tagged = (text: string) => severityTagged(text)
  assert.equal(tagged('[critical] Router fails'), 'critical')
  assert.equal(tagged('Router fails [Critical]'), 'critical')
  assert.equal(tagged('[prod] [P4] Router fails'), 'low')
  assert.equal(tagged('[low] at first, [critical] in the end'), 'critical')
  assert.equal(tagged('[SEV1]'), 'critical')
  assert.equal(tagged('[prod] Router fails, critical'), null)
  assert.equal(tagged('['.repeat(100_000)), null)
})
