interface ProbeRequest {
  url: string
  timeoutMs: number
  /** A redirect is an answer like any other when its status is wanted; otherwise it is followed. */
  expected: readonly number[]
}

/** What came back, as far as it was read; or why nothing did, as a clause that can follow a colon. */
export type Probed = { status: number; body: string } | { problem: string }

/** Looks whether an address answers. Reaches only what may be reached, and never sends credentials. */
export interface Probe {
  /** Throws only when `signal` says that the answer is no longer wanted. */
  get(request: ProbeRequest, signal: AbortSignal): Promise<Probed>
}
