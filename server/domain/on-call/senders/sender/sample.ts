import { createHash } from 'node:crypto'
import type { Severity } from '@signalbox/contract/signal.ts'

/** An alert to be reported in a sender's own words. */
export interface SampleAlert {
  title: string
  severity: Severity
  status: 'firing' | 'resolved'
  service: string
  description: string
  at: Date
}

/** What a sender would send of such an alert. The same title and service are the same alert, so that one can recover. */
export type Sample = (alert: SampleAlert) => { body: unknown; headers?: Record<string, string> }

/** 16 hexadecimal digits, as most tools' own ids are. */
export const idOf = ({ title, service }: SampleAlert) =>
  createHash('sha256').update(`${title}\0${service}`).digest('hex').slice(0, 16)

/** An alert begins when it is sent, so that it is a new one after a recovery. */
export const startOf = ({ status, at }: SampleAlert) =>
  (status === 'firing' ? at : new Date(at.getTime() - 10 * 60 * 1000)).toISOString()

/** Each delivery has one of its own. */
export const deliveryOf = (alert: SampleAlert) =>
  idOf({ ...alert, title: `${alert.title} ${alert.status} ${alert.at.toISOString()}` })

export const priorities: Record<Severity, string> = {
  critical: 'P1',
  high: 'P2',
  medium: 'P3',
  low: 'P4',
  info: 'P5',
}
