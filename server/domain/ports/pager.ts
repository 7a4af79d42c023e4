/** An alert where it came from. */
export interface PagedAlert {
  /** The tool's own id of it. */
  id: string
  /** Base address of the tool's API; null: where most customers are. */
  api: string | null
  /** The user of the account on whose behalf it is done, where the tool wants one. */
  from: string | null
  /** The API key, opened. */
  credentials: string
}

/**
 * `unchanged`: it is like that already, or over. `refused` is for good: asking again would not help. What may pass is
 * thrown, and tried again.
 */
export type PagerUpdate = { outcome: 'changed' | 'unchanged' } | { outcome: 'refused'; reason: string }

/** A tool that pages people, in which alerts are acknowledged and resolved. Doing either twice does it once. */
export interface Pager {
  /** As people write it. */
  readonly name: string
  acknowledge(alert: PagedAlert): Promise<PagerUpdate>
  resolve(alert: PagedAlert): Promise<PagerUpdate>
}

export type PagerKind = 'pagerduty' | 'opsgenie'
export type Pagers = Record<PagerKind, Pager>
