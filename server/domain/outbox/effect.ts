/** What can be done outside. faces/worker says who does which. */
export type EffectKind =
  | 'hand_out'
  | 'merge'
  | 'check_main'
  | 'open_revert'
  | 'revert_merge'
  | 'comment_issue'
  | 'write_story'
  | 'submit_requirement'
  | 'investigate_incident'
  | 'post_incident'
  | 'mail_member'
  | 'update_alert'
  | 'withdraw_question'
  | 'confirm_subscription'

export interface Wanted {
  kind: EffectKind
  /** Names the wish: written twice, it is done once, and whoever does it passes the key on. */
  key: string
  data: Record<string, unknown>
  runId?: string
}
