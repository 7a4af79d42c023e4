import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'

/** One account of a workspace at an outside tool, its credentials opened. Lives for one call; is never kept. */
export interface Connection {
  id: string
  workspaceId: string
  kind: ConnectionKind
  name: string
  /** Where the tool is, without a slash at the end: `https://api.github.com`, `https://gitlab.example.com`. */
  baseUrl: string
  /**
   * GitHub: `{token}` or `{appId, privateKey, installationId}`; GitLab and Linear: `{token}`; Jira: `{email, token}` in the
   * cloud, `{token}` in a data center; Slack: `{botToken, signingSecret, appToken?}`.
   */
  credentials: Readonly<Record<string, string>>
  /** As whom we act there: login of the bot or of the token's user; null until the first test. */
  account: string | null
}

export type RefusalReason = 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'invalid'

/**
 * How much of a connection a refusal is about: all of it, the place that was called (a channel, a project, a repository),
 * or the one thing that was asked for.
 */
export type RefusalExtent = 'account' | 'place' | 'thing'

const extents: Record<RefusalReason, RefusalExtent> = {
  unauthorized: 'account',
  forbidden: 'place',
  not_found: 'thing',
  conflict: 'thing',
  invalid: 'thing',
}

/** Whose credentials a tool takes or refuses: a connection's, or those of a source, with which alerts are updated. */
export type Holder =
  | { connectionId: string; sourceId?: undefined }
  | { sourceId: string; connectionId?: undefined }

/** What of it is called, such as `channel/C1` or `project/7`; empty: a source has no places. */
export type Reached = Holder & { place: string }

/** The tool said no, and asking again would not change it; the message is a sentence for people. */
export class ToolRefused extends Error {
  readonly reason: RefusalReason
  readonly extent: RefusalExtent
  /** Of the answer, where there was one. */
  readonly status: number | null
  /** What the tool wrote, for adapters that have to tell refusals apart. Never shown: it may quote anything. */
  readonly answer: unknown
  /** Said by those who reach more than one place for one thing; null: the caller knows. */
  at: Reached | null = null

  constructor(
    reason: RefusalReason,
    message: string,
    more: { status?: number | null; answer?: unknown; extent?: RefusalExtent } = {},
  ) {
    super(message)
    this.reason = reason
    this.extent = more.extent ?? extents[reason]
    this.status = more.status ?? null
    // An error is logged with what can be enumerated of it.
    Object.defineProperty(this, 'answer', { value: more.answer, enumerable: false })
  }
}

/** The tool cannot answer now (429, 403 with limits, 5xx, timeout, half an answer); the outbox tries again at `retryAt`. */
export class ToolBusy extends Error {
  readonly retryAt: Date | null
  /** The same, as the outbox reads it. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null, now: Date) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.retryAt = retryAfterMs === null ? null : new Date(now.getTime() + retryAfterMs)
  }
}

/** What the tool lets us do until its window ends. */
export interface CallLimit {
  left: number
  of: number | null
  resetsAt: Date | null
}

/** How a call went, for the health of its connection. */
export type CallOutcome = { limit?: CallLimit } & (
  | { result: 'done' }
  /** It said no to what was asked, which says nothing about the account: a missing issue is no illness, and no success. */
  | { result: 'answered' }
  | { result: 'refused'; message: string; reason: RefusalReason; extent: RefusalExtent }
  | { result: 'busy'; message: string }
)
