/** What was asked of a double, and what it answered. */
export interface Exchange {
  method: string
  path: string
  query: URLSearchParams
  status: number
  /** Undefined: none. */
  body: unknown
  answer: unknown
}
