import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import type { SenderKind } from '@signalbox/contract/signal.ts'
import { statusFor } from '../signals/acceptance.ts'
import { senders } from './index.ts'
import type { ReadAlert, Reading } from './reading/reading.ts'

/**
 * Holds recorded bodies against what is expected of them. SIGNALBOX_PAYLOADS names a folder with one folder per sender,
 * each with `case.json` and `case.expect.json`.
 */
const folder = process.env.SIGNALBOX_PAYLOADS

interface ExpectedAlert {
  title: string
  title_any_of?: string[]
  title_contains?: string
  status: string
  status_any_of?: string[]
  severity: string | null
  severity_any_of?: string[]
  fingerprint_stable_with: string | null
  service?: string
  startedAt?: string
  link_contains?: string
  link_absent?: string
  environment?: string
  endedAt?: string | null
}

interface Expected {
  http: number | number[]
  headers?: Record<string, string>
  alerts: ExpectedAlert[]
  alerts_optional?: boolean
  opens_incident?: boolean
  test?: boolean
  confirms_subscription?: boolean
  ambiguous?: string
}

const kindOf = (name: string) => name.replace('-sns', '').replace('-', '_') as SenderKind

function expectationOf(file: string): Expected {
  return JSON.parse(readFileSync(file.replace(/\.json$/, '.expect.json'), 'utf8'))
}

function readingOf(kind: SenderKind, file: string): Reading {
  const given = Object.entries(expectationOf(file).headers ?? {})
  const headers = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]))
  return senders[kind].format({ body: readFileSync(file), headers, query: {} })
}

/** A test, an update of what is known, and a recovery open nothing, whatever the threshold. */
const opensNothing = ({ alerts, test }: Reading) =>
  test || alerts.every((alert) => alert.updateOnly || alert.status === 'resolved')

function holds(alert: ReadAlert, expected: ExpectedAlert, file: string, kind: SenderKind) {
  if (expected.title_contains) assert.ok(alert.title.includes(expected.title_contains), alert.title)
  else assert.ok([expected.title, ...(expected.title_any_of ?? [])].includes(alert.title), alert.title)
  assert.ok([expected.status, ...(expected.status_any_of ?? [])].includes(alert.status), alert.status)
  if (expected.severity !== null)
    assert.ok(
      [expected.severity, ...(expected.severity_any_of ?? [])].includes(alert.severity),
      alert.severity,
    )
  if (expected.service !== undefined) assert.equal(alert.service, expected.service)
  if (expected.startedAt !== undefined) assert.equal(alert.startedAt, expected.startedAt)
  const { link_contains: there, link_absent: absent } = expected
  if (there) assert.ok(alert.links.some(({ url }) => url.includes(there)))
  if (absent) assert.ok(!alert.links.some(({ url }) => url.includes(absent)))
  if (expected.environment !== undefined) assert.equal(alert.environment, expected.environment)
  if (expected.endedAt !== undefined)
    assert.equal(alert.endedAt, expected.endedAt && new Date(expected.endedAt).toISOString())
  if (expected.fingerprint_stable_with === null) return
  const [partner, index = '0'] = expected.fingerprint_stable_with.split('#')
  const other = readingOf(kind, path.join(path.dirname(file), partner!)).alerts[Number(index)]
  // The partner may itself be a delivery that is rightly read as no alert.
  if (other) assert.equal(alert.fingerprint, other.fingerprint, `as in ${partner}`)
}

describe('recorded deliveries', { skip: folder ? false : 'SIGNALBOX_PAYLOADS is not set' }, () => {
  const files = folder ? (readdirSync(folder, { recursive: true }) as string[]) : []
  for (const name of files.filter((file) => /\/[^_.][^/]*(?<!\.expect)\.json$/.test(file)).toSorted()) {
    const file = path.join(folder!, name)
    const kind = kindOf(path.dirname(name))
    const expected = expectationOf(file)
    const isOptional = expected.alerts_optional || expected.alerts.length === 0
    test(`${name}${expected.ambiguous ? ' (ambiguous)' : ''}`, () => {
      const reading = readingOf(kind, file)
      assert.ok([expected.http].flat().includes(statusFor(senders[kind], reading)))
      if (expected.opens_incident === false) assert.ok(opensNothing(reading), 'opens nothing')
      if (expected.test) assert.equal(reading.test, true)
      if (expected.confirms_subscription) assert.equal(reading.handshake?.type, 'sns_confirmation')
      if (expected.ambiguous || (isOptional && reading.alerts.length === 0)) return
      assert.equal(reading.alerts.length, expected.alerts.length)
      const fingerprints = new Set(reading.alerts.map((alert) => alert.fingerprint))
      assert.equal(fingerprints.size, reading.alerts.length, 'different alerts have different fingerprints')
      for (const [index, alert] of reading.alerts.entries()) holds(alert, expected.alerts[index]!, file, kind)
    })
  }
})
