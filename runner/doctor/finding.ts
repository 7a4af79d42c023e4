/** One thing that was looked at. */
export interface Finding {
  what: string
  /** `lacking` keeps it from working, `weak` does not. */
  state: 'fine' | 'weak' | 'lacking'
  found: string
  /** How to get it; null: nothing is to be done. */
  remedy: string | null
}
