/** What can be done outside. faces/worker says who does which. */
export type EffectKind =
  | 'hand_out'
  | 'merge'
  | 'check_main'
  | 'open_revert'
  | 'comment_issue'
  | 'write_story'
  | 'submit_requirement'

export interface Wanted {
  kind: EffectKind
  /** Names the wish: written twice, it is done once, and whoever does it passes the key on. */
  key: string
  data: Record<string, unknown>
  runId?: string
}
