import type { Alert } from '@signalbox/contract/signal.ts'

/** An alert as one delivery reports it. */
export interface ReadAlert extends Alert {
  /** False where the delivery did not say: what is known of the alert is then kept. */
  severityGiven: boolean
  /** The sender's own time of this status, by which deliveries of one alert are put in order; null: when it arrived. */
  occurredAt: string | null
  /** About an alert that is known already, and never opens an incident: an acknowledgement, a merge. */
  updateOnly: boolean
  /** Sent by the app to try a source, or with a mark of its. No sender can say so of its own: it opens nothing. */
  isTest: boolean
  /** A test that opens an incident marked as one, because someone wants to see what follows. */
  opensTest?: boolean
  /** Id under which the sender's own API knows it, where that can be acknowledged and resolved. */
  senderId: string | null
}

/** What the intake makes of a delivery whose proof was right. */
export interface Reading {
  alerts: ReadAlert[]
  /** A sender's trial of the connection: recorded, never an incident. */
  test: boolean
  /** Why the delivery, or a part of it, could not be used; a sentence for the person who set the source up. */
  problem: string | null
  /**
   * What the sender promises to be the delivery's own and to say again on a retry: another one with it is dropped.
   * Null where nothing is, and every delivery is its own.
   */
  deliveryId: string | null
  /** Something else to do, such as confirming a subscription. */
  handshake: Handshake | null
}

export type Handshake =
  | { type: 'sns_confirmation'; topicArn: string; token: string; region: string }
  | { type: 'sns_unsubscribed'; topicArn: string }

/** A request as proofs and formats see it: exact bytes, and headers by their lower-case names. */
export interface Delivered {
  body: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
  query: Readonly<Record<string, string | string[] | undefined>>
}

/** Turns a proven body into alerts. Never throws for what a sender wrote: the fault becomes the problem. */
export type Format = (delivered: Delivered) => Reading
