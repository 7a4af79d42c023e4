import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'

/** The model APIs that the gateway knows: where they are, how a key is sent, how a bill is read. */
export type Api = 'anthropic' | 'openai' | 'google'

export type Usage = Extract<RunnerEvent, { type: 'usage' }>

/** A way to a model for one order: no key on the agent's side, every call counted, none after the money is used up. */
export interface Gateway {
  /** Unix socket to be bound into the box. */
  readonly socket: string
  /** The same over loopback, where there is no box to bind a socket into. */
  readonly url: string
  /** What has been booked so far, in millionths of a US dollar. */
  readonly spentMicros: number
  /** Whether a call was refused because the reservation is used up. */
  readonly isExhausted: boolean
  close(): Promise<void>
}

export interface GatewayOptions {
  /** What may still be spent; null: only counted. */
  usdMicros: number | null
  /** Hears of each call that cost something, in order. */
  onUsage: (usage: Usage) => void
  /** Folder for the socket, outside of what the agent can write. */
  folder: string
}
