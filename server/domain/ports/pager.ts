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

/** `unchanged`: it is like that already, or over. */
export interface PagerUpdate {
  outcome: 'changed' | 'unchanged'
}

/**
 * A tool that pages people, in which alerts are acknowledged and resolved. Doing either twice does it once. What is refused
 * is thrown as ToolRefused, with what helps; what may pass as anything else.
 */
export interface Pager {
  /** As people write it. */
  readonly name: string
  acknowledge(alert: PagedAlert): Promise<PagerUpdate>
  resolve(alert: PagedAlert): Promise<PagerUpdate>
}

export type PagerKind = 'pagerduty' | 'opsgenie'
export const pagerNames: Record<PagerKind, string> = { pagerduty: 'PagerDuty', opsgenie: 'Opsgenie' }
export type Pagers = Record<PagerKind, Pager>
