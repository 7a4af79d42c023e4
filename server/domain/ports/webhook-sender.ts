/** A message that goes to one endpoint now. */
export interface WebhookCall {
  url: string
  /** The same however often it is sent. */
  id: string
  body: string
  /** One, or two while a new one is carried over. */
  secrets: readonly string[]
  at: Date
  /** Gives it up; its reason is thrown. */
  signal?: AbortSignal
}

/** The outcome of the call, whatever it is. */
export interface WebhookAnswer {
  /** As it was sent, for finding out why a receiver refused it. */
  signature: string
  /** Null: there was no answer, and `problem` says why. */
  status: number | null
  /** Its beginning. */
  body: string | null
  problem: string | null
  /** How long the receiver asks to be left alone. */
  retryAfterMs: number | null
}

/** Calls the endpoints that people of a workspace have named. */
export interface WebhookSender {
  /** Why such an address is not taken; null when it is. */
  refusalOf(url: URL): Promise<string | null>
  send(call: WebhookCall): Promise<WebhookAnswer>
}
