import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { testAlertTitle, testMarkHeader } from '@signalbox/contract/test-alert.ts'
import type { MacKeys } from '../../../infra/secrets.ts'
import { alertFrom } from '../senders/reading/alert.ts'
import type { Delivered, ReadAlert, Reading } from '../senders/reading/reading.ts'

const goodForMs = 3_600_000

/** What a mark is for. */
interface Marked {
  sourceId: string
  /** The name of the service in which the incident is opened. */
  service: string
}

/**
 * Marks that a delivery is only a test and opens an incident that says so. The app alone makes them: nothing that a
 * sender can write makes a test of an alert. A mark carries a MAC of its source, so that every node knows it
 * and none stores it.
 */
export class TestMarks {
  readonly #keys: MacKeys

  constructor(keys: MacKeys) {
    this.#keys = keys
  }

  make(marked: Marked, now: Date): string {
    const until = (now.getTime() + goodForMs).toString(36)
    const service = Buffer.from(marked.service).toString('base64url')
    return `${until}.${service}.${macOf(this.#keys()[0], marked, until)}`
  }

  /**
   * What a delivery of the source comes to that has a mark: one test alert, whatever its body is about. One with a mark
   * that is forged, expired or another source's is as if it had none.
   */
  applied(reading: Reading, { headers }: Pick<Delivered, 'headers'>, sourceId: string, now: Date): Reading {
    const given = headers[testMarkHeader]
    if (given === undefined || reading.handshake !== null) return reading
    const marked = this.#read(String(given), sourceId, now)
    if (!marked) return reading
    // The senders' own ids are those of the printed body, each time the same.
    return { ...reading, test: false, deliveryId: null, alerts: [testIncidentAlert(marked.service, now)] }
  }

  #read(text: string, sourceId: string, now: Date): Marked | null {
    const [, until, encoded, mac] = /^([0-9a-z]{1,12})\.([\w-]{0,1000})\.([\w-]{43})$/.exec(text) ?? []
    if (!until || encoded === undefined || !mac) return null
    if (Number.parseInt(until, 36) <= now.getTime()) return null
    const marked = { sourceId, service: Buffer.from(encoded, 'base64url').toString() }
    const given = Buffer.from(mac)
    const isOurs = (key: KeyObject) => timingSafeEqual(given, Buffer.from(macOf(key, marked, until)))
    return this.#keys().some(isOurs) ? marked : null
  }
}

const macOf = (key: KeyObject, { sourceId, service }: Marked, until: string): string =>
  createHmac('sha256', key).update([sourceId, until, service].join(' ')).digest('base64url')

const testIncidentAlert = (service: string, now: Date): ReadAlert => ({
  ...alertFrom({
    title: [testAlertTitle],
    description: ['Sent with the command on the source’s page.'],
    status: 'firing',
    rated: { severity: 'critical', severityGiven: true },
    fingerprint: testFingerprint(now),
    service: [service],
  }),
  isTest: true,
  opensTest: true,
})

/** What is only tried is the same alert each time; an incident is opened by one of its own. */
export const testFingerprint = (now: Date): string => `test-${now.getTime()}`
